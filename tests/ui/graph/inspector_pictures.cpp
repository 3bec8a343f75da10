// Not a test: pictures of the inspector, the summary and exported canvases, in both themes, to look at.
//   inspector_pictures FOLDER
#include "tests/ui/graph/canvas_fixture.h"

#include "ui/graph/canvas_picture.h"
#include "ui/graph/fold_section.h"
#include "ui/graph/inspector_panel.h"
#include "ui/graph/summary_panel.h"

#include <QApplication>
#include <QDir>

using namespace athanor;
using namespace athanor::test;

namespace {

class Pictures {
public:
    explicit Pictures(const QString& folder) : m_folder(folder)
    {
        m_project.open();
        m_project.selection.follow(m_project.document);
    }

    void take(ColorScheme scheme, const QString& suffix)
    {
        m_project.theme.setScheme(scheme);
        m_suffix = suffix;
        takeInspector();
        takeSummary();
        const PictureColors colors = scheme == ColorScheme::Dark ? PictureColors::Dark : PictureColors::Light;
        for (const char* ending : {"svg", "png", "pdf"}) {
            const CanvasPicture picture(m_project.document, GraphPart::Network, colors);
            if (const Status saved = picture.save(path("canvas", ending)); !saved) {
                qFatal("%s", saved.error().text().c_str());
            }
        }
    }

private:
    void takeSchedule(InspectorPanel& panel)
    {
        ProjectDocument& document = m_project.document;
        const Json warmUp{{"kind", "LinearLR"}, {"interval", "step"}, {"total_iters", 6}, {"start_factor", 0.1}};
        const Json cosine{{"kind", "CosineAnnealingLR"}, {"interval", "step"}, {"T_max", 24}};
        if (!document.setValue(QStringLiteral("training.scheduler"), Json::array({warmUp, cosine}), QStringLiteral("schedule"))) {
            qFatal("the schedule was refused");
        }
        panel.resize(300, 1300);
        grab(panel, "schedule");
        panel.resize(300, 900);
        document.undoStack()->undo();
    }
    void takeInspector()
    {
        InspectorPanel panel(m_project.document, m_project.selection, m_project.theme);
        panel.resize(300, 900);
        panel.show();
        ProjectDocument& document = m_project.document;
        grab(panel, "training");
        takeSchedule(panel);
        m_project.selection.select(GraphPart::Network, {"conv1"});
        grab(panel, "conv");
        panel.findChild<FoldSection*>(QStringLiteral("helpSection"))->setOpen(true);
        grab(panel, "help");
        m_project.selection.select(GraphPart::Network, {"fc1", "fc2", "conv1"});
        grab(panel, "many");
        m_project.selection.select(GraphPart::Network, {"fc1", "fc2"});
        grab(panel, "two");
        push({edit::Sequence{{{edit::SetParameter{"fc1", "in_features", 512}}, {edit::SetParameter{"fc1", "bais", true}}}}});
        m_project.selection.select(GraphPart::Network, {"fc1"});
        grab(panel, "problems");
        document.undoStack()->undo();
        push({edit::Sequence{{{edit::Rename{"fc1", "a_rather_long_name_of_a_layer"}}}}});
        m_project.selection.select(GraphPart::Network, {"a_rather_long_name_of_a_layer"});
        grab(panel, "long");
        document.undoStack()->undo();
        (void)document.setValue(QStringLiteral("training.optimizer.lr"), 0.000123456789, {});
        m_project.selection.clear();
        panel.setRunActive(true);
        grab(panel, "rate");
        document.undoStack()->undo();
    }

    void takeSummary()
    {
        SummaryPanel panel(m_project.document, m_project.selection, m_project.theme);
        panel.resize(960, 320);
        panel.show();
        m_project.selection.select(GraphPart::Network, {"conv1"});
        grab(panel, "summary");
        m_project.selection.clear();
    }

    void push(const GraphEdit& edit) { (void)m_project.document.push(GraphPart::Network, edit, QStringLiteral("x")); }

    void grab(QWidget& widget, const char* name)
    {
        m_project.waitForCheck();
        QTest::qWait(50); // layouts settle
        if (!widget.grab().save(path(name, "png"))) {
            qFatal("cannot write %s", name);
        }
    }

    [[nodiscard]] QString path(const char* name, const char* ending) const
    {
        return QDir(m_folder).filePath(QStringLiteral("%1-%2.%3").arg(QString::fromLatin1(name), m_suffix, QString::fromLatin1(ending)));
    }

    QString m_folder;
    QString m_suffix;
    OpenProject m_project;
};

} // namespace

int main(int argc, char** argv)
{
    const QApplication application(argc, argv);
    if (argc != 2 || !QDir().mkpath(QString::fromLocal8Bit(argv[1]))) {
        qFatal("usage: inspector_pictures FOLDER");
    }
    Pictures pictures(QString::fromLocal8Bit(argv[1]));
    pictures.take(ColorScheme::Light, QStringLiteral("light"));
    pictures.take(ColorScheme::Dark, QStringLiteral("dark"));
    return 0;
}
