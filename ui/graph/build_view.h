// GUI thread. The Build mode's main view: the data and the network canvas with their tools.
#pragma once

#include "engine/graph/graph_layout.h"
#include "ui/bridge/project_document.h"
#include "ui/graph/kind_shelf.h"

#include <QWidget>

#include <array>
#include <map>

class QAction;
class QHBoxLayout;
class QLabel;
class QSplitter;
class QTabBar;
class QToolButton;

namespace athanor {

class GraphScene;
class GraphView;
class GroupStore;
class NodePalette;
class Theme;

/// Two canvases as tabs, or side by side. The tools act on the canvas that is shown (side by side: the one
/// used last). Selecting a node anywhere brings its canvas to the front.
class BuildView : public QWidget {
    Q_OBJECT
public:
    /// All references are borrowed and outlive the view.
    BuildView(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent = nullptr);
    ~BuildView() override;

    [[nodiscard]] GraphView& view(GraphPart part) const { return *m_panes[index(part)].view; }
    [[nodiscard]] GraphPart activePart() const { return m_active; }
    void showPart(GraphPart part); ///< its tab to the front
    [[nodiscard]] bool isSideBySide() const { return m_sideBySide; }
    void setSideBySide(bool on);
    [[nodiscard]] KindShelf& shelf() { return m_shelf; }
    /// A palette that adds to the canvas that is shown, and offers its kinds. It goes before the view or with it.
    void usePalette(NodePalette& palette);
    /// The groups that can be placed; they outlive the view.
    void useGroups(GroupStore& store);
    /// What the window's Edit menu offers for the canvas that is shown; a null action is a separator.
    [[nodiscard]] QList<QAction*> editActions() const;
    /// Scrolls to a node and selects it.
    void showNode(GraphPart part, const NodeId& id);
    /// Newest gradient norm by network node, for the activity bars.
    void setActivity(const std::map<NodeId, double>& gradientNorms);

Q_SIGNALS:
    void openRequested();               ///< the button of an empty canvas
    void sideBySideChanged(bool on);
    void activePartChanged(athanor::GraphPart part);
    void fixRequested(const athanor::SuggestedFix& fix); ///< chosen from a node's menu

private:
    struct Pane {
        GraphScene* scene = nullptr;
        GraphView* view = nullptr;
        QWidget* widget = nullptr;
        QLabel* heading = nullptr; ///< side by side only
    };
    static std::size_t index(GraphPart part) { return part == GraphPart::Data ? 0 : 1; }
    void makePane(GraphPart part);
    QHBoxLayout* makeTools();
    QToolButton* addTool(QHBoxLayout* row, const char* name, const char* icon, const QString& toolTip);
    void setActive(GraphPart part);
    void followSelection();
    void toggleDirection();
    void arrange();
    void showHistory();
    void updateTools();
    void updateSummary();
    [[nodiscard]] NodeCheck shownSums() const;
    [[nodiscard]] GraphView& active() const { return view(m_active); }

    ProjectDocument& m_document;
    Selection& m_selection;
    const Theme& m_theme;
    KindShelf m_shelf;
    GroupStore* m_groups = nullptr;
    std::array<Pane, 2> m_panes;
    GraphPart m_active = GraphPart::Network;
    bool m_sideBySide = false;
    QTabBar* m_tabs = nullptr;
    QSplitter* m_splitter = nullptr;
    QToolButton* m_sideButton = nullptr;
    QToolButton* m_directionButton = nullptr;
    QToolButton* m_zoomButton = nullptr;
    QToolButton* m_historyButton = nullptr;
    QLabel* m_summary = nullptr;
};

} // namespace athanor
