// GUI thread. A titled part of a panel that can be folded away.
#pragma once

#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace athanor {

class Theme;

enum class Fold { Open, Closed };

class FoldSection : public QWidget {
    Q_OBJECT
public:
    /// `name` is the objectName; its button is called `<name>Button`.
    FoldSection(const QString& name, const QString& title, Fold fold, const Theme& theme, QWidget* parent);
    void add(QWidget* widget); ///< below what is there
    void setOpen(bool open);
    [[nodiscard]] bool isOpen() const { return m_open; }

private:
    const Theme& m_theme;
    QToolButton* m_button;
    QWidget* m_content;
    QVBoxLayout* m_column;
    bool m_open = false;
};

} // namespace athanor
