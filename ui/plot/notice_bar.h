// GUI thread. A bar that says what happened, where, and what to try, in place of a message box.
#pragma once

#include "engine/base/result.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QToolButton;

namespace athanor {

class Theme;

class NoticeBar : public QFrame {
    Q_OBJECT
public:
    enum class Level { Note, Warning, Error };
    explicit NoticeBar(Theme& theme, QWidget* parent = nullptr);

    void showError(const Error& error);
    void showNotice(Level level, const QString& message, const QString& hint = {});
    void dismiss();

Q_SIGNALS:
    void placeActivated(const QString& where); ///< the link to where it happened

private:
    void setLevel(Level level);

    Theme& m_theme;
    QString m_where;
    QLabel* m_icon;
    QLabel* m_message;
    QLabel* m_hint;
    QPushButton* m_place;
    QPushButton* m_detailsButton;
    QLabel* m_details;
    QToolButton* m_close;
};

} // namespace athanor
