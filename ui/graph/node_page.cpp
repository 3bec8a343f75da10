#include "ui/graph/node_page.h"

#include "engine/graph/resolved_kind.h"
#include "ui/bridge/text_format.h"
#include "ui/graph/fold_section.h"
#include "ui/graph/node_text.h"
#include "ui/graph/param_form.h"
#include "ui/graph/problem_list.h"
#include "ui/graph/script_editing.h"
#include "ui/theme/theme.h"

#include <QFontMetrics>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

QLabel* makeLabel(const char* name, const char* look, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QString::fromLatin1(name));
    label->setProperty("look", QString::fromLatin1(look));
    label->setWordWrap(true);
    return label;
}

/// The catalog gives what a problem message starts with in lower case; on a line of its own it is a sentence.
QString sentence(const Error& error)
{
    QString text = QString::fromStdString(error.hint.empty() ? error.message : error.message + "; " + error.hint);
    if (!text.isEmpty()) {
        text[0] = text[0].toUpper();
    }
    return text;
}

} // namespace

NodePage::NodePage(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_theme(theme), m_column(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("nodePage"));
    m_column->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    m_column->setSpacing(spacing::kBetween);
    makeHeader();
    m_problems = new ProblemList(theme, this);
    m_problems->setObjectName(QStringLiteral("nodeProblems"));
    connect(m_problems, &ProblemList::fixRequested, this, &NodePage::fixRequested);
    m_column->addWidget(m_problems);
    m_noParams = makeLabel("noParameters", "muted", this);
    m_noParams->setText(tr("This kind has no parameters."));
    m_column->addWidget(m_noParams);
    m_resetAll = new QPushButton(tr("Reset all parameters"), this);
    m_resetAll->setObjectName(QStringLiteral("resetAll"));
    m_resetAll->setProperty("look", QStringLiteral("link"));
    m_resetAll->setToolTip(tr("Back to the defaults, and what follows from the input; needed values stay."));
    connect(m_resetAll, &QPushButton::clicked, this, &NodePage::resetAll);
    m_column->addWidget(m_resetAll, 0, Qt::AlignLeft);
    auto* output = new FoldSection(QStringLiteral("outputSection"), tr("Output"), Fold::Open, theme, this);
    m_outputs = makeLabel("outputs", "", output);
    m_outputs->setTextFormat(Qt::RichText);
    m_outputs->setTextInteractionFlags(Qt::TextSelectableByMouse);
    output->add(m_outputs);
    m_column->addWidget(output);
    m_help = new FoldSection(QStringLiteral("helpSection"), tr("About this kind"), Fold::Closed, theme, this);
    m_helpText = makeLabel("helpText", "", m_help);
    m_helpText->setTextFormat(Qt::MarkdownText);
    m_helpText->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_helpText->setOpenExternalLinks(true);
    m_help->add(m_helpText);
    m_column->addWidget(m_help);
    m_column->addStretch(1);
    // Made once for all the nodes that are looked at, until the next check.
    connect(&document, &ProjectDocument::loaded, this, [this] { m_summary.reset(); });
    connect(&document, &ProjectDocument::checked, this, [this] { m_summary.reset(); });
}

void NodePage::makeHeader()
{
    m_name = new QLineEdit(this);
    m_name->setObjectName(QStringLiteral("nodeName"));
    m_name->setAccessibleName(tr("Name of the node"));
    m_name->setToolTip(tr("Name: letters, digits and _, unique in its graph. Enter renames the node everywhere."));
    m_name->setFont(m_theme.font(FontRole::Title));
    m_nameError = makeLabel("nameError", "", this);
    m_nameError->setForegroundRole(QPalette::BrightText); // the palette's colour for what is wrong
    m_nameError->hide();
    m_kind = makeLabel("nodeKind", "muted", this);
    m_column->addWidget(m_name);
    m_column->addWidget(m_nameError);
    m_column->addWidget(m_kind);
    connect(m_name, &QLineEdit::editingFinished, this, &NodePage::rename);
}

const Node* NodePage::node() const
{
    return m_document.graph(m_part).find(m_id);
}

void NodePage::showNode(GraphPart part, const NodeId& id)
{
    if (part != m_part || id != m_id) {
        m_formKind.clear(); // another node: half-typed values of the one before must not stay
    }
    m_part = part;
    m_id = id;
    m_name->setModified(false); // a name that was refused belongs to the node before
    refresh();
    refreshCheck();
}

void NodePage::refresh()
{
    const Node* shown = node();
    if (!shown) {
        return;
    }
    if (!m_form || m_formKind != shown->kind) {
        makeForm(*shown);
    }
    if (!m_name->hasFocus() || !m_name->isModified()) {
        m_name->setText(QString::fromStdString(m_id));
        m_name->setCursorPosition(0); // a long name is shown from its beginning
        fitName();
        m_nameError->hide();
    }
    const auto& checks = m_document.shownNodes();
    const auto known = checks.find(m_id);
    const bool hasCheck = m_part == GraphPart::Network && known != checks.end();
    m_form->showValues(shown->params, hasCheck ? known->second.params : Json::object());
    m_resetAll->setVisible(!m_form->resettable().empty());
}

/// A name that does not fit in the large type gets the usual one.
void NodePage::fitName()
{
    constexpr int kFrame = 20; // padding and border, px
    const QFont title = m_theme.font(FontRole::Title);
    const bool fits = QFontMetrics(title).horizontalAdvance(m_name->text()) + kFrame <= m_name->width();
    m_name->setFont(fits ? title : m_theme.font(FontRole::Body));
}

void NodePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitName();
}

void NodePage::makeForm(const Node& shown)
{
    const NodeKind* kind = catalogOf(m_part).find(shown.kind);
    delete m_form;
    m_form = new ParamForm(kind ? kind->params : std::vector<ParamSpec>(), m_theme, m_document.project().folder(), this);
    m_form->setObjectName(QStringLiteral("paramForm"));
    m_form->setRunActive(m_runActive);
    m_formKind = shown.kind;
    m_column->insertWidget(m_column->indexOf(m_noParams), m_form);
    m_noParams->setVisible(kind && kind->params.empty() && shown.params.empty());
    connect(m_form, &ParamForm::edited, this, &NodePage::setParameter);
    connect(m_form, &ParamForm::editingEnded, this, [this] { m_document.endMerge(); });
    connect(m_form, &ParamForm::detailsRequested, this, [this] { editSource(m_document, m_part, m_id, m_theme, window()); });
    connect(m_form, &ParamForm::fixRequested, this, &NodePage::fixRequested);

    const QString name = QString::fromStdString(shown.kind);
    const QString title = kind ? QString::fromStdString(kind->title) : QString();
    m_kind->setText(title == name ? name
                    : kind        ? title + QStringLiteral(" · ") + name
                                  : tr("%1 – a kind that is not known here; its parameters are kept as they are").arg(name));
    m_helpText->setText(kind ? QString::fromStdString(kind->help) : QString());
    m_help->setVisible(kind && !kind->help.empty());
}

void NodePage::refreshCheck()
{
    const Node* shown = node();
    if (!shown) {
        return;
    }
    refresh();
    const auto all = problemsByNode(m_document.shownProblems(), m_part, m_document.graph(m_part));
    const auto own = all.find(m_id);
    std::vector<Problem> problems;
    if (own != all.end()) {
        for (const NodeProblem& entry : own->second) {
            problems.push_back(entry.problem);
        }
    }
    m_problems->show(problems);
    m_form->showProblems(own == all.end() ? std::vector<NodeProblem>() : own->second);
    showOutputs();
}

void NodePage::showOutputs()
{
    const auto& checks = m_document.shownNodes();
    const auto known = checks.find(m_id);
    QWidget* section = m_outputs->parentWidget()->parentWidget();
    section->setVisible(m_part == GraphPart::Network);
    if (m_part != GraphPart::Network) {
        return;
    }
    if (known == checks.end()) {
        m_outputs->setText(m_document.isChecking() ? tr("Being checked…") : tr("Unknown"));
        return;
    }
    const QStringList rows = facts(known->second);
    section->setVisible(!rows.isEmpty());
    m_outputs->setText(QStringLiteral("<table>") + rows.join(QString()) + QStringLiteral("</table>"));
}

QStringList NodePage::facts(const NodeCheck& check)
{
    const Graph& graph = m_document.graph(m_part);
    const KindPtr kind = resolveKind(graph, *node(), catalogOf(m_part));
    QStringList rows;
    const auto addRow = [&](const QString& name, const QString& value) {
        rows << QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>").arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    };
    for (std::size_t i = 0; i < check.outputs.size(); ++i) {
        const bool named = kind && i < kind->outputs.size();
        addRow(named ? QString::fromStdString(kind->outputs[i].name) : tr("output"), typeText(check.outputs[i]));
    }
    if (check.parameters > 0) {
        addRow(tr("parameters"), countText(check.parameters));
    }
    if (check.macs > 0) {
        addRow(tr("MACs per sample"), countText(check.macs));
    }
    if (!m_summary) {
        m_summary = summarize(m_document.wholeGraph(m_part), m_document.check().network,
                              batchSizeOf(m_document.graph(GraphPart::Data)));
    }
    for (const SummaryRow& row : m_summary->rows) {
        if (row.node != m_document.place().prefix + m_id) {
            continue;
        }
        if (row.field) {
            addRow(tr("receptive field"), QString::fromStdString(row.fieldText()));
        }
        if (row.bytes && *row.bytes > 0) {
            addRow(tr("kept at batch %1").arg(m_summary->batch), QString::fromStdString(bytesText(*row.bytes)));
        }
    }
    return rows;
}

void NodePage::rename()
{
    const std::string wish = m_name->text().trimmed().toStdString();
    if (wish == m_id || !node()) {
        m_nameError->hide();
        m_name->setModified(false);
        return;
    }
    const GraphPart part = m_part;
    m_document.endMerge();
    const Status done = m_document.push(part, GraphEdit{edit::Rename{m_id, wish}},
                                        tr("Rename %1 to %2").arg(QString::fromStdString(m_id), QString::fromStdString(wish)));
    m_nameError->setVisible(!done.ok());
    if (!done) {
        m_nameError->setText(sentence(done.error()));
        return;
    }
    m_name->setModified(false);
}

void NodePage::setParameter(const ParamEdit& edit)
{
    const QString name = QString::fromStdString(edit.name);
    const QString id = QString::fromStdString(m_id);
    const GraphEdit change{edit::SetParameter{m_id, edit.name, edit.written()}};
    const Status done = m_document.push(m_part, change, tr("Set %1 of %2").arg(name, id), id + u'/' + name);
    if (!done) {
        m_problems->show({Problem{done.error().where, Severity::Error, done.error().message, done.error().hint}});
        return;
    }
    if (m_runActive && (m_part == GraphPart::Data || m_document.place().path.empty())) {
        tellRun(edit);
    }
}

/// Inside of a group a value stands for all of its instances, which the run that is on knows by other names.
void NodePage::tellRun(const ParamEdit& edit)
{
    const Node* shown = node();
    const NodeKind* kind = shown ? catalogOf(m_part).find(shown->kind) : nullptr;
    const ParamSpec* spec = kind ? kind->param(edit.name) : nullptr;
    if (spec && spec->live) {
        const std::string part = m_part == GraphPart::Data ? "data." : "network.";
        Q_EMIT liveSettingChanged(QString::fromStdString(part + m_id + "." + edit.name), edit.reset ? spec->standard : edit.value);
    }
}

void NodePage::resetAll()
{
    edit::Sequence reset;
    for (const std::string& name : m_form->resettable()) {
        reset.edits.push_back(GraphEdit{edit::SetParameter{m_id, name, std::nullopt}});
    }
    m_document.endMerge();
    const Status done = m_document.push(m_part, GraphEdit{std::move(reset)}, tr("Reset %1").arg(QString::fromStdString(m_id)));
    if (!done) {
        m_problems->show({Problem{done.error().where, Severity::Error, done.error().message, done.error().hint}});
    }
}

void NodePage::focusParameter(const QString& name)
{
    auto* editor = m_form ? m_form->findChild<QWidget*>(QStringLiteral("edit_") + name) : nullptr;
    (editor ? editor : m_name)->setFocus(Qt::OtherFocusReason);
}

void NodePage::setRunActive(bool active)
{
    m_runActive = active;
    if (m_form) {
        m_form->setRunActive(active);
    }
}

} // namespace athanor
