// GUI thread. Everything that can be done on a canvas as actions, with their shortcuts and menus.
#pragma once

#include "engine/graph/graph_arrange.h"

#include <QObject>
#include <QList>

class QAction;
class QMenu;

namespace athanor {

class GraphView;
struct Edge;

/// The shortcuts work while the canvas has the focus. The menus are made anew each time and delete themselves.
class CanvasActions : public QObject {
    Q_OBJECT
public:
    explicit CanvasActions(GraphView& view); ///< owned by the view

    [[nodiscard]] QAction* action(const char* name) const; ///< by objectName ("copyAction"); nullptr when unknown
    /// For the window's Edit menu, in its order; a null action is a separator.
    [[nodiscard]] const QList<QAction*>& editActions() const { return m_order; }

    [[nodiscard]] QMenu* canvasMenu();
    [[nodiscard]] QMenu* nodeMenu();
    [[nodiscard]] QMenu* edgeMenu(const Edge& edge);
    [[nodiscard]] QMenu* commentMenu(const std::string& name);
    /// Enables what can be done with what is selected now.
    void refresh();

private:
    template <typename Run>
    QAction* add(const char* name, const QString& text, const QList<QKeySequence>& keys, Run run);
    void separate() { m_order << nullptr; }
    void makeEditing();
    void makeGrouping();
    void makeArranging();
    void makeViewing();
    void addTo(QMenu& menu, std::initializer_list<const char*> names) const;
    QMenu* newMenu();
    void addFixes(QMenu& menu);
    QMenu* arrangeMenu(QMenu* parent) const;

    GraphView& m_view;
    QList<QAction*> m_order;
};

} // namespace athanor
