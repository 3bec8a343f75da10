// From a node of the canvas to its source and back, through the inspector.
#include "tests/ui/graph/canvas_fixture.h"

#include "engine/graph/resolved_kind.h"
#include "ui/graph/inspector_panel.h"
#include "ui/script/script_dialog.h"
#include "ui/script/script_editor.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>

using namespace athanor;
using namespace athanor::test;

namespace {

constexpr const char* kProject = R"({
  "athanor": 1, "name": "Script",
  "data": {"nodes": [{"id": "loader", "kind": "Loader"}], "edges": []},
  "network": {
    "nodes": [
      {"id": "image", "kind": "Input", "params": {"field": "image"}},
      {"id": "flat", "kind": "Flatten"},
      {"id": "own", "kind": "Script"},
      {"id": "fc", "kind": "Linear", "params": {"out_features": 10}},
      {"id": "label", "kind": "Input", "params": {"field": "label"}},
      {"id": "loss", "kind": "CrossEntropyLoss"}
    ],
    "edges": [["image", "flat"], ["flat", "own"], ["own", "fc"], ["fc", "loss:input"], ["label", "loss:target"]]
  },
  "training": {"epochs": 1}
})";

} // namespace

class ScriptEditingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theButtonOpensTheSourceAndApplyIsOneStep()
    {
        OpenProject project;
        project.open(kProject);
        InspectorPanel panel(project.document, project.selection, project.theme);
        panel.resize(400, 700);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        project.selection.select(GraphPart::Network, {"own"});
        auto* button = panel.findChild<QPushButton*>(QStringLiteral("edit_source"));
        QVERIFY(button);
        QVERIFY(panel.findChild<QLabel*>(QStringLiteral("preview_source"))
                    ->text()
                    .contains(QStringLiteral("def forward(self, x: Tensor)")));
        QTest::mouseClick(button, Qt::LeftButton);
        auto* dialog = qobject_cast<ScriptDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        QTRY_VERIFY(!dialog->isChecking());
        QVERIFY(
            dialog->findChild<QLabel*>(QStringLiteral("ports"))->text().contains(QStringLiteral("N×784")));
        auto* text = dialog->findChild<QWidget*>(QStringLiteral("sourceText"));
        QTest::keyClick(text, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(text, Qt::Key_Delete);
        QTest::keyClicks(text,
                         QStringLiteral("def forward(self, x: Tensor, gain: Optional[Tensor]) -> Tensor:"));
        QTest::keyClick(text, Qt::Key_Return);
        QTest::keyClicks(text, QStringLiteral("return x[:, :9]"));
        QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!dialog->isVisible());

        QCOMPARE(project.document.undoStack()->count(), 1);
        QCOMPARE(project.document.undoStack()->undoText(), QStringLiteral("Edit the source of own"));
        const auto ports = [&] {
            const Graph& graph = project.document.graph(GraphPart::Network);
            return resolveKind(graph, *graph.find("own"), layerCatalog())->inputs.size();
        };
        QCOMPARE(ports(), std::size_t{2});
        QTest::qWait(10);
        QVERIFY(panel.findChild<QLabel*>(QStringLiteral("preview_source"))
                    ->text()
                    .contains(QStringLiteral("gain")));
        project.document.undoStack()->undo();
        QCOMPARE(ports(), std::size_t{1});
        QVERIFY(project.parameter("own", "source").is_null());
    }

    void anUnchangedSourceIsNoStep()
    {
        OpenProject project;
        project.open(kProject);
        InspectorPanel panel(project.document, project.selection, project.theme);
        panel.show();
        project.selection.select(GraphPart::Network, {"own"});
        QTest::mouseClick(panel.findChild<QPushButton*>(QStringLiteral("edit_source")), Qt::LeftButton);
        auto* dialog = qobject_cast<ScriptDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        QTest::keyClick(dialog->findChild<QWidget*>(QStringLiteral("sourceText")), Qt::Key_Return,
                        Qt::ControlModifier);
        QCOMPARE(project.document.undoStack()->count(), 0);
    }
};

QTEST_MAIN(ScriptEditingTest)
#include "tst_script_editing.moc"
