#include "ui/graph/inline_editor.h"

#include <QKeyEvent>

#include <utility>

namespace athanor {

InlineEditor::InlineEditor(QWidget* parent) : QPlainTextEdit(parent)
{
    setObjectName(QStringLiteral("inlineEditor"));
    setTabChangesFocus(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    hide();
}

void InlineEditor::open(const QRect& rect, const QString& text, Lines lines, Commit commit)
{
    m_lines = lines;
    m_commit = std::move(commit);
    setAccessibleName(lines == Lines::One ? tr("Name of the node") : tr("Text of the comment"));
    setVerticalScrollBarPolicy(lines == Lines::One ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    setLineWrapMode(lines == Lines::One ? NoWrap : WidgetWidth);
    document()->setDocumentMargin(lines == Lines::One ? 2 : 4);
    setGeometry(rect);
    setPlainText(text);
    selectAll();
    show();
    raise();
    setFocus(Qt::OtherFocusReason);
}

void InlineEditor::close()
{
    m_commit = nullptr;
    // The focus goes first: a hidden child hands it on like Tab does, which on a canvas selects the next node.
    if (hasFocus()) {
        parentWidget()->setFocus(Qt::OtherFocusReason);
    }
    hide();
}

void InlineEditor::commit()
{
    const QString text = m_lines == Lines::One ? toPlainText().trimmed() : toPlainText();
    if (m_commit && m_commit(text)) {
        close();
    }
}

bool InlineEditor::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept(); // no shortcut of the window while a text is edited
        return true;
    }
    return QPlainTextEdit::event(event);
}

void InlineEditor::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape) {
        close();
    } else if (enter && (m_lines == Lines::One || event->modifiers().testFlag(Qt::ControlModifier))) {
        commit();
    } else {
        QPlainTextEdit::keyPressEvent(event);
    }
}

void InlineEditor::focusOutEvent(QFocusEvent* event)
{
    QPlainTextEdit::focusOutEvent(event);
    if (isVisible() && event->reason() != Qt::PopupFocusReason) {
        commit();
        close();
    }
}

} // namespace athanor
