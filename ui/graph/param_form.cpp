#include "ui/graph/param_form.h"

#include "ui/graph/node_looks.h"
#include "ui/graph/value_editor.h"
#include "ui/graph/value_text.h"
#include "ui/theme/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace athanor {
namespace {

QHBoxLayout* beside(std::initializer_list<QWidget*> widgets)
{
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    for (QWidget* widget : widgets) {
        row->addWidget(widget);
    }
    return row;
}

} // namespace

struct ParamForm::Row {
    ParamSpec spec;
    QLabel* name = nullptr;
    QLabel* lightning = nullptr;
    QLabel* inferred = nullptr; ///< instead of the editor while the value follows from the input
    ValueEditor* editor = nullptr;
    QToolButton* reset = nullptr;
    QToolButton* fix = nullptr; ///< there while the parameter's problem has a certain cure
    std::vector<SuggestedFix> fixes;
    QLabel* error = nullptr;
    std::optional<Json> written;
    Json complete;
    bool isShown = false;   ///< values were shown once
    bool isMixed = false;   ///< the values of several nodes differ
    bool isForeign = false; ///< no parameter of the kind: there only as long as it is written
    std::optional<Severity> problem;
    QString problemText;
};

ParamForm::ParamForm(std::vector<ParamSpec> specs, const Theme& theme, std::filesystem::path folder, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_folder(std::move(folder)), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(spacing::kInside);
    m_grid->setVerticalSpacing(spacing::kInside);
    m_grid->setColumnStretch(1, 1);
    m_grid->setColumnMinimumWidth(0, kNameWidth);
    for (const ParamSpec& spec : specs) {
        addRow(spec);
    }
    connect(&theme, &Theme::changed, this, &ParamForm::restyle);
}

ParamForm::~ParamForm() = default;

void ParamForm::addRow(const ParamSpec& spec)
{
    auto row = std::make_unique<Row>();
    Row* own = row.get();
    const QString name = QString::fromStdString(spec.name);
    row->spec = spec;
    row->name = new QLabel(name, this);
    row->lightning = new QLabel(this);
    row->lightning->setPixmap(m_theme.icon(QStringLiteral("lightning"), ColorRole::Accent).pixmap(12, 12));
    row->lightning->setToolTip(tr("Applies at once to the run that is on"));
    row->lightning->setObjectName(QStringLiteral("live_") + name);
    row->editor = makeValueEditor(spec, m_theme, m_folder, this);
    row->name->setBuddy(row->editor);
    row->inferred = new QLabel(this);
    row->inferred->setObjectName(QStringLiteral("inferred_") + name);
    row->inferred->setProperty("look", QStringLiteral("muted"));
    row->reset = new QToolButton(this);
    row->reset->setObjectName(QStringLiteral("reset_") + name);
    row->reset->setIcon(m_theme.icon(QStringLiteral("reset")));
    row->reset->setAccessibleName(tr("Reset %1 to its default").arg(name));
    QSizePolicy keepsItsPlace = row->reset->sizePolicy();
    keepsItsPlace.setRetainSizeWhenHidden(true);
    row->reset->setSizePolicy(keepsItsPlace);
    row->fix = new QToolButton(this);
    row->fix->setObjectName(QStringLiteral("fix_") + name);
    row->fix->setIcon(m_theme.icon(QStringLiteral("fix"), ColorRole::Accent));
    row->fix->setFocusPolicy(Qt::StrongFocus);
    row->fix->hide();
    row->error = new QLabel(this);
    row->error->setObjectName(QStringLiteral("error_") + name);
    row->error->setWordWrap(true);
    row->error->hide();

    const int line = 2 * static_cast<int>(m_rows.size());
    m_grid->addLayout(beside({row->name, row->lightning}), line, 0);
    m_grid->addWidget(row->editor, line, 1);
    m_grid->addWidget(row->inferred, line, 1);
    m_grid->addLayout(beside({row->reset, row->fix}), line, 2);
    m_grid->addWidget(row->error, line + 1, 1, 1, 2);
    m_rows.push_back(std::move(row));

    connect(own->editor, &ValueEditor::edited, this,
            [this, own] { report(*own); });
    connect(own->editor, &ValueEditor::editingEnded, this, &ParamForm::editingEnded);
    connect(own->editor, &ValueEditor::detailsRequested, this, [this, name] { Q_EMIT detailsRequested(name); });
    connect(own->editor, &ValueEditor::errorChanged, this, [own] {
        own->error->setText(own->editor->error());
        own->error->setVisible(!own->editor->error().isEmpty());
    });
    connect(own->fix, &QToolButton::clicked, this, [this, own] { applyFix(*own); });
    connect(own->reset, &QToolButton::clicked, this, [this, own] {
        Q_EMIT editingEnded(); // a reset is a step of its own
        Q_EMIT edited({own->spec.name, Json(), true});
        Q_EMIT editingEnded();
    });
}

/// One fix is a click; several are a menu.
void ParamForm::offerFixes(Row& row, std::vector<SuggestedFix> fixes)
{
    if (fixes == row.fixes) {
        return;
    }
    row.fixes = std::move(fixes);
    row.fix->setVisible(!row.fixes.empty());
    if (row.fixes.empty()) {
        return;
    }
    const QString first = QString::fromStdString(row.fixes.front().text);
    row.fix->setToolTip(row.fixes.size() == 1 ? first : tr("Fixes: %1, …").arg(first));
    row.fix->setAccessibleName(row.fix->toolTip());
}

void ParamForm::applyFix(Row& row)
{
    if (row.fixes.size() == 1) {
        Q_EMIT fixRequested(SuggestedFix(row.fixes.front()));
        return;
    }
    auto* menu = new QMenu(row.fix);
    menu->setObjectName(QStringLiteral("fixMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const SuggestedFix& fix : row.fixes) {
        connect(menu->addAction(QString::fromStdString(fix.text)), &QAction::triggered, this,
                [this, fix] { Q_EMIT fixRequested(fix); });
    }
    menu->popup(row.fix->mapToGlobal(QPoint(0, row.fix->height())));
}

std::vector<std::string> ParamForm::resettable() const
{
    std::vector<std::string> names;
    for (const auto& row : m_rows) {
        if ((row->written || row->isMixed) && !row->spec.required) {
            names.push_back(row->spec.name);
        }
    }
    return names;
}

/// An emptied field where the default is empty too means that nothing is set.
void ParamForm::report(const Row& row)
{
    const Json& value = row.editor->value();
    Q_EMIT edited({row.spec.name, value, value.is_null() && row.spec.standard.is_null()});
}

ParamForm::Row* ParamForm::find(const std::string& name) const
{
    const auto row = std::find_if(m_rows.begin(), m_rows.end(), [&](const auto& entry) { return entry->spec.name == name; });
    return row == m_rows.end() ? nullptr : row->get();
}

void ParamForm::showValues(const Json& written, const Json& complete)
{
    for (const auto& [name, value] : written.items()) {
        if (!find(name)) {
            addRow({.name = name, .type = ParamType::Any, .help = tr("Not a parameter of this kind.").toStdString(), .allowsNull = true});
            m_rows.back()->isForeign = true;
        }
    }
    for (const auto& row : m_rows) {
        const auto own = written.find(row->spec.name);
        const auto all = complete.find(row->spec.name);
        std::optional<Json> writtenValue = own == written.end() ? std::nullopt : std::optional<Json>(*own);
        Json completeValue = all == complete.end() ? row->spec.standard : *all;
        const bool isMixed = m_mixed.contains(row->spec.name);
        if (!row->isShown || writtenValue != row->written || completeValue != row->complete || isMixed != row->isMixed) {
            row->isMixed = isMixed;
            row->written = std::move(writtenValue);
            row->complete = std::move(completeValue);
            showRow(*row);
        }
    }
}

void ParamForm::showRow(Row& row)
{
    const bool isWritten = row.written.has_value();
    const bool follows = row.spec.inferred && !isWritten && !row.isMixed;
    if (row.isMixed) {
        row.editor->showMixed();
    } else if (!isWritten && !row.spec.required) {
        row.editor->showDefault(row.spec.standard);
    } else {
        const Json& value = isWritten ? *row.written : row.spec.standard;
        if (!row.isShown || !row.editor->shows(value) || !row.editor->error().isEmpty()) {
            row.editor->showValue(value);
        }
    }
    row.isShown = true;
    row.name->setVisible(isWritten || !row.isForeign);
    row.editor->setVisible(row.isForeign ? isWritten : !follows);
    row.inferred->setVisible(follows);
    row.inferred->setText(row.complete.is_null() ? tr("follows from the input")
                                                 : tr("inferred %1").arg(valueText(row.complete)));
    row.reset->setVisible((isWritten || row.isMixed) && !row.spec.required);
    row.reset->setToolTip(row.spec.inferred ? tr("Let it follow from the input")
                          : row.spec.standard.is_null()
                              ? tr("Remove the value")
                              : tr("Back to the default: %1").arg(valueText(row.spec.standard)));
    styleRow(row);
}

void ParamForm::styleRow(const Row& row)
{
    row.lightning->setVisible(row.spec.live && m_runActive);
    const bool muted = !row.written && !row.spec.required;
    row.editor->setMuted(m_theme.color(muted ? ColorRole::Muted : ColorRole::Text));

    const ColorRole nameRole = row.problem == Severity::Error     ? ColorRole::Bad
                               : row.problem == Severity::Warning ? ColorRole::Warn
                                                                  : ColorRole::Text;
    QPalette palette = row.name->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(nameRole));
    row.name->setPalette(palette);
    palette = row.error->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(ColorRole::Bad));
    row.error->setPalette(palette);
    QString tip = QString::fromStdString(row.spec.help) + u'\n' + rangeText(row.spec);
    if (!row.problemText.isEmpty()) {
        tip = row.problemText + QStringLiteral("\n\n") + tip;
    }
    row.name->setToolTip(wrappedToolTip(tip));
    row.editor->setToolTip(wrappedToolTip(tip));
}

void ParamForm::showProblems(const std::vector<NodeProblem>& problems)
{
    for (const auto& row : m_rows) {
        std::optional<Severity> worst;
        QString text;
        std::vector<NodeProblem> own;
        for (const NodeProblem& entry : problems) {
            if (entry.detail == row->spec.name) {
                own.push_back(entry);
                worst = std::max(worst.value_or(Severity::Info), entry.problem.severity);
                text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + problemText(entry.problem);
            }
        }
        offerFixes(*row, fixesOf(own));
        if (worst != row->problem || text != row->problemText) {
            row->problem = worst;
            row->problemText = text;
            styleRow(*row);
        }
    }
}

void ParamForm::setRunActive(bool active)
{
    m_runActive = active;
    for (const auto& row : m_rows) {
        styleRow(*row);
    }
}

void ParamForm::restyle()
{
    for (const auto& row : m_rows) {
        styleRow(*row);
    }
}

} // namespace athanor
