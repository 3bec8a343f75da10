#include "ui/graph/many_page.h"

#include "ui/graph/node_text.h"
#include "ui/graph/param_form.h"
#include "ui/graph/problem_list.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

bool sameEditor(const ParamSpec& a, const ParamSpec& b)
{
    return a.type == b.type && a.choices == b.choices && a.listSize == b.listSize && a.allowsNull == b.allowsNull;
}

/// The narrower of two ranges, so that what is entered fits every node; the default only where it is the same.
ParamSpec joined(ParamSpec a, const ParamSpec& b)
{
    if (b.minimum && (!a.minimum || *b.minimum > *a.minimum)) {
        a.minimum = b.minimum;
        a.minimumExcluded = b.minimumExcluded;
    }
    if (b.maximum && (!a.maximum || *b.maximum < *a.maximum)) {
        a.maximum = b.maximum;
        a.maximumExcluded = b.maximumExcluded;
    }
    a.required = a.required || b.required;
    a.inferred = a.inferred && b.inferred;
    if (a.standard != b.standard) {
        a.standard = nullptr;
    }
    return a;
}

std::vector<ParamSpec> commonOf(const std::vector<ParamSpec>& specs, const NodeKind& kind)
{
    std::vector<ParamSpec> both;
    for (const ParamSpec& spec : specs) {
        const ParamSpec* other = kind.param(spec.name);
        if (other && sameEditor(spec, *other)) {
            both.push_back(joined(spec, *other));
        }
    }
    return both;
}

QString listed(const std::set<NodeId>& nodes)
{
    constexpr int kNamed = 12;
    QStringList names;
    for (const NodeId& id : nodes) {
        if (names.size() == kNamed) {
            names << QStringLiteral("…");
            break;
        }
        names << QString::fromStdString(id);
    }
    return names.join(QStringLiteral(", "));
}

QLabel* makeLabel(const char* name, const char* look, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QString::fromLatin1(name));
    label->setProperty("look", QString::fromLatin1(look));
    label->setWordWrap(true);
    return label;
}

} // namespace

ManyPage::ManyPage(ProjectDocument& document, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(document), m_theme(theme), m_column(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("manyPage"));
    m_column->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    m_column->setSpacing(spacing::kBetween);
    m_title = makeLabel("manyTitle", "title", this);
    m_names = makeLabel("manyText", "muted", this);
    m_failure = new ProblemList(theme, this);
    m_failure->setObjectName(QStringLiteral("manyFailure"));
    m_nothing = makeLabel("nothingInCommon", "muted", this);
    m_nothing->setText(tr("They have no parameter in common. Select one to change its parameters."));
    m_resetAll = new QPushButton(tr("Reset all of these"), this);
    m_resetAll->setObjectName(QStringLiteral("resetAllNodes"));
    m_resetAll->setProperty("look", QStringLiteral("link"));
    connect(m_resetAll, &QPushButton::clicked, this, &ManyPage::resetAll);
    m_column->addWidget(m_title);
    m_column->addWidget(m_names);
    m_column->addWidget(m_failure);
    m_column->addWidget(m_nothing);
    m_column->addWidget(m_resetAll, 0, Qt::AlignLeft);
    m_column->addStretch(1);
}

void ManyPage::showNodes(GraphPart part, const std::set<NodeId>& nodes)
{
    if (part != m_part || nodes != m_ids) {
        m_kinds.clear(); // half-typed values of other nodes must not stay
        m_failure->show({});
    }
    m_part = part;
    m_ids = nodes;
    m_title->setText(tr("%1 nodes").arg(nodes.size()));
    m_names->setText(listed(nodes));
    refresh();
}

std::vector<ParamSpec> ManyPage::commonSpecs() const
{
    std::vector<ParamSpec> common;
    bool isFirst = true;
    for (const NodeId& id : m_ids) {
        const Node* node = m_document.graph(m_part).find(id);
        const NodeKind* kind = node ? catalogOf(m_part).find(node->kind) : nullptr;
        if (!kind) {
            return {};
        }
        common = isFirst ? kind->params : commonOf(common, *kind);
        isFirst = false;
    }
    return common;
}

void ManyPage::makeForm(std::vector<ParamSpec> specs)
{
    delete m_form;
    m_nothing->setVisible(specs.empty());
    m_form = new ParamForm(std::move(specs), m_theme, m_document.project().folder(), this);
    m_form->setObjectName(QStringLiteral("manyForm"));
    m_column->insertWidget(m_column->indexOf(m_nothing), m_form);
    connect(m_form, &ParamForm::edited, this, &ManyPage::setParameter);
    connect(m_form, &ParamForm::editingEnded, this, [this] { m_document.endMerge(); });
}

void ManyPage::refresh()
{
    std::vector<std::string> kinds;
    for (const NodeId& id : m_ids) {
        const Node* node = m_document.graph(m_part).find(id);
        if (!node) {
            return; // on its way out of the selection
        }
        kinds.push_back(node->kind);
    }
    const std::vector<ParamSpec> specs = commonSpecs();
    if (!m_form || kinds != m_kinds) {
        makeForm(specs);
        m_kinds = std::move(kinds);
    }
    showValues(specs);
    m_resetAll->setVisible(!m_form->resettable().empty());
}

/// What is written, else what follows from the input or is the default.
Json ManyPage::valueOf(const NodeId& id, const ParamSpec& spec) const
{
    const Json& params = m_document.graph(m_part).find(id)->params;
    const auto& checks = m_document.shownNodes();
    const auto known = checks.find(id);
    const bool isKnown = m_part == GraphPart::Network && known != checks.end();
    return params.value(spec.name, isKnown ? known->second.params.value(spec.name, spec.standard) : spec.standard);
}

void ManyPage::showValues(const std::vector<ParamSpec>& specs)
{
    std::set<std::string> mixed;
    Json written = Json::object();
    Json complete = Json::object();
    for (const ParamSpec& spec : specs) {
        const Json first = valueOf(*m_ids.begin(), spec);
        bool isWritten = false;
        for (const NodeId& id : m_ids) {
            isWritten = isWritten || m_document.graph(m_part).find(id)->params.contains(spec.name);
            if (valueOf(id, spec) != first) {
                mixed.insert(spec.name);
            }
        }
        if (spec.inferred && !isWritten) {
            mixed.erase(spec.name); // each follows from its own input
            complete[spec.name] = Json();
            continue;
        }
        if (isWritten && !mixed.contains(spec.name)) {
            written[spec.name] = first;
        }
        complete[spec.name] = first;
    }
    m_form->setMixed(std::move(mixed));
    m_form->showValues(written, complete);
}

void ManyPage::push(edit::Sequence edits, const QString& text, const QString& mergeKey)
{
    const Status done = m_document.push(m_part, GraphEdit{std::move(edits)}, text, mergeKey);
    m_failure->show(done ? std::vector<Problem>()
                         : std::vector<Problem>{{done.error().where, Severity::Error, done.error().message, done.error().hint}});
}

void ManyPage::setParameter(const ParamEdit& edit)
{
    edit::Sequence edits;
    for (const NodeId& id : m_ids) {
        edits.edits.push_back(GraphEdit{edit::SetParameter{id, edit.name, edit.written()}});
    }
    const QString name = QString::fromStdString(edit.name);
    push(std::move(edits), tr("Set %1 of %2 nodes").arg(name).arg(m_ids.size()), QStringLiteral("many/") + name);
}

void ManyPage::resetAll()
{
    edit::Sequence edits;
    for (const NodeId& id : m_ids) {
        for (const std::string& name : m_form->resettable()) {
            edits.edits.push_back(GraphEdit{edit::SetParameter{id, name, std::nullopt}});
        }
    }
    m_document.endMerge();
    push(std::move(edits), tr("Reset %1 nodes").arg(m_ids.size()));
}

} // namespace athanor
