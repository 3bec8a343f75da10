// The preview by real events: a table, pictures, slow and failing sources, closing while opening, nothing to show.
#include "engine/graph/graph_edit.h"
#include "ui/bridge/task_list.h"
#include "ui/data/preview_panel.h"
#include "ui/theme/theme.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <memory>
#include <thread>

using namespace athanor;

namespace {

Node node(const char* id, const char* kind, Json params = Json::object())
{
    return {id, kind, std::move(params), Json::object()};
}

Project chain(std::vector<Node> nodes)
{
    std::vector<Edge> edges;
    for (std::size_t i = 1; i < nodes.size(); ++i)
        edges.push_back({{nodes[i - 1].id, {}}, {nodes[i].id, {}}});
    Project project;
    project.data = std::move(buildGraph(std::move(nodes), std::move(edges))).value();
    return project;
}

Project points(int samples)
{
    return chain({node("points", "Synthetic", {{"samples", samples}}),
                  node("split", "Split", {{"train", 1.0}, {"val", 0.0}}), node("scale", "Standardize"),
                  node("loader", "Loader")});
}

} // namespace

class PreviewPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void showsATable();
    void followsTheSelection();
    void scrollsAMillionRows();
    void showsASingleSample();
    void saysThatThereIsNothing();
    void showsAnErrorWhereItIs();
    void cancelsASlowSource();
    void closesWhileOpening();
    void survivesQuickSelections();
    void opensNothingWhileHidden();
    void comparesPictures();

private:
    template <typename Widget = QWidget> [[nodiscard]] Widget* child(const char* name) const
    {
        return m_panel->findChild<Widget*>(QString::fromLatin1(name));
    }
    [[nodiscard]] QAbstractItemModel* rows() const { return child<QTableView>("previewTable")->model(); }
    [[nodiscard]] QString cell(int row, int column) const { return rows()->index(row, column).data().toString(); }
    void load(Project project, const char* selected)
    {
        m_document->setProject(std::move(project));
        m_selection->select(GraphPart::Data, {selected});
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<TaskList> m_tasks;
    std::unique_ptr<PreviewPanel> m_panel;
};

void PreviewPanelTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_settings = std::make_unique<QSettings>(m_folder->filePath("s.ini"), QSettings::IniFormat);
    m_theme = std::make_unique<Theme>();
    m_theme->setScheme(ColorScheme::Light);
    m_document = std::make_unique<ProjectDocument>();
    m_document->setCheckFunction([](const Project&, const auto&) { return ProjectCheck{}; });
    m_selection = std::make_unique<Selection>();
    m_tasks = std::make_unique<TaskList>();
    m_panel = std::make_unique<PreviewPanel>(*m_theme, *m_document, *m_selection, *m_tasks, *m_settings);
    m_panel->resize(900, 360);
    m_panel->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
}

void PreviewPanelTest::cleanup()
{
    m_panel.reset();
    m_tasks.reset();
    m_selection.reset();
    m_document.reset();
    m_theme.reset();
    m_settings.reset();
    m_folder.reset();
}

void PreviewPanelTest::showsATable()
{
    load(points(50), "points");
    QTRY_COMPARE(rows()->rowCount(), 50);
    QCOMPARE(rows()->columnCount(), 3); // two features and the label
    QTRY_VERIFY(cell(49, 0) != QStringLiteral("…") && !cell(49, 0).isEmpty());
    QTRY_VERIFY(!m_panel->findChild<HistogramHeader*>()->factsText(0).isEmpty());
    QVERIFY(!child("previewCompare")->isVisible());
}

void PreviewPanelTest::followsTheSelection()
{
    load(points(50), "points");
    QTRY_COMPARE(rows()->rowCount(), 50);
    m_selection->select(GraphPart::Data, {"scale"});
    QTRY_COMPARE(child<QLabel>("previewTitle")->text(), QStringLiteral("scale"));
    QTRY_VERIFY(cell(0, 0).contains(QStringLiteral(" → "))); // before and after
    QTest::mouseClick(child("previewCompare"), Qt::LeftButton);
    QTRY_VERIFY(!cell(0, 0).contains(QStringLiteral(" → ")) && cell(0, 0) != QStringLiteral("…"));
}

void PreviewPanelTest::scrollsAMillionRows()
{
    load(points(1'000'000), "points");
    QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1'000'000, 20'000);
    auto* table = child<QTableView>("previewTable");
    table->setFocus();
    QElapsedTimer timer;
    timer.start();
    QTest::keyClick(table, Qt::Key_End, Qt::ControlModifier);
    QTRY_VERIFY(cell(999'999, 0) != QStringLiteral("…") && !cell(999'999, 0).isEmpty());
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
}

void PreviewPanelTest::showsASingleSample()
{
    load(points(1), "points");
    QTRY_COMPARE(rows()->rowCount(), 1);
    QTRY_VERIFY(cell(0, 0) != QStringLiteral("…"));
}

void PreviewPanelTest::saysThatThereIsNothing()
{
    m_document->setProject({});
    QTRY_COMPARE(child<QLabel>("previewMessage")->text(), QStringLiteral("No data yet"));
    QVERIFY(child("previewHint")->isVisible());
    QVERIFY(!child("previewButton")->isVisible());
}

void PreviewPanelTest::showsAnErrorWhereItIs()
{
    load(chain({node("table", "CsvTable", {{"path", "gone.csv"}, {"target", "y"}}), node("loader", "Loader")}),
         "table");
    QTRY_VERIFY(child("previewButton")->isVisible());
    QVERIFY(!child<QLabel>("previewMessage")->text().isEmpty());
    const QSignalSpy places(m_panel.get(), &PreviewPanel::placeActivated);
    QTest::mouseClick(child("previewButton"), Qt::LeftButton);
    QCOMPARE(places.count(), 1);
    QVERIFY(places.front().front().toString().startsWith(QStringLiteral("data/table")));
}

void PreviewPanelTest::cancelsASlowSource()
{
    m_panel->source().setOpenFunction([](const Project&, const NodeId&, std::stop_token stop) -> Result<PreviewPtr> {
        while (!stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return Error{ErrorCode::Cancelled, "stopped", {}, {}, {}};
    });
    load(points(5), "points");
    QTRY_VERIFY(child("previewCancel")->isVisible());
    QTest::mouseClick(child("previewCancel"), Qt::LeftButton);
    QTRY_VERIFY(!child("previewCancel")->isVisible());
    QCOMPARE(child<QLabel>("previewMessage")->text(), QStringLiteral("Opening the data was stopped"));
    m_panel->source().setOpenFunction(&DataPreview::open);
    QTest::mouseClick(child("previewButton"), Qt::LeftButton);
    QTRY_COMPARE(rows()->rowCount(), 5);
}

void PreviewPanelTest::closesWhileOpening()
{
    auto ended = std::make_shared<std::atomic<bool>>(false);
    auto begun = std::make_shared<std::atomic<bool>>(false);
    m_panel->source().setOpenFunction(
        [ended, begun](const Project&, const NodeId&, std::stop_token stop) -> Result<PreviewPtr> {
            *begun = true;
            while (!stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            *ended = true;
            return Error{ErrorCode::Cancelled, "stopped", {}, {}, {}};
        });
    load(points(5), "points");
    QTRY_VERIFY(*begun);
    m_panel.reset();
    QVERIFY(*ended);
}

void PreviewPanelTest::survivesQuickSelections()
{
    load(points(300), "points");
    for (int i = 0; i < 60; ++i) {
        m_selection->select(GraphPart::Data, {i % 3 == 0 ? "points" : i % 3 == 1 ? "scale" : "loader"});
        QTest::qWait(i % 7);
    }
    m_selection->select(GraphPart::Data, {"scale"});
    QTRY_COMPARE(child<QLabel>("previewTitle")->text(), QStringLiteral("scale"));
    QTRY_COMPARE(rows()->rowCount(), 300);
    QTRY_VERIFY(cell(0, 0).contains(QStringLiteral(" → ")));
}

void PreviewPanelTest::opensNothingWhileHidden()
{
    m_panel->hide();
    std::atomic<int> openings = 0;
    m_panel->source().setOpenFunction([&openings](const Project& project, const NodeId& id, std::stop_token stop) {
        ++openings;
        return DataPreview::open(project, id, std::move(stop));
    });
    load(points(5), "points");
    QTest::qWait(600);
    QCOMPARE(openings.load(), 0);
    m_panel->show();
    QTRY_COMPARE(rows()->rowCount(), 5);
    QCOMPARE(openings.load(), 1);
}

void PreviewPanelTest::comparesPictures()
{
    const QString data = QStringLiteral(ATHANOR_SOURCE_DIR "/resources/samples/data/");
    load(chain({node("digits", "MnistIdx",
                     {{"images", (data + "t10k-images-idx3-ubyte.gz").toStdString()},
                      {"labels", (data + "t10k-labels-idx1-ubyte.gz").toStdString()}}),
                node("turn", "RandomRotation", {{"degrees", 45}}), node("loader", "Loader")}),
         "turn");
    auto* grid = child<SampleGrid>("sampleGrid");
    QTRY_COMPARE(grid->count(), 10'000);
    QTRY_VERIFY(grid->cell(0) != nullptr);
    QCOMPARE(grid->cell(0)->label, QStringLiteral("7")); // the first test digit of MNIST
    QCOMPARE(grid->cell(0)->after.size(), QSize(28, 28));
    const QImage first = grid->cell(0)->after;
    const QImage before = grid->cell(0)->before;
    QVERIFY(!before.isNull() && before != first);
    QTest::mouseClick(child("previewReroll"), Qt::LeftButton);
    QTRY_VERIFY(grid->cell(0)->after != first);
    QCOMPARE(grid->cell(0)->before, before);
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, grid->cellRect(1).center());
    QTRY_VERIFY(child("sampleDialog") != nullptr);
    QCOMPARE(grid->current(), 1);
    QTest::keyClick(grid, Qt::Key_End);
    QTRY_VERIFY(grid->cell(9'999) != nullptr);
    QCOMPARE(grid->current(), 9'999);
    QVERIFY(grid->viewport()->rect().contains(grid->cellRect(9'999))); // not cut off
    if (const QString file = qEnvironmentVariable("ATHANOR_PICTURES"); !file.isEmpty())
        QVERIFY(m_panel->grab().save(file + QStringLiteral("/preview.png")));
}

QTEST_MAIN(PreviewPanelTest)
#include "tst_preview_panel.moc"
