// GUI thread. A text edited where it stands on the canvas: a node's name, a comment.
#pragma once

#include <QPlainTextEdit>

#include <functional>

namespace athanor {

/// A name is one line, and Enter takes it over; a comment may have many, and Ctrl+Enter takes it over. Losing the
/// focus takes it over too, Escape gives up.
class InlineEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    enum class Lines { One, Many };
    /// False: the text was refused, and the editor stays open.
    using Commit = std::function<bool(const QString&)>;

    explicit InlineEditor(QWidget* parent);
    /// `rect` in the parent's px.
    void open(const QRect& rect, const QString& text, Lines lines, Commit commit);
    void close();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    void commit();
    Lines m_lines = Lines::One;
    Commit m_commit;
};

} // namespace athanor
