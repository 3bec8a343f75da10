#include "ui/graph/kind_form.h"

#include "ui/graph/training_sections.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

ParamSpec intervalSpec()
{
    return {.name = "interval",
            .type = ParamType::Choice,
            .standard = "epoch",
            .help = ScheduleList::tr("What the schedule counts: epochs or steps.").toStdString(),
            .choices = {"epoch", "step"}};
}

KindChoice schedulerChoice()
{
    return {schedulerKinds(), &schedulerParams, {intervalSpec()}};
}

Json withParameter(Json object, const ParamEdit& edit)
{
    if (edit.reset) {
        object.erase(edit.name);
    } else {
        object[edit.name] = edit.value;
    }
    return object;
}

/// A new scheduler starts with values that do something sensible where PyTorch has no default.
Json freshScheduler(const std::string& kind, const Json& old)
{
    Json fresh = withKind(old, kind, schedulerParams(kind));
    static const std::map<std::string, Json> kStarts{
        {"step_size", 10}, {"T_max", 10}, {"milestones", Json::array({5, 8})}, {"gamma", 0.95}};
    if (const auto* specs = schedulerParams(kind)) {
        for (const ParamSpec& spec : *specs) {
            const auto start = kStarts.find(spec.name);
            if (spec.required && !fresh.contains(spec.name) && start != kStarts.end()) {
                fresh[spec.name] = start->second;
            }
        }
    }
    return fresh;
}

} // namespace

KindForm::KindForm(const QString& name, KindChoice choice, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_choice(std::move(choice)), m_theme(theme), m_kindRow(new QHBoxLayout), m_kind(new QComboBox(this))
{
    setObjectName(name);
    m_kind->setObjectName(name + QStringLiteral("Kind"));
    m_kind->setAccessibleName(tr("Kind"));
    for (const std::string& kind : m_choice.kinds) {
        m_kind->addItem(QString::fromStdString(kind));
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing::kBetween);
    m_kindRow->setSpacing(spacing::kBetween);
    m_kindRow->addWidget(m_kind, 1);
    column->addLayout(m_kindRow);
    connect(m_kind, &QComboBox::textActivated, this, &KindForm::kindChosen);
}

void KindForm::makeForm(const std::string& kind)
{
    const auto* specs = m_choice.paramsOf(kind);
    std::vector<ParamSpec> all = specs ? *specs : std::vector<ParamSpec>();
    all.insert(all.end(), m_choice.besides.begin(), m_choice.besides.end());
    delete m_form;
    m_form = new ParamForm(std::move(all), m_theme, {}, this);
    m_form->setRunActive(m_runActive);
    m_formKind = kind;
    layout()->addWidget(m_form);
    connect(m_form, &ParamForm::edited, this, &KindForm::edited);
    connect(m_form, &ParamForm::editingEnded, this, &KindForm::editingEnded);
}

void KindForm::showValue(const Json& value)
{
    m_value = value;
    const std::string kind = value.value("kind", std::string());
    const QSignalBlocker quiet(m_kind);
    const QString text = QString::fromStdString(kind);
    m_kind->setPlaceholderText(text); // a kind that is not known here is still shown
    m_kind->setCurrentIndex(m_kind->findText(text));
    if (!m_form || kind != m_formKind) {
        makeForm(kind);
    }
    Json params = value;
    params.erase("kind");
    for (const ParamSpec& spec : m_choice.besides) { // these are written by the file even when they are standard
        if (params.contains(spec.name) && params.at(spec.name) == spec.standard) {
            params.erase(spec.name);
        }
    }
    m_form->showValues(params, Json::object());
}

void KindForm::setCorner(QWidget* widget)
{
    m_kindRow->addWidget(widget);
}

void KindForm::setRunActive(bool active)
{
    m_runActive = active;
    if (m_form) {
        m_form->setRunActive(active);
    }
}

ScheduleList::ScheduleList(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_column(new QVBoxLayout(this)), m_add(new QToolButton(this))
{
    setObjectName(QStringLiteral("schedules"));
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(spacing::kBetween);
    m_add->setObjectName(QStringLiteral("addSchedule"));
    m_add->setText(tr("Add a schedule"));
    m_add->setToolTip(tr("Schedules run one after the other: a warm-up, then a decay."));
    m_add->setIcon(theme.icon(QStringLiteral("add")));
    m_add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_add->setFocusPolicy(Qt::StrongFocus);
    m_column->addWidget(m_add, 0, Qt::AlignLeft);
    connect(m_add, &QToolButton::clicked, this, &ScheduleList::add);
}

void ScheduleList::wish(Json schedulers, const QString& mergeKey)
{
    m_wished = std::move(schedulers);
    Q_EMIT edited(mergeKey);
}

void ScheduleList::add()
{
    Json list = m_value;
    list.push_back(freshScheduler("CosineAnnealingLR", Json::object()));
    wish(std::move(list));
}

void ScheduleList::makeEntry(std::size_t index)
{
    auto* form = new KindForm(QStringLiteral("schedule%1").arg(index), schedulerChoice(), m_theme, this);
    auto* remove = new QToolButton(form);
    remove->setObjectName(QStringLiteral("removeSchedule%1").arg(index));
    remove->setIcon(m_theme.icon(QStringLiteral("close")));
    remove->setToolTip(tr("Remove this schedule"));
    remove->setAccessibleName(remove->toolTip());
    remove->setFocusPolicy(Qt::StrongFocus);
    form->setCorner(remove);
    m_column->insertWidget(static_cast<int>(index), form);
    m_entries.push_back(form);

    connect(remove, &QToolButton::clicked, this, [this, index] {
        Json list = m_value;
        list.erase(index);
        wish(std::move(list));
    });
    connect(form, &KindForm::kindChosen, this, [this, index](const QString& kind) {
        Json list = m_value;
        list[index] = freshScheduler(kind.toStdString(), list[index]);
        wish(std::move(list));
    });
    connect(form, &KindForm::edited, this, [this, index](const ParamEdit& edit) {
        Json list = m_value;
        list[index] = withParameter(list[index], edit);
        wish(std::move(list), QStringLiteral("scheduler/%1/%2").arg(index).arg(QString::fromStdString(edit.name)));
    });
    connect(form, &KindForm::editingEnded, this, &ScheduleList::editingEnded);
}

void ScheduleList::showValue(const Json& schedulers)
{
    m_value = schedulers;
    while (m_entries.size() > schedulers.size()) {
        // Its own button may be what removes it, so it goes when that is done.
        m_entries.back()->hide();
        m_entries.back()->deleteLater();
        m_entries.pop_back();
    }
    while (m_entries.size() < schedulers.size()) {
        makeEntry(m_entries.size());
    }
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        m_entries[i]->showValue(schedulers[i]);
    }
}

void ScheduleList::showProblems(const std::vector<NodeProblem>& problems)
{
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        std::vector<NodeProblem> own;
        const std::string prefix = std::to_string(i) + "/";
        for (NodeProblem problem : problems) {
            if (problem.detail.starts_with(prefix)) {
                problem.detail.erase(0, prefix.size());
                own.push_back(problem);
            } else if (i == 0 && problem.detail.find('/') == std::string::npos) {
                own.push_back(problem);
            }
        }
        m_entries[i]->form()->showProblems(own);
    }
}

} // namespace athanor
