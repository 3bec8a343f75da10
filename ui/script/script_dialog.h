// GUI thread. The window in which a script node is written.
#pragma once

#include "ui/script/script_draft.h"

#include <QDialog>

class QLabel;
class QListWidget;
class QPushButton;

namespace athanor {

class DeclarationsPanel;
class ScriptChecker;
class ScriptEditor;
class Theme;
struct ScriptReport;
struct SourceProblem;

/// Source on the left; ports as they are while typing, declarations and help on the right; mistakes below. Apply
/// (Ctrl+Enter) hands the draft over, with mistakes too: a project may pass through broken states. Escape asks when
/// something was changed.
class ScriptDialog : public QDialog {
    Q_OBJECT
public:
    ScriptDialog(const QString& node, ScriptDraft draft, ScriptInputs inputs, const Theme& theme,
                 QWidget* parent);
    ~ScriptDialog() override;

    [[nodiscard]] const ScriptDraft& draft() const { return m_draft; }
    [[nodiscard]] bool isChanged() const { return !(m_draft == m_first); }
    [[nodiscard]] bool isChecking() const;

    void reject() override;

private:
    QWidget* makeSide();
    QWidget* makeBottom();
    void useTemplate(const ScriptDraft& draft);
    void showDraft();
    void collect(); ///< the draft from what the widgets show
    void changed();
    void showPorts(const ScriptReport* report);
    void showReport(const ScriptReport& report);
    void jumpTo(int row);
    void showCursor();

    ScriptDraft m_first;
    ScriptDraft m_draft;
    ScriptInputs m_inputs;
    const Theme& m_theme;
    ScriptEditor* m_editor = nullptr;
    DeclarationsPanel* m_declarations = nullptr;
    QLabel* m_ports = nullptr;
    QListWidget* m_problems = nullptr;
    QLabel* m_state = nullptr;
    QLabel* m_cursor = nullptr;
    QPushButton* m_apply = nullptr;
    ScriptChecker* m_checker = nullptr;
    std::vector<SourceProblem> m_shown; ///< as listed
};

} // namespace athanor
