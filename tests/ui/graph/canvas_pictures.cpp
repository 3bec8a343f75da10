// Pictures of the Build view with the inspector, in both themes, to look at after a change:
//   canvas_pictures PROJECT FOLDER [WIDTH HEIGHT]
#include "ui/graph/build_view.h"
#include "ui/graph/find_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/inspector_panel.h"
#include "ui/graph/node_item.h"
#include "ui/graph/node_palette.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QToolButton>

using namespace athanor;

namespace {

constexpr int kInspectorWidth = 320;
constexpr int kPaletteWidth = 210;
constexpr qint64 kLongestCheck = 60000; // ms

class Pictures {
public:
    Pictures(const QString& project, const QString& folder, const QSize& size) : m_folder(folder)
    {
        const Status loaded = m_document.load(project);
        if (!loaded) {
            qFatal("%s", loaded.error().text().c_str());
        }
        m_build = new BuildView(m_document, m_selection, m_theme);
        m_inspector = new InspectorPanel(m_document, m_selection, m_theme);
        auto* row = new QHBoxLayout(&m_window);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(1);
        m_build->shelf().setFavourite(GraphPart::Network, QStringLiteral("Conv2d"), true);
        m_palette = new NodePalette(m_theme, m_build->shelf());
        m_palette->setFixedWidth(kPaletteWidth);
        m_build->usePalette(*m_palette);
        row->addWidget(m_palette);
        row->addWidget(m_build, 1);
        row->addWidget(m_inspector);
        m_inspector->setFixedWidth(kInspectorWidth);
        m_window.resize(size);
        m_window.show();
    }

    void take(ColorScheme scheme, const QString& suffix)
    {
        m_theme.setScheme(scheme);
        m_selection.clear();
        m_build->showPart(GraphPart::Network);
        save(QStringLiteral("network-") + suffix);
        for (const GraphPart part : {GraphPart::Network, GraphPart::Data}) {
            const auto& nodes = m_document.graph(part).nodes();
            for (const std::size_t place : {std::size_t(0), std::min<std::size_t>(1, nodes.size() - 1), nodes.size() - 1}) {
                const NodeId& id = nodes[place].id;
                m_build->showNode(part, id);
                save((part == GraphPart::Data ? QStringLiteral("data-") : QStringLiteral("network-")) + QString::fromStdString(id) + u'-' + suffix);
            }
        }
        m_build->setSideBySide(true);
        m_build->view(GraphPart::Network).fit();
        save(QStringLiteral("both-") + suffix);
        m_build->setSideBySide(false);
    }

    void takeProblems(ColorScheme scheme, const QString& suffix)
    {
        m_theme.setScheme(scheme);
        const auto& nodes = m_document.graph(GraphPart::Network).nodes();
        const auto linear = std::find_if(nodes.rbegin(), nodes.rend(), [](const Node& node) { return node.kind == "Linear"; });
        if (linear == nodes.rend()) {
            return;
        }
        const NodeId id = linear->id;
        (void)m_document.push(GraphPart::Network, GraphEdit{edit::SetParameter{id, "in_features", 17}}, {});
        (void)m_document.push(GraphPart::Network, GraphEdit{edit::SetParameter{id, "out_feature", 4}}, {});
        (void)m_document.setValue(QStringLiteral("training.freeze"), Json::array({"*1*"}), {});
        m_build->setActivity({{id, 0.5}, {nodes.front().id, 1e-5}});
        m_inspector->setRunActive(true);
        (void)m_document.push(GraphPart::Network, GraphEdit{edit::SetParameter{id, "bias", false}}, {});
        m_build->showNode(GraphPart::Network, id);
        save(QStringLiteral("problems-") + suffix);
        m_selection.clear();
        save(QStringLiteral("live-") + suffix);
        m_inspector->setRunActive(false);
        while (m_document.undoStack()->canUndo()) {
            m_document.undoStack()->undo();
        }
        m_build->setActivity({});
    }

    /// A comment, a box to add by typing, a wire that may and one that may not be drawn.
    void takeEditing(ColorScheme scheme, const QString& suffix)
    {
        m_theme.setScheme(scheme);
        m_build->showPart(GraphPart::Network);
        GraphView& view = m_build->view(GraphPart::Network);
        GraphScene& scene = *view.graphScene();
        const NodeId first = scene.graph().nodes().front().id;
        const NodeId last = scene.graph().nodes()[scene.graph().nodes().size() / 2].id;
        view.showStart();
        const QRectF frame = scene.nodeItem(first)->box().adjusted(-24, -44, 260, 40);
        const auto note = scene.editor().addComment(frame);
        Comment comment = scene.graph().comments().at(*note);
        comment.text = "What comes in, and the first layer";
        comment.color = "Convolution";
        scene.editor().setComment(*note, comment, {});
        m_build->showNode(GraphPart::Network, last);
        view.quickAdd(QStringLiteral("conv"));
        save(QStringLiteral("quickadd-") + suffix);
        QApplication::sendPostedEvents();
        view.setFocus();
        for (const Heading heading : {Heading::Right, Heading::Left}) {
            scene.selectOnly(last);
            view.startWire();
            scene.wire().aim(heading);
            scene.wire().aim(heading);
            save((heading == Heading::Right ? QStringLiteral("wire-") : QStringLiteral("refused-")) + suffix);
            scene.wire().cancel();
        }
        scene.selectAll();
        save(QStringLiteral("selected-") + suffix);
        view.setZoom(0.35);
        save(QStringLiteral("small-") + suffix);
        view.find();
        save(QStringLiteral("find-") + suffix);
        view.findChild<FindBar*>(QStringLiteral("findBar"))->close();
        while (m_document.undoStack()->canUndo()) {
            m_document.undoStack()->undo();
        }
        m_selection.clear();
    }

    /// The inside of the network's first group.
    void takeGroup(ColorScheme scheme, const QString& suffix)
    {
        m_theme.setScheme(scheme);
        const auto& nodes = m_document.graph(GraphPart::Network).nodes();
        const auto group = std::find_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.kind == "Group"; });
        if (group == nodes.end()) {
            return;
        }
        m_build->showPart(GraphPart::Network);
        m_build->view(GraphPart::Network).openGroup(group->id);
        save(QStringLiteral("group-") + suffix);
        m_build->view(GraphPart::Network).leaveGroup();
        save(QStringLiteral("left-") + suffix);
    }

private:
    void save(const QString& name)
    {
        QElapsedTimer clock;
        clock.start();
        constexpr qint64 kMinimapRefresh = 450;
        while ((m_document.isChecking() && clock.elapsed() < kLongestCheck) || clock.elapsed() < kMinimapRefresh) {
            QApplication::processEvents(QEventLoop::AllEvents, 20);
        }
        const QString file = QDir(m_folder).filePath(name + QStringLiteral(".png"));
        if (!m_window.grab().save(file)) {
            qFatal("cannot write %s", qPrintable(file));
        }
    }

    QString m_folder;
    Theme m_theme;
    ProjectDocument m_document;
    Selection m_selection;
    QWidget m_window;
    BuildView* m_build;
    NodePalette* m_palette;
    InspectorPanel* m_inspector;
};

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 3) {
        qFatal("usage: canvas_pictures PROJECT FOLDER [WIDTH HEIGHT]");
    }
    const QSize size(arguments.value(3, QStringLiteral("1280")).toInt(), arguments.value(4, QStringLiteral("800")).toInt());
    QDir().mkpath(arguments[2]);
    Pictures pictures(arguments[1], arguments[2], size);
    for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
        const QString suffix = scheme == ColorScheme::Dark ? QStringLiteral("dark") : QStringLiteral("light");
        pictures.take(scheme, suffix);
        pictures.takeGroup(scheme, suffix);
        pictures.takeEditing(scheme, suffix);
        pictures.takeProblems(scheme, suffix);
    }
    return 0;
}
