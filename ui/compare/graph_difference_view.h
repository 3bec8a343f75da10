// GUI thread. Two graphs drawn as one: what was added, removed, changed and renamed.
#pragma once

#include "engine/compare/comparison.h"
#include "ui/bridge/project_document.h"

#include <QGraphicsView>
#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QListWidget;
class QSplitter;

namespace athanor {

class GraphScene;
class Theme;

/// A canvas to look at: drag to move, wheel to zoom, nothing can be edited.
class DifferenceCanvas : public QGraphicsView {
    Q_OBJECT
public:
    explicit DifferenceCanvas(QWidget* parent = nullptr);
    void fit();

protected:
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool m_isFitted = true; ///< until the user zooms
};

class GraphDifferenceView : public QWidget {
    Q_OBJECT
public:
    /// The theme outlives the view.
    GraphDifferenceView(GraphPart part, Theme& theme, QWidget* parent = nullptr);
    ~GraphDifferenceView() override;

    void show(std::shared_ptr<const Comparison> comparison);
    [[nodiscard]] const GraphDifference& difference() const { return m_difference; }
    [[nodiscard]] DifferenceCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] QListWidget* list() const { return m_list; }

private:
    void compare();
    void draw(const MergedGraph& merged);
    void addOverlays(const MergedGraph& merged);
    void fillList();
    void goTo(int row);
    [[nodiscard]] const Graph& graphOf(const Project& project) const;

    GraphPart m_part;
    Theme& m_theme;
    std::shared_ptr<const Comparison> m_comparison;
    GraphDifference m_difference;
    MergedGraph m_merged;
    QComboBox* m_before;
    QComboBox* m_after;
    QLabel* m_summary;
    QListWidget* m_list;
    DifferenceCanvas* m_canvas;
    QSplitter* m_splitter;
    std::unique_ptr<ProjectDocument> m_document; ///< of the merged graph
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<GraphScene> m_scene;
};

} // namespace athanor
