// GUI thread. An editor for a script's source: highlighting, completion, call tips, marks at mistakes.
#pragma once

#include "engine/graph/script_signature.h"
#include "ui/script/script_completion.h"

#include <QWidget>

#include <memory>
#include <vector>

class QsciLexerPython;
class QsciScintilla;

namespace athanor {

class Theme;

class ScriptEditor : public QWidget {
    Q_OBJECT
public:
    ScriptEditor(const Theme& theme, QWidget* parent);
    ~ScriptEditor() override;

    [[nodiscard]] QString text() const;
    void setText(const QString& text); ///< a new text: nothing to undo, and textChanged() is not sent
    /// A change like a person's: it can be undone.
    void replaceText(const QString& text);
    void setNames(ScriptNames names) { m_names = std::move(names); }
    /// Underlines the places and marks their lines; hovering over one shows its message.
    void setProblems(std::vector<SourceProblem> problems);
    void goTo(const SourcePlace& place); ///< puts the cursor there and takes the focus
    [[nodiscard]] SourcePlace cursor() const;
    [[nodiscard]] bool isCompleting() const; ///< its list of names is open

Q_SIGNALS:
    void textChanged();
    void cursorMoved();
    void applyRequested();  ///< Ctrl+Enter
    void cancelRequested(); ///< Escape, with no list open

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void configure();
    void restyle();
    void styleLexer();
    void charAdded(int sign);
    void offer(bool asked);
    void showCallTip();
    void placeMarks();
    void showTip(const QPoint& position);
    [[nodiscard]] QString textBeforeCursor() const;

    const Theme& m_theme;
    QsciScintilla* m_text;
    QsciLexerPython* m_lexer;
    ScriptNames m_names;
    std::vector<SourceProblem> m_problems;
    bool m_isLoading = false;
};

} // namespace athanor
