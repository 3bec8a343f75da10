#include "ui/script/script_dialog.h"

#include "engine/graph/script_spec.h"
#include "ui/bridge/text_format.h"
#include "ui/script/declarations_panel.h"
#include "ui/script/script_checker.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_templates.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QTabWidget>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

QLabel* mutedLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setProperty("look", QStringLiteral("muted"));
    return label;
}

/// Markdown comes without room between its paragraphs.
void spread(QTextDocument& text)
{
    text.setDocumentMargin(spacing::kAround);
    QTextBlockFormat format;
    format.setTopMargin(spacing::kBetween);
    for (QTextBlock block = text.begin().next(); block.isValid(); block = block.next()) {
        QTextCursor(block).mergeBlockFormat(format);
    }
}

QString typeText(const std::optional<TensorType>& type)
{
    return type ? QString::fromStdString(type->text()) +
                      (type->type == ElementType::Index ? QStringLiteral(" int64") : QString())
                : QStringLiteral("?");
}

QString portRow(const PortSpec& port, const QString& type)
{
    const QString mark = port.optional   ? QStringLiteral("?")
                         : port.variadic ? QStringLiteral("…")
                                         : QString();
    return QStringLiteral("<tr><td>%1%2&nbsp;&nbsp;&nbsp;</td><td>%3</td></tr>")
        .arg(QString::fromStdString(port.name).toHtmlEscaped(), mark, type.toHtmlEscaped());
}

} // namespace

ScriptDialog::ScriptDialog(const QString& node, ScriptDraft draft, ScriptInputs inputs, const Theme& theme,
                           QWidget* parent)
    : QDialog(parent), m_first(std::move(draft)), m_inputs(std::move(inputs)), m_theme(theme),
      m_checker(new ScriptChecker(this))
{
    setObjectName(QStringLiteral("scriptDialog"));
    setWindowTitle(tr("Source of %1").arg(node));
    resize(1240, 760);
    m_editor = new ScriptEditor(theme, this);
    m_editor->setObjectName(QStringLiteral("scriptEditor"));
    auto* left = new QSplitter(Qt::Vertical, this);
    left->addWidget(m_editor);
    left->addWidget(makeBottom());
    left->setStretchFactor(0, 1);
    left->setSizes({520, 120});
    left->setChildrenCollapsible(false);
    auto* across = new QSplitter(Qt::Horizontal, this);
    across->addWidget(left);
    across->addWidget(makeSide());
    across->setStretchFactor(0, 1);
    across->setSizes({750, 450});
    across->setChildrenCollapsible(false);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    column->setSpacing(spacing::kBetween);
    column->addWidget(across, 1);
    auto* row = new QHBoxLayout;
    auto* start = new QPushButton(tr("Start from a template"), this);
    start->setObjectName(QStringLiteral("templates"));
    start->setAutoDefault(false);
    auto* menu = new QMenu(start);
    for (const ScriptTemplate& one : scriptTemplates(m_first.kind)) {
        menu->addAction(one.title, this, [this, own = one.draft] { useTemplate(own); });
    }
    start->setMenu(menu);
    m_cursor = mutedLabel({}, this);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("cancel"));
    cancel->setAutoDefault(false);
    m_apply = new QPushButton(tr("Apply"), this);
    m_apply->setObjectName(QStringLiteral("apply"));
    m_apply->setProperty("look", QStringLiteral("primary"));
    m_apply->setAutoDefault(false);
    m_apply->setToolTip(tr("One step to undo (Ctrl+Enter)"));
    row->addWidget(start);
    row->addStretch(1);
    row->addWidget(m_cursor);
    row->addSpacing(spacing::kAround);
    row->addWidget(cancel);
    row->addWidget(m_apply);
    column->addLayout(row);

    connect(cancel, &QPushButton::clicked, this, &ScriptDialog::reject);
    connect(m_apply, &QPushButton::clicked, this, &ScriptDialog::accept);
    connect(m_editor, &ScriptEditor::applyRequested, this, &ScriptDialog::accept);
    connect(m_editor, &ScriptEditor::cancelRequested, this, &ScriptDialog::reject);
    connect(m_editor, &ScriptEditor::textChanged, this, &ScriptDialog::changed);
    connect(m_editor, &ScriptEditor::cursorMoved, this, &ScriptDialog::showCursor);
    connect(m_declarations, &DeclarationsPanel::edited, this, &ScriptDialog::changed);
    connect(m_checker, &ScriptChecker::checked, this, &ScriptDialog::showReport);
    // In the tables and the list Ctrl+Enter applies too; F6 goes round the parts.
    connect(new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this), &QShortcut::activated, this,
            &ScriptDialog::accept);
    connect(new QShortcut(QKeySequence(Qt::Key_F6), this), &QShortcut::activated, this, [this] {
        if (m_editor->isAncestorOf(focusWidget()) && !isOfData(m_first)) {
            m_declarations->findChild<QWidget*>(QStringLiteral("tensorTable"))->setFocus(Qt::TabFocusReason);
        } else {
            m_editor->setFocus(Qt::TabFocusReason);
        }
    });
    m_draft = m_first;
    showDraft();
    m_editor->setFocus();
}

ScriptDialog::~ScriptDialog() = default;

QWidget* ScriptDialog::makeSide()
{
    auto* tabs = new QTabWidget(this);
    tabs->setObjectName(QStringLiteral("side"));
    auto* page = new QWidget(tabs);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    column->addWidget(mutedLabel(tr("Ports"), page));
    m_ports = new QLabel(page);
    m_ports->setObjectName(QStringLiteral("ports"));
    m_ports->setTextFormat(Qt::RichText);
    m_ports->setFont(m_theme.font(FontRole::Mono));
    m_ports->setWordWrap(true);
    column->addWidget(m_ports);
    column->addSpacing(spacing::kBetween);
    m_declarations = new DeclarationsPanel(m_theme, page);
    m_declarations->setVisible(!isOfData(m_first));
    column->addWidget(m_declarations);
    column->addStretch(1);
    auto* scroll = new QScrollArea(tabs);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(page);
    tabs->addTab(scroll, tr("Node"));
    auto* help = new QTextBrowser(tabs);
    help->setObjectName(QStringLiteral("scriptHelp"));
    help->setFrameShape(QFrame::NoFrame);
    help->setOpenExternalLinks(true);
    help->setMarkdown(scriptHelp(m_first.kind));
    spread(*help->document());
    tabs->addTab(help, tr("Help"));
    return tabs;
}

QWidget* ScriptDialog::makeBottom()
{
    auto* bottom = new QWidget(this);
    auto* column = new QVBoxLayout(bottom);
    column->setContentsMargins(0, spacing::kInside, 0, 0);
    column->setSpacing(spacing::kInside);
    m_state = mutedLabel({}, bottom);
    m_state->setObjectName(QStringLiteral("state"));
    m_problems = new QListWidget(bottom);
    m_problems->setObjectName(QStringLiteral("problems"));
    m_problems->setAccessibleName(tr("Mistakes"));
    m_problems->setWordWrap(true);
    column->addWidget(m_state);
    column->addWidget(m_problems, 1);
    column->addStretch(0);
    m_problems->hide();
    connect(m_problems, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { jumpTo(m_problems->row(item)); });
    connect(m_problems, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { jumpTo(m_problems->row(item)); });
    return bottom;
}

void ScriptDialog::showDraft()
{
    const ResolvedDraft resolved = resolveDraft(m_draft, m_inputs);
    const Json& params = resolved.context.params;
    const Json source = params.value("source", Json(""));
    m_editor->setText(source.is_string() ? QString::fromStdString(source.get<std::string>()) : QString());
    m_declarations->showValues(params.value("parameters", Json()), params.value("constants", Json()));
    changed();
    m_draft = m_first; // reading them back may spell defaults out, which is no change yet
}

void ScriptDialog::useTemplate(const ScriptDraft& draft)
{
    const auto& params = draft.params;
    if (!isOfData(m_draft)) {
        m_draft.params.erase("outputs");
    }
    if (params.contains("outputs")) {
        m_draft.params["outputs"] = params["outputs"];
    }
    m_declarations->showValues(params.value("parameters", Json()), params.value("constants", Json()));
    m_editor->replaceText(QString::fromStdString(params["source"].get<std::string>()));
    changed();
    m_editor->setFocus();
}

/// What is empty is not written, so that defaults stay defaults.
void ScriptDialog::collect()
{
    m_draft.params["source"] = m_editor->text().toStdString();
    if (isOfData(m_draft)) {
        return;
    }
    const auto put = [&](const char* name, Json value) {
        if (value.empty()) {
            m_draft.params.erase(name);
        } else {
            m_draft.params[name] = std::move(value);
        }
    };
    put("parameters", m_declarations->parameters());
    put("constants", m_declarations->constants());
}

void ScriptDialog::changed()
{
    collect();
    const ScriptSpec spec = readScriptSpec(m_draft.params, m_draft.kind == "ScriptLoss");
    ScriptNames names;
    names.members << QStringLiteral("training");
    for (const ScriptTensor& tensor : spec.tensors) {
        names.members << QString::fromStdString(tensor.name);
    }
    for (const ScriptConstant& constant : spec.constants) {
        names.members << QString::fromStdString(constant.name);
    }
    m_editor->setNames(std::move(names));
    showPorts(nullptr);
    m_state->setText(tr("Being checked…"));
    m_checker->request(m_draft, m_inputs);
}

void ScriptDialog::showPorts(const ScriptReport* report)
{
    const ResolvedDraft resolved = resolveDraft(m_draft, m_inputs);
    QString rows = QStringLiteral("<tr><td colspan=2><i>%1</i></td></tr>").arg(tr("in"));
    for (const PortSpec& port : resolved.kind->inputs) {
        const auto known = m_inputs.find(port.name);
        rows += portRow(port, known == m_inputs.end() ? tr("not connected") : typeText(known->second));
    }
    rows += QStringLiteral("<tr><td colspan=2><i>%1</i></td></tr>").arg(tr("out"));
    for (std::size_t i = 0; i < resolved.kind->outputs.size(); ++i) {
        const bool known = report && i < report->outputs.size();
        rows +=
            portRow(resolved.kind->outputs[i], known ? typeText(report->outputs[i]) : QStringLiteral("?"));
    }
    if (resolved.kind->isLoss()) {
        rows += QStringLiteral("<tr><td colspan=2>%1</td></tr>").arg(tr("the loss, one number"));
    }
    m_ports->setText(QStringLiteral("<table cellspacing=2>") + rows + QStringLiteral("</table>"));
}

void ScriptDialog::showReport(const ScriptReport& report)
{
    m_editor->setProblems(report.problems);
    showPorts(&report);
    m_shown = report.problems;
    for (const ShapeProblem& problem : report.others) {
        m_shown.push_back({{}, problem.message, problem.hint});
    }
    m_problems->clear();
    m_problems->setVisible(!m_shown.empty());
    const QIcon icon = m_theme.icon(QStringLiteral("error"), ColorRole::Bad);
    for (const SourceProblem& problem : m_shown) {
        QString text = QString::fromStdString(placedText(problem));
        text[0] = text[0].toUpper();
        if (!problem.hint.empty()) {
            QString hint = QString::fromStdString(problem.hint);
            hint[0] = hint[0].toUpper();
            text += QStringLiteral("\n") + hint;
        }
        m_problems->addItem(new QListWidgetItem(icon, text));
    }
    if (!report.ok()) {
        m_state->setText(m_shown.size() == 1 ? tr("1 mistake") : tr("%1 mistakes").arg(m_shown.size()));
    } else if (!report.tried) {
        m_state->setText(tr("Compiles; it can be tried once its inputs are connected"));
    } else {
        QString text = tr("Compiles and runs");
        if (report.parameters > 0) {
            text += QStringLiteral(" · ") + tr("%1 parameters").arg(countText(report.parameters));
        }
        if (report.macs > 0) {
            text += QStringLiteral(" · ") + tr("%1 MACs per sample").arg(countText(report.macs));
        }
        m_state->setText(text);
    }
}

void ScriptDialog::jumpTo(int row)
{
    if (row >= 0 && row < static_cast<int>(m_shown.size()) &&
        m_shown[static_cast<std::size_t>(row)].place.line > 0) {
        m_editor->goTo(m_shown[static_cast<std::size_t>(row)].place);
    }
}

void ScriptDialog::showCursor()
{
    const SourcePlace place = m_editor->cursor();
    m_cursor->setText(tr("line %1, column %2").arg(place.line).arg(place.column));
}

bool ScriptDialog::isChecking() const
{
    return m_checker->isBusy();
}

void ScriptDialog::reject()
{
    if (isChanged()) {
        QMessageBox question(QMessageBox::Question, tr("Source was changed"),
                             tr("Keep the changes to this source?"), QMessageBox::NoButton, this);
        question.setObjectName(QStringLiteral("keepChanges"));
        QPushButton* keep = question.addButton(tr("Apply"), QMessageBox::AcceptRole);
        QPushButton* drop = question.addButton(tr("Discard"), QMessageBox::DestructiveRole);
        QPushButton* stay = question.addButton(tr("Go on editing"), QMessageBox::RejectRole);
        question.setDefaultButton(keep);
        question.setEscapeButton(stay);
        question.exec();
        if (question.clickedButton() == keep) {
            accept();
            return;
        }
        if (question.clickedButton() != drop) {
            return;
        }
    }
    QDialog::reject();
}

} // namespace athanor
