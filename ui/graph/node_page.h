// GUI thread. The inspector's page for one selected node.
#pragma once

#include "engine/graph/network_summary.h"
#include "ui/bridge/project_document.h"

#include <QWidget>

#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace athanor {

class FoldSection;
class ParamForm;
class ProblemList;
class Theme;
struct ParamEdit;

/// Name, what the kind does, its parameters, what comes out of it, what is wrong with it. Made anew for
/// another node or kind, refreshed in place for another value.
class NodePage : public QWidget {
    Q_OBJECT
public:
    NodePage(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent);

    void showNode(GraphPart part, const NodeId& id);
    void refresh();      ///< after an edit
    void refreshCheck(); ///< after a check
    void setRunActive(bool active);
    /// Gives the focus to a parameter's editor, to the name without one.
    void focusParameter(const QString& name);

Q_SIGNALS:
    void fixRequested(const athanor::SuggestedFix& fix);
    /// A value that a run which is on takes at once, by its path in the project.
    void liveSettingChanged(const QString& path, const athanor::Json& value);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeHeader();
    void fitName();
    void makeForm(const Node& node);
    void rename();
    void setParameter(const ParamEdit& edit);
    void tellRun(const ParamEdit& edit);
    [[nodiscard]] const Node* node() const;
    void resetAll();
    void showOutputs();
    [[nodiscard]] QStringList facts(const NodeCheck& check);

    ProjectDocument& m_document;
    Selection& m_selection;
    const Theme& m_theme;
    GraphPart m_part = GraphPart::Network;
    NodeId m_id;
    std::string m_formKind; ///< kind that the form was made for
    bool m_runActive = false;
    QVBoxLayout* m_column = nullptr;
    QLineEdit* m_name = nullptr;
    QLabel* m_nameError = nullptr;
    QLabel* m_kind = nullptr;
    ProblemList* m_problems = nullptr;
    FoldSection* m_help = nullptr;
    QLabel* m_helpText = nullptr;
    ParamForm* m_form = nullptr;
    QLabel* m_noParams = nullptr;
    QPushButton* m_resetAll = nullptr;
    QLabel* m_outputs = nullptr;
    std::optional<NetworkSummary> m_summary; ///< of the newest check
};

} // namespace athanor
