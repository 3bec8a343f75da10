// The inspector, driven by real mouse and key events.
#include "tests/ui/graph/canvas_fixture.h"

#include "ui/bridge/apply_fix.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/fold_section.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/inspector_panel.h"
#include "ui/graph/schedule_sketch.h"
#include "ui/graph/whole_number_box.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QAction>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QToolButton>

#include <cmath>

using namespace athanor;
using namespace athanor::test;

class InspectorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void keyboardChangesAnInteger();
    void stepsMergeUntilTheFocusLeaves();
    void garbageInAListIsRefusedInline();
    void listsTakeOneOrSeveral();
    void escapeBringsBackTheText();
    void realsTakeExponents();
    void resetGoesBackToTheDefault();
    void inferredValuesAreShownNotEdited();
    void nullIsWrittenWhereItMeansSomething();
    void renameEverywhere();
    void badNamesAreRefusedInline();
    void outputsAndCounts();
    void problemsWithHints();
    void unknownKindsKeepTheirParameters();
    void manyNodes();
    void manyNodesAreEditedAtOnce();
    void valuesThatDifferAreShownAsSuch();
    void resetAllParameters();
    void nullByItsButton();
    void factsOfANode();
    void fixesAreOneClick();
    void trainingWithNothingSelected();
    void lengthInEpochsOrSteps();
    void optimizerKindKeepsWhatBothHave();
    void schedulesComeAndGo();
    void theScheduleIsDrawn();
    void batchSizeIsTheLoaders();
    void metricsByMenu();
    void earlyStopping();
    void averagedWeights();
    void liveSettingsDuringARun();
    void barTellsOfTheNextRun();
    void placesAreFound();
    void everyEditorHasANameAndReachesTheKeyboard();

private:
    template <typename T> T* find(const char* name) const
    {
        T* widget = m_panel->findChild<T*>(QString::fromLatin1(name));
        if (!widget) {
            qWarning("no %s", name);
        }
        return widget;
    }
    void select(const char* node, GraphPart part = GraphPart::Network) { m_project->selection.select(part, {node}); }
    QUndoStack* undo() const { return m_project->document.undoStack(); }
    void replaceText(QWidget* editor, const char* text, Qt::Key end = Qt::Key_Return)
    {
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(editor, QString::fromUtf8(text));
        if (end != Qt::Key_unknown) {
            QTest::keyClick(editor, end);
        }
    }
    const TrainSpec& training() const { return m_project->document.project().training; }

    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<InspectorPanel> m_panel;
};

void InspectorTest::init()
{
    m_project = std::make_unique<OpenProject>();
    m_project->open();
    m_panel = std::make_unique<InspectorPanel>(m_project->document, m_project->selection, m_project->theme);
    m_panel->resize(340, 900);
    m_panel->show();
    m_panel->activateWindow();
    QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
}

void InspectorTest::cleanup()
{
    m_panel.reset();
    m_project.reset();
}

void InspectorTest::keyboardChangesAnInteger()
{
    GraphScene scene(m_project->document, m_project->selection, GraphPart::Network, m_project->theme);
    QCOMPARE(scene.edgeItem(edge("fc1", "fc2"))->look().shape, QStringLiteral("128"));
    select("fc1");
    auto* box = find<WholeNumberBox>("edit_out_features");
    QCOMPARE(box->value(), std::optional<std::int64_t>(128));
    replaceText(box, "64");
    QCOMPARE(dump(m_project->parameter("fc1", "out_features")), dump(Json(64)));
    QCOMPARE(undo()->count(), 1); // 6 and 64 are one step
    m_project->waitForCheck();
    QCOMPARE(scene.edgeItem(edge("fc1", "fc2"))->look().shape, QStringLiteral("64"));
    QCOMPARE(dump(m_project->document.check().network.nodes.at("fc2").params.at("in_features")), dump(Json(64)));
    undo()->undo();
    QCOMPARE(dump(m_project->parameter("fc1", "out_features")), dump(Json(128)));
    QCOMPARE(box->value(), std::optional<std::int64_t>(128));
    m_project->waitForCheck();
    QCOMPARE(scene.edgeItem(edge("fc1", "fc2"))->look().shape, QStringLiteral("128"));
}

void InspectorTest::stepsMergeUntilTheFocusLeaves()
{
    select("fc1");
    auto* box = find<WholeNumberBox>("edit_out_features");
    box->setFocus();
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(box, Qt::Key_Up);
    }
    QCOMPARE(dump(m_project->parameter("fc1", "out_features")), dump(Json(131)));
    QCOMPARE(undo()->count(), 1);
    find<QLineEdit>("nodeName")->setFocus();
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    QCOMPARE(undo()->count(), 2);
    undo()->undo();
    QCOMPARE(dump(m_project->parameter("fc1", "out_features")), dump(Json(131)));
    undo()->undo();
    QCOMPARE(dump(m_project->parameter("fc1", "out_features")), dump(Json(128)));
    // Up and down again is no change at all.
    QTest::keyClick(box, Qt::Key_Up);
    QTest::keyClick(box, Qt::Key_Down);
    QCOMPARE(undo()->index(), 0);
    QVERIFY(!m_project->document.isModified());
}

void InspectorTest::garbageInAListIsRefusedInline()
{
    select("conv1");
    auto* edit = find<QLineEdit>("edit_kernel_size");
    auto* error = find<QLabel>("error_kernel_size");
    QCOMPARE(edit->text(), QStringLiteral("3"));
    QVERIFY(!error->isVisible());
    const Project before = m_project->document.project();
    for (const char* garbage : {"abc", "3, x", "0", "3 3 3", "1.5"}) {
        replaceText(edit, garbage);
        QVERIFY2(error->isVisible() && !error->text().isEmpty(), garbage);
        QVERIFY2(m_project->document.project().network == before.network, garbage);
    }
    QCOMPARE(undo()->count(), 0);
    find<QLineEdit>("nodeName")->setFocus(); // leaving does not help either
    QVERIFY(m_project->document.project().network == before.network);
    QVERIFY(error->isVisible());
    replaceText(edit, "5");
    QVERIFY(!error->isVisible());
    QCOMPARE(dump(m_project->parameter("conv1", "kernel_size")), dump(Json(5)));
}

void InspectorTest::listsTakeOneOrSeveral()
{
    select("conv1");
    auto* edit = find<QLineEdit>("edit_kernel_size");
    replaceText(edit, "3, 5");
    QCOMPARE(dump(m_project->parameter("conv1", "kernel_size")), dump(Json::array({3, 5})));
    QCOMPARE(edit->text(), QStringLiteral("3, 5"));
    replaceText(edit, "[1 7]");
    QCOMPARE(dump(m_project->parameter("conv1", "kernel_size")), dump(Json::array({1, 7})));
    replaceText(find<QLineEdit>("edit_padding"), "same");
    QCOMPARE(dump(m_project->parameter("conv1", "padding")), dump(Json("same")));
    QCOMPARE(undo()->count(), 2); // one visit to a field is one step
}

void InspectorTest::escapeBringsBackTheText()
{
    select("conv1");
    auto* edit = find<QLineEdit>("edit_kernel_size");
    replaceText(edit, "x", Qt::Key_Escape);
    QCOMPARE(edit->text(), QStringLiteral("3"));
    QVERIFY(!find<QLabel>("error_kernel_size")->isVisible());
    QCOMPARE(undo()->count(), 0);
}

void InspectorTest::realsTakeExponents()
{
    auto* edit = find<QLineEdit>("edit_lr");
    QCOMPARE(edit->text(), QStringLiteral("0.001"));
    replaceText(edit, "3e-4");
    QCOMPARE(dump(training().optimizer.params.at("lr")), dump(Json(3e-4)));
    QCOMPARE(edit->text(), QStringLiteral("3e-4"));
    replaceText(edit, "-1");
    QCOMPARE(dump(training().optimizer.params.at("lr")), dump(Json(3e-4)));
    QVERIFY(find<QLabel>("error_lr")->isVisible());
    undo()->undo();
    QCOMPARE(dump(training().optimizer.params.at("lr")), dump(Json(0.001)));
    QCOMPARE(edit->text(), QStringLiteral("0.001"));
}

void InspectorTest::resetGoesBackToTheDefault()
{
    select("conv1");
    auto* reset = find<QToolButton>("reset_padding");
    QVERIFY(reset->isVisible()); // 1 is written
    QVERIFY(!find<QToolButton>("reset_stride")->isVisible());
    QTest::mouseClick(reset, Qt::LeftButton);
    QVERIFY(m_project->parameter("conv1", "padding").is_null());
    QCOMPARE(find<QLineEdit>("edit_padding")->text(), QString());
    QCOMPARE(find<QLineEdit>("edit_padding")->placeholderText(), QStringLiteral("default 0"));
    QVERIFY(!reset->isVisible());
    undo()->undo();
    QCOMPARE(dump(m_project->parameter("conv1", "padding")), dump(Json(1)));
    QVERIFY(reset->isVisible());
}

void InspectorTest::inferredValuesAreShownNotEdited()
{
    select("conv1");
    auto* inferred = find<QLabel>("inferred_in_channels");
    QVERIFY(inferred->isVisible());
    QCOMPARE(inferred->text(), QStringLiteral("inferred 1"));
    QVERIFY(!find<WholeNumberBox>("edit_in_channels")->isVisible());
    select("fc1");
    QCOMPARE(find<QLabel>("inferred_in_features")->text(), QStringLiteral("inferred 6272"));
}

void InspectorTest::nullIsWrittenWhereItMeansSomething()
{
    // BatchNorm's momentum: null is a plain mean over all batches, 0.1 the default.
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::AddNode{Node{"bn", "BatchNorm2d"}, Position{0, 200}, {}}}, QStringLiteral("add")).ok());
    const Project before = m_project->document.project();
    select("bn");
    auto* edit = find<QLineEdit>("edit_momentum");
    QCOMPARE(edit->placeholderText(), QStringLiteral("default 0.1"));
    replaceText(edit, " ");
    const Node* node = m_project->document.graph(GraphPart::Network).find("bn");
    QVERIFY(node->params.contains("momentum") && node->params.at("momentum").is_null());
    QVERIFY(find<QToolButton>("reset_momentum")->isVisible());
    undo()->undo();
    QVERIFY(m_project->document.project().network == before.network);
}

void InspectorTest::renameEverywhere()
{
    select("fc1");
    auto* name = find<QLineEdit>("nodeName");
    QCOMPARE(name->text(), QStringLiteral("fc1"));
    replaceText(name, "hidden");
    const Graph& graph = m_project->document.graph(GraphPart::Network);
    QVERIFY(graph.find("hidden") && !graph.find("fc1"));
    QVERIFY(std::count(graph.edges().begin(), graph.edges().end(), edge("flat", "hidden")) == 1);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"hidden"});
    QCOMPARE(undo()->count(), 1);
    undo()->undo();
    QVERIFY(graph.find("fc1"));
    QCOMPARE(name->text(), QStringLiteral("fc1"));
}

void InspectorTest::badNamesAreRefusedInline()
{
    select("fc1");
    auto* name = find<QLineEdit>("nodeName");
    auto* error = find<QLabel>("nameError");
    for (const char* bad : {"fc2", "1st", "a b", ""}) {
        replaceText(name, bad);
        QVERIFY2(error->isVisible() && !error->text().isEmpty(), bad);
        QVERIFY(m_project->document.graph(GraphPart::Network).find("fc1"));
    }
    QCOMPARE(undo()->count(), 0);
    select("conv1");
    QVERIFY(!error->isVisible());
    QCOMPARE(name->text(), QStringLiteral("conv1"));
}

void InspectorTest::outputsAndCounts()
{
    select("conv1");
    auto* outputs = find<QLabel>("outputs");
    QVERIFY2(outputs->text().contains(QStringLiteral("N×32×28×28")), qPrintable(outputs->text()));
    QVERIFY(outputs->text().contains(QStringLiteral("320")));           // 32·1·9 + 32
    QVERIFY(outputs->text().contains(QStringLiteral("225\u2009792")));  // 32·28·28·9
    QVERIFY(find<QLabel>("nodeKind")->text().contains(QStringLiteral("Conv2d")));
    auto* help = find<FoldSection>("helpSection");
    QVERIFY(!help->isOpen());
    QTest::mouseClick(find<QToolButton>("helpSectionButton"), Qt::LeftButton);
    QVERIFY(help->isOpen() && find<QLabel>("helpText")->isVisible());
    QVERIFY(find<QLabel>("helpText")->text().contains(QStringLiteral("torch.nn.Conv2d")));
}

void InspectorTest::problemsWithHints()
{
    select("fc2");
    QVERIFY(!find<QWidget>("nodeProblems")->isVisible());
    const GraphEdit wrong{edit::SetParameter{"fc2", "out_feature", 10}};
    QVERIFY(m_project->document.push(GraphPart::Network, wrong, QStringLiteral("wrong")).ok());
    m_project->waitForCheck();
    auto* message = find<QLabel>("problemMessage");
    QVERIFY(message && message->isVisible());
    QVERIFY2(message->text().contains(QStringLiteral("out_feature")), qPrintable(message->text()));
    QVERIFY2(find<QLabel>("problemHint")->text().contains(QStringLiteral("out_features")), "the hint names the right one");
    // The stray value is listed too, and can be taken away.
    QVERIFY(find<QLineEdit>("edit_out_feature")->isVisible());
    QTest::mouseClick(find<QToolButton>("reset_out_feature"), Qt::LeftButton);
    QVERIFY(m_project->parameter("fc2", "out_feature").is_null());
    QVERIFY(!find<QLineEdit>("edit_out_feature")->isVisible());
    m_project->waitForCheck();
    QVERIFY(!find<QWidget>("nodeProblems")->isVisible());
}

void InspectorTest::unknownKindsKeepTheirParameters()
{
    Node strange{"strange", "Warp9"};
    strange.params = Json{{"factor", 9}};
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::AddNode{strange, Position{0, 0}, {}}}, QStringLiteral("add")).ok());
    select("strange");
    QVERIFY(find<QLabel>("nodeKind")->text().contains(QStringLiteral("Warp9")));
    QCOMPARE(find<QLineEdit>("edit_factor")->text(), QStringLiteral("9"));
}

void InspectorTest::manyNodes()
{
    m_project->selection.select(GraphPart::Network, {"conv1", "fc1", "fc2"});
    QCOMPARE(find<QLabel>("manyTitle")->text(), QStringLiteral("3 nodes"));
    QCOMPARE(find<QLabel>("manyText")->text(), QStringLiteral("conv1, fc1, fc2"));
    m_project->selection.select(GraphPart::Network, {"conv1", "relu1"});
    QVERIFY(find<QLabel>("nothingInCommon")->isVisible() || find<QWidget>("manyForm")->findChildren<QLineEdit*>().empty());
}

void InspectorTest::manyNodesAreEditedAtOnce()
{
    m_project->selection.select(GraphPart::Network, {"conv1", "fc1", "fc2"});
    auto* form = find<QWidget>("manyForm");
    auto* bias = form->findChild<QCheckBox*>(QStringLiteral("edit_bias")); // the one parameter of all three
    QVERIFY(bias && bias->isVisible() && bias->isChecked());
    QCOMPARE(bias->text(), QStringLiteral("default"));
    QVERIFY(!form->findChild<QWidget*>(QStringLiteral("edit_out_features")));
    const Project before = m_project->document.project();
    bias->setFocus();
    QTest::keyClick(bias, Qt::Key_Space);
    for (const char* node : {"conv1", "fc1", "fc2"}) {
        QVERIFY2(m_project->parameter(node, "bias") == false, node);
    }
    QCOMPARE(undo()->count(), 1);
    QCOMPARE(undo()->undoText(), QStringLiteral("Set bias of 3 nodes"));
    undo()->undo();
    QVERIFY(m_project->document.project().network == before.network);
    QVERIFY(bias->isChecked());
}

void InspectorTest::valuesThatDifferAreShownAsSuch()
{
    m_project->selection.select(GraphPart::Network, {"fc1", "fc2"}); // 128 and 10
    auto* form = find<QWidget>("manyForm");
    auto* box = form->findChild<WholeNumberBox*>(QStringLiteral("edit_out_features"));
    QVERIFY(box && box->isVisible() && !box->value());
    QCOMPARE(box->findChild<QLineEdit*>()->placeholderText(), QStringLiteral("several"));
    replaceText(box, "40");
    QVERIFY(m_project->parameter("fc1", "out_features") == 40 && m_project->parameter("fc2", "out_features") == 40);
    QCOMPARE(undo()->count(), 1); // 4 and 40
    QCOMPARE(box->value(), std::optional<std::int64_t>(40));
    undo()->undo();
    QVERIFY(m_project->parameter("fc1", "out_features") == 128 && m_project->parameter("fc2", "out_features") == 10);
    QVERIFY(!box->value());
    // One written, one default: they differ as well, and go back together.
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::SetParameter{"fc1", "bias", false}}, QStringLiteral("x")).ok());
    auto* bias = form->findChild<QCheckBox*>(QStringLiteral("edit_bias"));
    QCOMPARE(bias->checkState(), Qt::PartiallyChecked);
    QTest::mouseClick(form->findChild<QToolButton*>(QStringLiteral("reset_bias")), Qt::LeftButton);
    QVERIFY(m_project->parameter("fc1", "bias").is_null());
    QCOMPARE(bias->checkState(), Qt::Checked);
}

void InspectorTest::resetAllParameters()
{
    select("relu1");
    QVERIFY(!find<QPushButton>("resetAll")->isVisible());
    select("conv1");
    const Project before = m_project->document.project();
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::SetParameter{"conv1", "stride", 2}}, QStringLiteral("x")).ok());
    auto* button = find<QPushButton>("resetAll");
    QVERIFY(button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    const Node* node = m_project->document.graph(GraphPart::Network).find("conv1");
    QVERIFY(node->params == Json({{"out_channels", 32}, {"kernel_size", 3}})); // what is needed stays
    QVERIFY(!button->isVisible());
    QCOMPARE(undo()->count(), 2);
    undo()->undo();
    undo()->undo();
    QVERIFY(m_project->document.project().network == before.network);
}

void InspectorTest::nullByItsButton()
{
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::AddNode{Node{"bn", "BatchNorm2d"}, Position{0, 200}, {}}}, QStringLiteral("add")).ok());
    select("bn");
    auto* edit = find<QLineEdit>("edit_momentum");
    QCOMPARE(edit->placeholderText(), QStringLiteral("default 0.1"));
    auto* none = edit->findChild<QAction*>(QStringLiteral("writeNull"));
    QVERIFY(none);
    none->trigger();
    const Node* node = m_project->document.graph(GraphPart::Network).find("bn");
    QVERIFY(node->params == Json({{"momentum", nullptr}}));
    QCOMPARE(edit->placeholderText(), QStringLiteral("none"));
    QTest::mouseClick(find<QToolButton>("reset_momentum"), Qt::LeftButton);
    QVERIFY(node->params == Json::object());
    QCOMPARE(edit->placeholderText(), QStringLiteral("default 0.1"));
}

void InspectorTest::factsOfANode()
{
    select("pool1");
    const QString facts = find<QLabel>("outputs")->text();
    QVERIFY2(facts.contains(QStringLiteral("4×4")), qPrintable(facts)); // 3 of the convolution, and one more
    // 64 samples: the indices of the maxima, and the output, which the Linear behind the Flatten keeps.
    QVERIFY2(facts.contains(QStringLiteral("kept at batch 64")), qPrintable(facts));
    QVERIFY2(facts.contains(QStringLiteral("4.59 MiB")), qPrintable(facts)); // 64 · 6272 · (8 + 4) / 2^20
}

void InspectorTest::fixesAreOneClick()
{
    QSignalSpy wished(m_panel.get(), &InspectorPanel::fixRequested);
    connect(m_panel.get(), &InspectorPanel::fixRequested, m_panel.get(),
            [this](const SuggestedFix& fix) { QVERIFY(applyFix(m_project->document, fix).ok()); });
    const Project before = m_project->document.project();
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::SetParameter{"fc1", "in_features", 512}}, QStringLiteral("x")).ok());
    select("fc1");
    m_project->waitForCheck();
    auto* problems = find<QWidget>("nodeProblems");
    QTRY_VERIFY(problems->findChild<QPushButton*>(QStringLiteral("fixButton")));
    auto* atParameter = find<QToolButton>("fix_in_features");
    QVERIFY(atParameter->isVisible());
    QTest::mouseClick(problems->findChild<QPushButton*>(QStringLiteral("fixButton")), Qt::LeftButton);
    QCOMPARE(wished.count(), 1);
    QVERIFY(m_project->document.project().network == before.network);
    QCOMPARE(undo()->undoText(), QStringLiteral("Leave in_features empty"));
    m_project->waitForCheck();
    QTRY_VERIFY(!problems->isVisible());
    QVERIFY(!atParameter->isVisible());
    undo()->undo();
    m_project->waitForCheck();
    QTRY_VERIFY(atParameter->isVisible());
    QTest::keyClick(atParameter, Qt::Key_Space);
    auto* menu = find<QMenu>("fixMenu"); // there are two fixes
    QVERIFY(menu && menu->isVisible());
    QTest::keyClick(menu, Qt::Key_Down);
    QTest::keyClick(menu, Qt::Key_Return);
    QCOMPARE(wished.count(), 2);
    QVERIFY(m_project->document.project().network == before.network);
}

void InspectorTest::trainingWithNothingSelected()
{
    QVERIFY(find<QWidget>("trainingPage")->isVisible());
    QCOMPARE(find<QLineEdit>("edit_name")->text(), QStringLiteral("Small CNN"));
    replaceText(find<QLineEdit>("edit_name"), "Digits");
    QCOMPARE(m_project->document.project().name, std::string("Digits"));
    replaceText(find<WholeNumberBox>("edit_seed"), "3000000000"); // does not fit 32 bits
    QCOMPARE(training().seed, std::uint64_t(3000000000));
    auto* policy = find<QComboBox>("edit_on_non_finite");
    QCOMPARE(policy->currentText(), QStringLiteral("pause"));
    policy->setFocus();
    QTest::keyClick(policy, Qt::Key_Down);
    QCOMPARE(training().onNonFinite, NonFinitePolicy::Stop);
    QCOMPARE(undo()->count(), 3);
    for (int i = 0; i < 3; ++i) {
        undo()->undo();
    }
    QCOMPARE(training().seed, std::uint64_t(1));
    QCOMPARE(find<QLineEdit>("edit_name")->text(), QStringLiteral("Small CNN"));
    QCOMPARE(policy->currentText(), QStringLiteral("pause"));
}

void InspectorTest::lengthInEpochsOrSteps()
{
    auto* length = find<WholeNumberBox>("trainingLength");
    auto* unit = find<QComboBox>("trainingLengthUnit");
    QCOMPARE(length->value(), std::optional<std::int64_t>(3));
    replaceText(length, "12");
    QCOMPARE(training().epochs, std::optional<std::int64_t>(12));
    unit->setFocus();
    QTest::keyClick(unit, Qt::Key_Down);
    QVERIFY(!training().epochs && training().steps == std::optional<std::int64_t>(1000));
    undo()->undo();
    QCOMPARE(training().epochs, std::optional<std::int64_t>(12));
    QVERIFY(!training().steps);
    QCOMPARE(unit->currentIndex(), 0);
}

void InspectorTest::optimizerKindKeepsWhatBothHave()
{
    auto* kind = find<QComboBox>("optimizerKind");
    QCOMPARE(kind->currentText(), QStringLiteral("Adam"));
    QVERIFY(find<QLineEdit>("edit_betas"));
    kind->setFocus();
    QTest::keyClick(kind, Qt::Key_Home); // SGD
    QCOMPARE(training().optimizer.kind, std::string("SGD"));
    QCOMPARE(dump(training().optimizer.params.at("lr")), dump(Json(0.001)));
    QTRY_VERIFY(find<QLineEdit>("edit_momentum")->isVisible());
    replaceText(find<QLineEdit>("edit_momentum"), "0.9");
    QCOMPARE(dump(training().optimizer.params.at("momentum")), dump(Json(0.9)));
    QTest::mouseClick(find<QToolButton>("reset_momentum"), Qt::LeftButton);
    QVERIFY(!training().optimizer.params.contains("momentum"));
    undo()->undo();
    undo()->undo();
    undo()->undo();
    QCOMPARE(training().optimizer.kind, std::string("Adam"));
    QCOMPARE(kind->currentText(), QStringLiteral("Adam"));
}

void InspectorTest::schedulesComeAndGo()
{
    QVERIFY(training().schedulers.empty());
    QTest::mouseClick(find<QToolButton>("addSchedule"), Qt::LeftButton);
    QCOMPARE(training().schedulers.size(), std::size_t(1));
    QCOMPARE(training().schedulers[0].scheduler.kind, std::string("CosineAnnealingLR"));
    QTRY_VERIFY(find<QComboBox>("schedule0Kind")->isVisible());
    auto* kind = find<QComboBox>("schedule0Kind");
    kind->setFocus();
    QTest::keyClick(kind, Qt::Key_Home); // StepLR
    QCOMPARE(training().schedulers[0].scheduler.kind, std::string("StepLR"));
    auto* form = find<QWidget>("schedule0");
    replaceText(form->findChild<WholeNumberBox*>(QStringLiteral("edit_step_size")), "4");
    QCOMPARE(dump(training().schedulers[0].scheduler.params.at("step_size")), dump(Json(4)));
    kind->setFocus();
    QTest::keyClick(kind, Qt::Key_L); // LinearLR: a warm-up has an end, so another schedule may follow
    QCOMPARE(training().schedulers[0].scheduler.kind, std::string("LinearLR"));
    QTRY_VERIFY(find<QToolButton>("addSchedule")->isVisible());
    find<QToolButton>("addSchedule")->setFocus();
    QTest::keyClick(find<QToolButton>("addSchedule"), Qt::Key_Space);
    QCOMPARE(training().schedulers.size(), std::size_t(2));
    QTRY_VERIFY(find<QToolButton>("removeSchedule0")->isVisible());
    QTest::mouseClick(find<QToolButton>("removeSchedule0"), Qt::LeftButton);
    QCOMPARE(training().schedulers.size(), std::size_t(1));
    QCOMPARE(training().schedulers[0].scheduler.kind, std::string("CosineAnnealingLR"));
    while (undo()->canUndo()) {
        undo()->undo();
    }
    QVERIFY(training().schedulers.empty());
}

void InspectorTest::theScheduleIsDrawn()
{
    auto* sketch = find<ScheduleSketch>("scheduleSketch");
    QVERIFY2(!sketch->isVisible(), "a constant rate needs no picture");
    QTest::mouseClick(find<QToolButton>("addSchedule"), Qt::LeftButton);
    QTRY_VERIFY(sketch->isVisible());
    find<QComboBox>("schedule0Kind")->setFocus();
    QTest::keyClick(find<QComboBox>("schedule0Kind"), Qt::Key_Home); // StepLR
    auto* form = find<QWidget>("schedule0");
    replaceText(form->findChild<WholeNumberBox*>(QStringLiteral("edit_step_size")), "1");
    replaceText(form->findChild<QLineEdit*>(QStringLiteral("edit_gamma")), "0.01");
    // 3 epochs of 10 steps at 1e-3, each epoch a hundredth of the one before.
    const ScheduleCurve& curve = sketch->curve();
    QCOMPARE(curve.steps.size(), std::size_t(30));
    for (std::size_t i = 0; i < curve.steps.size(); ++i) {
        const double wanted = i < 10 ? 1e-3 : i < 20 ? 1e-5 : 1e-7;
        QVERIFY(std::abs(curve.rates[i] / wanted - 1) < 1e-12);
    }
    QVERIFY(sketch->isLogarithmic());
    QCOMPARE(sketch->caption(), QStringLiteral("0.001 at first, at most 0.001 (step 1), 1e-07 at the end"));
    const QPointF end(sketch->width() - 2, sketch->height() / 2.0); // below what the panel has scrolled into view
    QMouseEvent move(QEvent::MouseMove, end, sketch->mapToGlobal(end), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(sketch, &move);
    QTRY_COMPARE(sketch->caption(), QStringLiteral("Step 30, epoch 3.00: 1e-07"));
    sketch->setFocus();
    QTest::keyClick(sketch, Qt::Key_Left);
    QCOMPARE(sketch->caption(), QStringLiteral("Step 29, epoch 2.90: 1e-07"));
    replaceText(form->findChild<QLineEdit*>(QStringLiteral("edit_gamma")), "0.5");
    QVERIFY(!sketch->isLogarithmic());
    replaceText(find<QLineEdit>("edit_lr"), "0.1");
    QCOMPARE(sketch->curve().rates.front(), 0.1);
    auto* length = find<WholeNumberBox>("trainingLength");
    replaceText(length, "900000");
    QVERIFY(sketch->curve().steps.empty());
    QVERIFY2(sketch->caption().contains(QStringLiteral("not drawn")), "9 million steps are not walked in the window's thread");
}

void InspectorTest::batchSizeIsTheLoaders()
{
    auto* batch = find<WholeNumberBox>("edit_batch_size");
    QCOMPARE(batch->value(), std::optional<std::int64_t>(64));
    replaceText(batch, "32");
    QCOMPARE(dump(m_project->parameter("loader", "batch_size", GraphPart::Data)), dump(Json(32)));
    undo()->undo();
    QCOMPARE(batch->value(), std::optional<std::int64_t>(64));
}

void InspectorTest::metricsByMenu()
{
    auto* button = find<QPushButton>("edit_metrics");
    QCOMPARE(button->text(), QStringLiteral("accuracy"));
    QAction* f1 = nullptr;
    for (QAction* action : button->menu()->actions()) {
        f1 = action->text() == QStringLiteral("f1") ? action : f1;
    }
    QVERIFY(f1);
    f1->trigger();
    QCOMPARE(training().metrics, (std::vector<std::string>{"accuracy", "f1"}));
    QCOMPARE(button->text(), QStringLiteral("accuracy, f1"));
}

void InspectorTest::earlyStopping()
{
    QTest::mouseClick(find<QToolButton>("earlyStoppingSectionButton"), Qt::LeftButton);
    auto* box = find<QCheckBox>("stopsEarly");
    auto* section = find<FoldSection>("earlyStoppingSection");
    QVERIFY(!section->findChild<WholeNumberBox*>(QStringLiteral("edit_patience"))->isVisible());
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Space);
    QVERIFY(training().earlyStopping);
    replaceText(section->findChild<QWidget*>(QStringLiteral("edit_patience")), "4");
    QCOMPARE(training().earlyStopping->patience, 4);
    undo()->undo();
    undo()->undo();
    QVERIFY(!training().earlyStopping && !box->isChecked());
}

void InspectorTest::averagedWeights()
{
    QTest::mouseClick(find<QToolButton>("averagingSectionButton"), Qt::LeftButton);
    auto* box = find<QCheckBox>("averages");
    auto* section = find<FoldSection>("averagingSection");
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Space);
    QVERIFY(training().averaging && box->isChecked());
    replaceText(section->findChild<QWidget*>(QStringLiteral("edit_decay")), "0.9");
    QCOMPARE(training().averaging->decay, 0.9);
    undo()->undo();
    QCOMPARE(training().averaging->decay, 0.999);
    undo()->undo();
    QVERIFY(!training().averaging && !box->isChecked());
}

void InspectorTest::liveSettingsDuringARun()
{
    QSignalSpy live(m_panel.get(), &InspectorPanel::liveSettingChanged);
    QVERIFY(!find<QLabel>("live_lr")->isVisible());
    replaceText(find<QLineEdit>("edit_lr"), "0.01");
    QCOMPARE(live.count(), 0);
    m_panel->setRunActive(true);
    QVERIFY(find<QLabel>("live_lr")->isVisible());
    QVERIFY(find<QLabel>("live_weight_decay")->isVisible());
    QVERIFY(!find<QLabel>("live_clip_grad_norm")->isHidden());
    replaceText(find<QLineEdit>("edit_lr"), "5e-3");
    QCOMPARE(live.count(), 1);
    QCOMPARE(live[0][0].toString(), QStringLiteral("training.optimizer.lr"));
    QCOMPARE(live[0][1].value<Json>().get<double>(), 5e-3);
    QVERIFY2(!find<QWidget>("nextRunBar")->isVisible(), "the learning rate applies now");
    QVERIFY(find<QLabel>("live_batch_size")->isVisible());
    replaceText(find<WholeNumberBox>("edit_batch_size"), "8");
    QCOMPARE(live.last()[0].toString(), QStringLiteral("data.loader.batch_size"));
    QCOMPARE(dump(live.last()[1].value<Json>()), dump(Json(8)));
    QVERIFY2(!find<QWidget>("nextRunBar")->isVisible(), "the batch size applies with the next epoch");
    find<FoldSection>("weightsSection")->setOpen(true);
    replaceText(find<QLineEdit>("edit_freeze"), "fc1*, fc2*");
    QCOMPARE(live.last()[0].toString(), QStringLiteral("training.freeze"));
    QCOMPARE(dump(live.last()[1].value<Json>()), dump(Json{"fc1*", "fc2*"}));
    QVERIFY2(!find<QWidget>("nextRunBar")->isVisible(), "freezing applies now");
    const auto told = live.count();
    select("loader", GraphPart::Data);
    replaceText(find<WholeNumberBox>("edit_batch_size"), "4");
    QCOMPARE(live.count(), told + 1);
    QCOMPARE(live.last()[0].toString(), QStringLiteral("data.loader.batch_size"));
    m_project->selection.clear();
    m_panel->setRunActive(false);
    QVERIFY(!find<QLabel>("live_lr")->isVisible());
}

void InspectorTest::barTellsOfTheNextRun()
{
    auto* bar = find<QWidget>("nextRunBar");
    m_panel->setRunActive(true);
    QVERIFY(!bar->isVisible());
    select("fc1");
    replaceText(find<WholeNumberBox>("edit_out_features"), "64");
    QVERIFY(bar->isVisible());
    undo()->undo();
    QVERIFY(!bar->isVisible());
    undo()->redo();
    QVERIFY(bar->isVisible());
    m_panel->setRunActive(false);
    QVERIFY(!bar->isVisible());
}

void InspectorTest::placesAreFound()
{
    m_panel->showPlace(QStringLiteral("network/conv1/kernel_size"));
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"conv1"});
    QVERIFY(find<QLineEdit>("edit_kernel_size")->hasFocus());
    m_panel->showPlace(QStringLiteral("training/optimizer/lr"));
    QVERIFY(m_project->selection.nodes().empty());
    QVERIFY(find<QLineEdit>("edit_lr")->hasFocus());
    m_panel->showPlace(QStringLiteral("training/checkpoint/keep"));
    QVERIFY(find<WholeNumberBox>("edit_keep")->hasFocus());
}

void InspectorTest::everyEditorHasANameAndReachesTheKeyboard()
{
    for (const char* node : {"conv1", "fc1", "loss", "image", ""}) {
        m_project->selection.select(GraphPart::Network, *node ? std::set<std::string>{node} : std::set<std::string>{});
        for (const QWidget* widget : m_panel->findChildren<QWidget*>()) {
            if (widget->objectName().startsWith(QStringLiteral("edit_"))) {
                QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
                QVERIFY2(widget->focusPolicy() & Qt::TabFocus, qPrintable(widget->objectName()));
            }
        }
    }
}

QTEST_MAIN(InspectorTest)
#include "tst_inspector.moc"
