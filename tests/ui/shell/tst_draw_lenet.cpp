// A person draws LeNet-5 and its data from an empty canvas and trains it: real events, the real engine.
#include "engine/project/project_json.h"
#include "engine/train/training_session.h"
#include "ui/bridge/findings_model.h"
#include "ui/graph/build_view.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/node_item.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QFileDialog>
#include <QLineEdit>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QUndoStack>

#include <algorithm>

using namespace athanor;

namespace {

const QString kImages = QStringLiteral(ATHANOR_SOURCE_DIR "/resources/samples/data/t10k-images-idx3-ubyte.gz");
const QString kLabels = QStringLiteral(ATHANOR_SOURCE_DIR "/resources/samples/data/t10k-labels-idx1-ubyte.gz");

} // namespace

class DrawLenetTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void fromAnEmptyCanvasToATrainedNetwork();

private:
    template <typename Widget = QWidget> [[nodiscard]] Widget* child(const char* name) const
    {
        return m_window->findChild<Widget*>(QString::fromLatin1(name));
    }
    [[nodiscard]] GraphView& view() const { return m_window->buildView()->view(m_part); }
    [[nodiscard]] GraphScene& scene() const { return *view().graphScene(); }
    [[nodiscard]] const Graph& graph() const { return m_window->document().graph(m_part); }
    [[nodiscard]] QUndoStack& undo() const { return *m_window->document().undoStack(); }
    [[nodiscard]] std::string text() const { return projectText(m_window->document().project()); }
    [[nodiscard]] bool has(const char* from, const char* to) const;
    [[nodiscard]] QPoint at(const char* node) const;
    [[nodiscard]] QPoint port(const char* node, PortSide side, std::size_t place) const;
    void waitForCheck() const { QTRY_VERIFY_WITH_TIMEOUT(!m_window->document().isChecking(), 20'000); }
    void press(QWidget* widget, int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::keyClick(widget, static_cast<Qt::Key>(key), modifiers);
    }
    void click(const char* node, Qt::KeyboardModifiers modifiers = {}) const;
    void drag(const QPoint& from, const QPoint& to) const;
    /// Lays out what has just changed, as the event loop does between two acts of a person.
    static void settle() { QTest::qWait(10); }
    /// All of the canvas in view.
    void look() const
    {
        settle();
        view().fit();
    }
    void add(const char* kind) const;
    void enter(const char* node, const char* parameter, const QString& value) const;
    void showCanvas(GraphPart part);

    void drawData();
    void drawNetwork();
    void connectTheLabel();
    void mistakeAndItsCure();
    void undoAndRedoAll();
    void groupTwice();
    void saveAndReopen();
    void train();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    GraphPart m_part = GraphPart::Network;
    std::string m_empty; ///< the new project's text
};

void DrawLenetTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_theme = std::make_unique<Theme>();
    m_theme->setScheme(ColorScheme::Light);
    m_settings = std::make_unique<Settings>(m_folder->filePath("settings.ini"));
    MainWindow::Setup setup{makeTrainingSession, m_folder->filePath("runs.sqlite").toStdString(), {}};
    m_window = std::make_unique<MainWindow>(*m_theme, *m_settings, std::move(setup));
    m_window->resize(1920, 1080);
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void DrawLenetTest::cleanup()
{
    m_window->bridge().stopAndWait(std::chrono::seconds(20));
    m_window.reset();
    m_settings.reset();
    m_theme.reset();
    m_folder.reset();
}

bool DrawLenetTest::has(const char* from, const char* to) const
{
    const Edge edge{PortRef::parse(from), PortRef::parse(to)};
    const auto& edges = graph().edges();
    return std::find(edges.begin(), edges.end(), edge) != edges.end();
}

QPoint DrawLenetTest::at(const char* node) const
{
    return view().mapFromScene(scene().nodeItem(node)->box().center());
}

QPoint DrawLenetTest::port(const char* node, PortSide side, std::size_t place) const
{
    return view().mapFromScene(scene().nodeItem(node)->portPoint({side, place}));
}

void DrawLenetTest::click(const char* node, Qt::KeyboardModifiers modifiers) const
{
    QTest::mouseClick(view().viewport(), Qt::LeftButton, modifiers, at(node));
}

void DrawLenetTest::drag(const QPoint& from, const QPoint& to) const
{
    QWidget* ground = view().viewport();
    QTest::mousePress(ground, Qt::LeftButton, {}, from);
    for (int i = 1; i <= 4; ++i) {
        const QPointF point = from + (to - from) * i / 4;
        QMouseEvent move(QEvent::MouseMove, point, ground->mapToGlobal(point), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QApplication::sendEvent(ground, &move);
    }
    QTest::mouseRelease(ground, Qt::LeftButton, {}, to);
}

/// Types the kind's name on the canvas: it goes behind the selected node.
void DrawLenetTest::add(const char* kind) const
{
    const std::size_t before = graph().nodes().size();
    view().setFocus();
    QTest::keyClick(&view(), kind[0]);
    auto* input = view().findChild<QLineEdit*>(QStringLiteral("quickAddInput"));
    QVERIFY2(input->hasFocus(), kind);
    QTest::keyClicks(input, QString::fromLatin1(kind + 1));
    press(input, Qt::Key_Return);
    QVERIFY2(graph().nodes().size() == before + 1, kind);
}

/// Selects the node and types a value into its field in the inspector.
void DrawLenetTest::enter(const char* node, const char* parameter, const QString& value) const
{
    look();
    click(node);
    settle();
    QCOMPARE(m_window->selection().nodes(), std::set<std::string>{node});
    auto* page = child("nodePage");
    auto* field = page->findChild<QWidget*>(QStringLiteral("edit_") + QLatin1String(parameter));
    QVERIFY2(field != nullptr && field->isVisible(), qPrintable(QLatin1String(node) + QLatin1Char('/') + parameter));
    field->setFocus();
    press(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(field, value);
    press(field, Qt::Key_Return);
    QVERIFY2(graph().find(node)->params.contains(parameter), parameter);
}

void DrawLenetTest::showCanvas(GraphPart part)
{
    m_part = part;
    auto* tabs = child<QTabBar>("canvasTabs");
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(part == GraphPart::Data ? 0 : 1).center());
    QTRY_VERIFY(view().isVisible());
    settle();
    view().setFocus();
}

void DrawLenetTest::drawData()
{
    showCanvas(GraphPart::Data);
    for (const char* kind : {"mnistidx", "split", "totensor", "normalize", "loader"})
        add(kind);
    QVERIFY(has("mnistidx1", "split1") && has("split1", "totensor1") && has("totensor1", "normalize1") &&
            has("normalize1", "loader1"));
    enter("mnistidx1", "images", kImages);
    enter("mnistidx1", "labels", kLabels);
    enter("normalize1", "mean", QStringLiteral("0.1307"));
    enter("normalize1", "std", QStringLiteral("0.3081"));
    enter("loader1", "batch_size", QStringLiteral("64"));
}

void DrawLenetTest::drawNetwork()
{
    showCanvas(GraphPart::Network);
    for (const char* kind : {"input", "conv2d", "tanh", "avgpool2d", "conv2d", "tanh", "avgpool2d", "flatten", "linear",
                             "tanh", "linear", "tanh", "linear", "crossentropyloss"})
        add(kind);
    waitForCheck();
    enter("input1", "field", QStringLiteral("image"));
    enter("conv1", "out_channels", QStringLiteral("6"));
    enter("conv1", "kernel_size", QStringLiteral("5"));
    enter("conv1", "padding", QStringLiteral("2"));
    enter("conv2", "out_channels", QStringLiteral("16"));
    enter("conv2", "kernel_size", QStringLiteral("5"));
    enter("avgpool1", "kernel_size", QStringLiteral("2"));
    enter("avgpool2", "kernel_size", QStringLiteral("2"));
    enter("linear1", "out_features", QStringLiteral("120"));
    enter("linear2", "out_features", QStringLiteral("84"));
    enter("linear3", "out_features", QStringLiteral("10"));
    QVERIFY(has("input1", "conv1") && has("avgpool2", "flatten1") && has("linear3", "loss1:input"));
}

void DrawLenetTest::connectTheLabel()
{
    press(&view(), Qt::Key_Escape); // nothing selected: the next node stands alone
    add("input");
    enter("input2", "field", QStringLiteral("label"));
    look();
    drag(port("input2", PortSide::Output, 0), port("loss1", PortSide::Input, 1));
    QVERIFY(has("input2", "loss1:target"));
    waitForCheck();
    QCOMPARE(m_window->findings().rowCount(), 0);
    QVERIFY(child<QAction>("startAction")->isEnabled());
    // 16 maps of 5 × 5: (28 / 2 − 4) / 2.
    const auto& checked = m_window->document().shownNodes().at("flatten1");
    QVERIFY(checked.outputs.front()->dims == (std::vector<Extent>{kBatch, 400}));
}

/// Takes Flatten away, as people forget it: the linear layer would work along the maps' last axis.
void DrawLenetTest::mistakeAndItsCure()
{
    look();
    click("flatten1");
    view().setFocus();
    press(&view(), Qt::Key_Delete);
    QVERIFY(!graph().find("flatten1") && has("avgpool2", "linear1")); // the chain healed
    waitForCheck();
    QVERIFY(scene().nodeItem("linear1")->look().badge.has_value());
    QVERIFY(!child<QAction>("startAction")->isEnabled());
    child<QWidget>("bottomDock")->show();
    child<QTabWidget>("bottomTabs")->setCurrentIndex(0);
    settle();
    auto* list = child<QTreeView>("findingsView");
    QVERIFY(list->model()->rowCount() >= 1);
    const QString message = list->model()->index(0, 0).data().toString();
    QVERIFY2(message.contains(QStringLiteral("last axis of N×16×5×5")), qPrintable(message));
    const QPoint row = list->visualRect(list->model()->index(0, 0)).center();
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row);
    QTest::mouseDClick(list->viewport(), Qt::LeftButton, {}, row);
    QCOMPARE(m_window->selection().nodes(), std::set<std::string>{"linear1"});
    auto* fix = child<QToolButton>("findingFix");
    QVERIFY(fix->isVisible() && fix->isEnabled());
    QVERIFY2(fix->text().contains(QStringLiteral("Flatten")), qPrintable(fix->text()));
    QTest::mouseClick(fix, Qt::LeftButton);
    waitForCheck();
    QVERIFY(!scene().nodeItem("linear1")->look().badge);
    QCOMPARE(m_window->findings().rowCount(), 0);
    QVERIFY(child<QAction>("startAction")->isEnabled());
    const std::vector<Edge> in = graph().incoming("linear1");
    QCOMPARE(graph().find(in.front().from.node)->kind, std::string("Flatten"));
}

void DrawLenetTest::undoAndRedoAll()
{
    const std::string drawn = text();
    int steps = 0;
    while (undo().canUndo()) {
        press(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        ++steps;
        QVERIFY(steps < 1000);
    }
    QVERIFY(steps > 30);
    QCOMPARE(QString::fromStdString(text()), QString::fromStdString(m_empty));
    for (int i = 0; i < steps; ++i)
        press(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(QString::fromStdString(text()), QString::fromStdString(drawn));
    waitForCheck();
}

/// The second fully connected layer and its activation become a group, which is then used once more.
void DrawLenetTest::groupTwice()
{
    look();
    click("linear2");
    click("tanh4", Qt::ControlModifier);
    view().setFocus();
    press(&view(), Qt::Key_G, Qt::ControlModifier);
    QVERIFY(graph().find("block1") && !graph().find("linear2"));
    press(&view(), Qt::Key_G, Qt::ControlModifier | Qt::AltModifier); // once more
    QVERIFY(graph().find("block2"));
    if (!has("block1", "block2")) {
        look();
        drag(port("block1", PortSide::Output, 0), port("block2", PortSide::Input, 0));
        drag(port("block2", PortSide::Output, 0), port("linear3", PortSide::Input, 0));
    }
    QVERIFY(has("block1", "block2") && has("block2", "linear3"));
    waitForCheck();
    QCOMPARE(m_window->findings().rowCount(), 0);
}

void DrawLenetTest::saveAndReopen()
{
    const QString file = m_folder->filePath("lenet.athanor");
    press(m_window.get(), Qt::Key_S, Qt::ControlModifier);
    auto* dialog = child<QFileDialog>("saveDialog");
    QVERIFY(dialog != nullptr);
    dialog->setDirectory(m_folder->path());
    dialog->selectFile(QStringLiteral("lenet.athanor"));
    static_cast<QDialog*>(dialog)->accept();
    QTRY_VERIFY(QFile::exists(file));
    QTRY_VERIFY(!m_window->document().isModified());
    m_window->activateWindow(); // a window system takes a while to leave a dialog
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    const Graph network = m_window->document().project().network;
    const Graph data = m_window->document().project().data;
    const std::string saved = text();

    child<QAction>("newAction")->trigger();
    QVERIFY(m_window->document().project().network.nodes().empty());
    m_window->openProject(file);
    QVERIFY(m_window->document().project().network == network);
    QVERIFY(m_window->document().project().data == data);
    QCOMPARE(QString::fromStdString(text()), QString::fromStdString(saved));
    waitForCheck();
    QCOMPARE(m_window->findings().rowCount(), 0);
}

void DrawLenetTest::train()
{
    press(m_window.get(), Qt::Key_2, Qt::ControlModifier); // nothing is selected: the inspector shows the training
    settle();
    auto* rate = child("trainingPage")->findChild<QLineEdit*>(QStringLiteral("edit_lr"));
    QVERIFY(rate != nullptr && rate->isVisible());
    rate->setFocus();
    press(rate, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(rate, QStringLiteral("0.1"));
    press(rate, Qt::Key_Return);
    QCOMPARE(m_window->document().project().training.optimizer.params.value("lr", 0.0), 0.1);
    waitForCheck();
    press(m_window.get(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(m_window->mode(), Mode::Train);
    settle();
    m_window->grab().save("/tmp/walk1.png");
    QTest::mouseClick(child("startButton"), Qt::LeftButton);
    constexpr int kSteps = 100; // of 125 in an epoch
    QTRY_VERIFY_WITH_TIMEOUT(m_window->bridge().progress().step >= kSteps, 120'000);
    QTest::mouseClick(child("stopButton"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->bridge().isActive(), 20'000);
    const SeriesStore& series = *m_window->bridge().series();
    QCOMPARE(series.infos().at(0).name, std::string("train/loss"));
    const double loss = series.latest(0).value;
    // A guess at ten classes costs ln 10 = 2.30.
    QVERIFY2(loss < 1.5, qPrintable(QString::number(loss)));
}

void DrawLenetTest::fromAnEmptyCanvasToATrainedNetwork()
{
    press(m_window.get(), Qt::Key_N, Qt::ControlModifier);
    press(m_window.get(), Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(m_window->mode(), Mode::Build);
    QVERIFY(graph().nodes().empty());
    m_empty = text();
    using Part = void (DrawLenetTest::*)();
    for (const Part part : {&DrawLenetTest::drawData, &DrawLenetTest::drawNetwork, &DrawLenetTest::connectTheLabel,
                            &DrawLenetTest::mistakeAndItsCure, &DrawLenetTest::undoAndRedoAll,
                            &DrawLenetTest::groupTwice, &DrawLenetTest::saveAndReopen, &DrawLenetTest::train}) {
        (this->*part)();
        if (QTest::currentTestFailed())
            return;
    }
}

QTEST_MAIN(DrawLenetTest)
#include "tst_draw_lenet.moc"
