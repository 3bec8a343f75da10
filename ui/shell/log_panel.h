// GUI thread. The Log tab: key events or all detail, filter, copy, follows the newest line.
#pragma once

#include "ui/bridge/log_model.h"

#include <QWidget>

class QLineEdit;
class QToolButton;
class QTreeView;

namespace athanor {

class Theme;

class LogPanel : public QWidget {
    Q_OBJECT
public:
    LogPanel(Theme& theme, LogModel& model, QWidget* parent = nullptr);

    [[nodiscard]] QString selectedText() const; ///< whole lines: time, tab, text
    void copySelected() const;

Q_SIGNALS:
    void placeActivated(const QString& where); ///< a line that speaks of a place was double-clicked

private:
    void makeToolRow(Theme& theme);
    void makeView(Theme& theme);
    [[nodiscard]] bool isAtEnd() const;

    LogFilter m_filter;
    QToolButton* m_detail = nullptr;
    QToolButton* m_follow = nullptr;
    QToolButton* m_copy = nullptr;
    QLineEdit* m_search = nullptr;
    QTreeView* m_view = nullptr;
    bool m_wasAtEnd = true;
};

} // namespace athanor
