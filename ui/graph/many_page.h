// GUI thread. The inspector's page for several selected nodes: what they have in common, edited at once.
#pragma once

#include "ui/bridge/project_document.h"

#include <QWidget>

#include <set>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace athanor {

class ParamForm;
class ProblemList;
class Theme;
struct ParamEdit;

/// Parameters that all the nodes have, with the same type and choices. A value that differs from node to node is
/// shown as such; what is entered goes to all of them, as one undo step.
class ManyPage : public QWidget {
    Q_OBJECT
public:
    ManyPage(ProjectDocument& document, const Theme& theme, QWidget* parent);

    void showNodes(GraphPart part, const std::set<NodeId>& nodes);
    void refresh(); ///< after an edit or a check

private:
    void makeForm(std::vector<ParamSpec> specs);
    void showValues(const std::vector<ParamSpec>& specs);
    void setParameter(const ParamEdit& edit);
    void resetAll();
    void push(edit::Sequence edits, const QString& text, const QString& mergeKey = {});
    [[nodiscard]] std::vector<ParamSpec> commonSpecs() const;
    [[nodiscard]] Json valueOf(const NodeId& id, const ParamSpec& spec) const;

    ProjectDocument& m_document;
    const Theme& m_theme;
    GraphPart m_part = GraphPart::Network;
    std::set<NodeId> m_ids;
    std::vector<std::string> m_kinds; ///< that the form was made for
    QVBoxLayout* m_column = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_names = nullptr;
    QLabel* m_nothing = nullptr;
    ProblemList* m_failure = nullptr;
    ParamForm* m_form = nullptr;
    QPushButton* m_resetAll = nullptr;
};

} // namespace athanor
