// GUI thread. What is selected, in detail: a node's parameters, or the training settings when nothing is.
#pragma once

#include "ui/bridge/project_document.h"

#include <QWidget>

class QLabel;
class QScrollArea;
class QStackedWidget;

namespace athanor {

class ManyPage;
class NodePage;
class Theme;
class TrainingPage;

/// Generated from the catalogs; every edit goes through the document, one undo step each (turning a spin box
/// is one step until the focus leaves it).
class InspectorPanel : public QWidget {
    Q_OBJECT
public:
    /// All references are borrowed and outlive the panel.
    InspectorPanel(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent = nullptr);

    /// While a run is on, live settings carry a lightning, and a bar says so when something else was changed
    /// since its start.
    void setRunActive(bool active);
    /// Brings the editor of a place such as `network/conv1/kernel_size` or `training/optimizer/lr` into view,
    /// with the focus.
    void showPlace(const QString& where);

Q_SIGNALS:
    /// A live setting was changed while a run is on: `training.optimizer.lr` and its new value.
    void liveSettingChanged(const QString& path, const athanor::Json& value);
    /// The button of a fix was clicked.
    void fixRequested(const athanor::SuggestedFix& fix);

private:
    void makePages(ProjectDocument& document, Selection& selection);
    void showSelection();
    void followChange();
    void updateBar();
    [[nodiscard]] std::string structure() const;

    ProjectDocument& m_document;
    Selection& m_selection;
    const Theme& m_theme;
    QWidget* m_bar = nullptr;
    QStackedWidget* m_pages = nullptr;
    NodePage* m_nodePage = nullptr;
    ManyPage* m_manyPage = nullptr;
    QLabel* m_emptyText = nullptr;
    TrainingPage* m_trainingPage = nullptr;
    bool m_runActive = false;
    std::string m_runStructure; ///< what the run trains, as structure() said at its start
};

} // namespace athanor
