// GUI thread. The way into the groups that are open, above the canvas: each step leads back to it.
#pragma once

#include "ui/bridge/project_document.h"

#include <QWidget>

class QHBoxLayout;

namespace athanor {

class Theme;

/// "Network › stage1 (Stage) › block2 (Block)". Hidden while no group is open. A group that repeats has a box that
/// chooses the copy whose shapes are shown.
class GroupBar : public QWidget {
    Q_OBJECT
public:
    /// Both references outlive the bar.
    GroupBar(ProjectDocument& document, const Theme& theme, QWidget* parent = nullptr);

private:
    void refresh();
    void addStep(const QString& text, std::size_t depth);
    void addCopyChoice();

    ProjectDocument& m_document;
    const Theme& m_theme;
    QHBoxLayout* m_row = nullptr;
};

} // namespace athanor
