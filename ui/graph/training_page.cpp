#include "ui/graph/training_page.h"

#include "ui/graph/fold_section.h"
#include "ui/graph/kind_form.h"
#include "ui/graph/node_text.h"
#include "ui/graph/problem_list.h"
#include "ui/graph/schedule_sketch.h"
#include "ui/graph/training_sections.h"
#include "ui/graph/whole_number_box.h"
#include "ui/theme/theme.h"
#include "ui/weights/weights_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr std::int64_t kFirstSteps = 1000;

const char* const kLengthNames[] = {"epochs", "steps"};

ParamSpec nameSpec()
{
    return {.name = "name", .type = ParamType::Text, .standard = "", .help = TrainingPage::tr("What the project is called.").toStdString(), .required = true};
}

/// The value at a path of keys ("checkpoint.every"); null when there is none.
Json valueAt(const Json& json, const std::string& path)
{
    const auto dot = path.find('.');
    const auto found = json.find(path.substr(0, dot));
    if (found == json.end() || dot == std::string::npos) {
        return found == json.end() ? Json() : *found;
    }
    return valueAt(*found, path.substr(dot + 1));
}

std::string joinedPath(const std::string& prefix, const std::string& name)
{
    return prefix.empty() ? name : prefix + "." + name;
}

/// Problems below `training/<part>/`, with what follows as their detail.
std::vector<NodeProblem> problemsBelow(const std::vector<Problem>& problems, const std::string& part)
{
    const std::string prefix = part.empty() ? "training/" : "training/" + part + "/";
    std::vector<NodeProblem> result;
    for (const Problem& problem : problems) {
        if (problem.where.starts_with(prefix)) {
            result.push_back({problem.where.substr(prefix.size()), problem});
        }
    }
    return result;
}

} // namespace

struct TrainingPage::Section {
    TrainingSection about;
    FoldSection* fold = nullptr;
    ParamForm* form = nullptr;
    QCheckBox* toggle = nullptr; ///< of an object that may be missing
};

TrainingPage::TrainingPage(ProjectDocument& document, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(document), m_theme(theme), m_column(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("trainingPage"));
    m_column->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    m_column->setSpacing(spacing::kAround);
    m_failure = new ProblemList(theme, this);
    m_failure->setObjectName(QStringLiteral("failure"));
    m_problems = new ProblemList(theme, this);
    connect(m_problems, &ProblemList::fixRequested, this, &TrainingPage::fixRequested);
    makeBasics();
    makeKinds();
    makeSections();
    m_column->addStretch(1);
}

TrainingPage::~TrainingPage() = default;

void TrainingPage::watch(ParamForm* form)
{
    connect(form, &ParamForm::editingEnded, &m_document, &ProjectDocument::endMerge);
    connect(form, &ParamForm::fixRequested, this, &TrainingPage::fixRequested);
}

void TrainingPage::makeBasics()
{
    auto* title = new QLabel(tr("Training"), this);
    title->setProperty("look", QStringLiteral("title"));
    m_nameForm = new ParamForm({nameSpec()}, m_theme, {}, this);
    m_nameForm->setObjectName(QStringLiteral("nameForm"));
    watch(m_nameForm);
    connect(m_nameForm, &ParamForm::edited, this,
            [this](const ParamEdit& edit) { set("name", edit.reset ? Json("") : edit.value, tr("Name the project")); });
    m_loaderForm = new ParamForm({}, m_theme, {}, this);
    m_column->addWidget(title);
    m_column->addWidget(m_failure);
    m_column->addWidget(m_problems);
    m_basics = new QVBoxLayout;
    m_basics->setSpacing(spacing::kInside);
    m_basics->addWidget(m_nameForm);
    m_basics->addWidget(makeLength());
    m_basics->addWidget(m_loaderForm);
    m_column->addLayout(m_basics);
}

QWidget* TrainingPage::makeLength()
{
    auto* widget = new QWidget(this);
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing::kBetween);
    m_length = new WholeNumberBox(widget);
    m_length->setObjectName(QStringLiteral("trainingLength"));
    m_length->setAccessibleName(tr("Length of the training"));
    m_length->setRange(1, 1'000'000'000'000);
    m_lengthUnit = new QComboBox(widget);
    m_lengthUnit->setObjectName(QStringLiteral("trainingLengthUnit"));
    m_lengthUnit->setAccessibleName(tr("What the length counts"));
    m_lengthUnit->setToolTip(tr("Epochs are passes over the training data; a step is one update of the weights."));
    m_lengthUnit->addItems({tr("epochs"), tr("steps")});
    auto* label = new QLabel(tr("Train for"), widget);
    label->setBuddy(m_length);
    label->setMinimumWidth(kNameWidth);
    m_length->setMinimumHeight(m_nameForm->sizeHint().height());
    row->addWidget(label);
    row->addWidget(m_length, 1);
    row->addWidget(m_lengthUnit);
    connect(m_length, &WholeNumberBox::edited, this, &TrainingPage::setLength);
    connect(m_length, &QAbstractSpinBox::editingFinished, &m_document, &ProjectDocument::endMerge);
    connect(m_lengthUnit, &QComboBox::activated, this, [this](int unit) {
        m_length->setValue(unit == 0 ? kStandardEpochs : kFirstSteps);
        setLength();
        m_document.endMerge();
    });
    return widget;
}

void TrainingPage::makeKinds()
{
    auto* optimizer = new FoldSection(QStringLiteral("optimizerSection"), tr("Optimizer"), Fold::Open, m_theme, this);
    m_optimizer = new KindForm(QStringLiteral("optimizer"), {optimizerKinds(), &optimizerParams, {}}, m_theme, optimizer);
    optimizer->add(m_optimizer);
    connect(m_optimizer, &KindForm::kindChosen, this, [this](const QString& kind) {
        const std::string name = kind.toStdString();
        set("training.optimizer", withKind(m_optimizer->value(), name, optimizerParams(name)), tr("Train with %1").arg(kind));
    });
    connect(m_optimizer, &KindForm::edited, this, &TrainingPage::setOptimizerParameter);
    connect(m_optimizer, &KindForm::editingEnded, &m_document, &ProjectDocument::endMerge);

    auto* schedule = new FoldSection(QStringLiteral("scheduleSection"), tr("Learning rate schedule"), Fold::Open, m_theme, this);
    m_schedules = new ScheduleList(m_theme, schedule);
    schedule->add(m_schedules);
    m_sketch = new ScheduleSketch(m_theme, schedule);
    schedule->add(m_sketch);
    connect(m_schedules, &ScheduleList::edited, this, [this](const QString& mergeKey) {
        const Json& list = m_schedules->wished();
        set("training.scheduler", list.empty() ? Json() : list, tr("Change the schedule"), mergeKey);
    });
    connect(m_schedules, &ScheduleList::editingEnded, &m_document, &ProjectDocument::endMerge);
    m_column->addWidget(optimizer);
    m_column->addWidget(schedule);
}

void TrainingPage::makeSections()
{
    for (const TrainingSection& section : trainingSections()) {
        addSection(section);
    }
}

void TrainingPage::addSection(const TrainingSection& about)
{
    auto section = std::make_unique<Section>();
    Section* own = section.get();
    section->about = about;
    section->fold = new FoldSection(about.name, about.title, about.open ? Fold::Open : Fold::Closed, m_theme, this);
    section->form = new ParamForm(about.specs, m_theme, m_document.project().folder(), section->fold);
    if (!about.toggle.isEmpty()) {
        makeToggle(*own);
        section->fold->add(section->toggle);
    }
    section->fold->add(section->form);
    if (about.name == QStringLiteral("weightsSection")) {
        section->fold->add(makeWeightsButton());
    }
    m_column->addWidget(section->fold);
    watch(section->form);
    connect(section->form, &ParamForm::edited, this, [this, own](const ParamEdit& edit) { setInSection(*own, edit); });
    m_sections.push_back(std::move(section));
}

void TrainingPage::makeToggle(Section& section)
{
    section.toggle = new QCheckBox(section.about.toggle, this);
    section.toggle->setObjectName(section.about.toggleName);
    const std::string path = "training." + section.about.prefix;
    const bool stopsEarly = section.about.prefix == "early_stopping";
    connect(section.toggle, &QCheckBox::clicked, this, [this, path, stopsEarly, title = section.about.title](bool on) {
        // A monitor that is chosen for the checkpoints is the one to stop by, too.
        const Json fresh = stopsEarly ? Json{{"monitor", m_document.project().training.checkpoint.monitor}} : Json::object();
        const QString text = stopsEarly ? (on ? tr("Stop early") : tr("Do not stop early"))
                                        : (on ? tr("Turn on: %1") : tr("Turn off: %1")).arg(title);
        set(path, on ? fresh : Json(), text);
    });
}

QWidget* TrainingPage::makeWeightsButton()
{
    auto* button = new QPushButton(tr("Choose weights and look at what fits…"), this);
    button->setObjectName(QStringLiteral("chooseWeightsButton"));
    button->setToolTip(tr("Shows which tensors of a file fill which of the network, and joins names by hand"));
    connect(button, &QPushButton::clicked, this, &TrainingPage::chooseWeights);
    return button;
}

void TrainingPage::chooseWeights()
{
    const Project& project = m_document.project();
    WeightsDialog dialog(project, m_theme, window());
    if (dialog.exec() != QDialog::Accepted || !m_document.isOpen()) {
        return;
    }
    const WeightsChoice& choice = dialog.choice();
    const std::string file = choice.file.empty() ? std::string() : writtenFile(choice.file, project.folder());
    if (file == project.training.weights && choice.byHand == project.training.weightsMap) {
        return;
    }
    m_document.endMerge();
    m_document.undoStack()->beginMacro(file.empty() ? tr("Start from fresh weights") : tr("Start from weights"));
    set("training.weights", file, tr("Set the file of weights"));
    set("training.weights_map", Json(choice.byHand), tr("Set the names of the weights"));
    m_document.undoStack()->endMacro();
}

void TrainingPage::refresh()
{
    if (!m_document.isOpen()) {
        return;
    }
    refreshBasics();
    refreshLoader();
    const TrainSpec& training = m_document.project().training;
    const Json written = trainingJson(training);
    m_optimizer->showValue(valueAt(written, "optimizer"));
    const Json schedule = valueAt(written, "scheduler");
    m_schedules->showValue(schedule.is_array() ? schedule : schedule.is_null() ? Json::array() : Json::array({schedule}));
    m_sketch->showSchedule(training, m_document.check().stepsPerEpoch);
    for (const auto& section : m_sections) {
        Json values = Json::object();
        for (const ParamSpec& spec : section->about.specs) {
            Json value = valueAt(written, joinedPath(section->about.prefix, spec.name));
            if (!value.is_null() && value != spec.standard) {
                values[spec.name] = std::move(value);
            }
        }
        section->form->showValues(values, Json::object());
        if (section->toggle) {
            const bool isThere = !valueAt(written, section->about.prefix).is_null();
            section->toggle->setChecked(isThere);
            section->form->setVisible(isThere);
        }
    }
}

void TrainingPage::refreshBasics()
{
    const Project& project = m_document.project();
    m_nameForm->showValues(project.name.empty() ? Json::object() : Json{{"name", project.name}}, Json::object());
    const bool counts = project.training.steps.has_value();
    const QSignalBlocker quiet(m_lengthUnit);
    m_lengthUnit->setCurrentIndex(counts ? 1 : 0);
    const std::int64_t length = counts ? *project.training.steps : project.training.epochs.value_or(kStandardEpochs);
    if (m_length->value() != length) {
        m_length->setValue(length);
    }
}

const Node* TrainingPage::loader() const
{
    const auto& nodes = m_document.project().data.nodes();
    const auto found = std::find_if(nodes.begin(), nodes.end(), [](const Node& node) {
        const NodeKind* kind = dataCatalog().find(node.kind);
        return kind && kind->family == NodeFamily::Loader && kind->param("batch_size");
    });
    return found == nodes.end() ? nullptr : &*found;
}

/// The batch size lives in the data graph's loader; people look for it here.
void TrainingPage::refreshLoader()
{
    const Node* node = loader();
    m_loaderForm->setVisible(node != nullptr);
    if (!node) {
        return;
    }
    if (m_loaderForm->objectName().isEmpty()) {
        auto* form = new ParamForm({*dataCatalog().find(node->kind)->param("batch_size")}, m_theme, {}, this);
        form->setObjectName(QStringLiteral("loaderForm"));
        delete m_basics->replaceWidget(m_loaderForm, form);
        delete m_loaderForm;
        m_loaderForm = form;
        watch(form);
        connect(form, &ParamForm::edited, this, &TrainingPage::setLoaderParameter);
    }
    const auto batch = node->params.find("batch_size");
    m_loaderForm->showValues(batch == node->params.end() ? Json::object() : Json{{"batch_size", *batch}}, Json::object());
}

void TrainingPage::refreshCheck()
{
    std::vector<Problem> own;
    for (const Problem& problem : m_document.check().problems) {
        if (problem.where.starts_with("training") || (!problem.where.starts_with("data/") && !problem.where.starts_with("network/"))) {
            own.push_back(problem);
        }
    }
    m_problems->show(own);
    if (m_optimizer->form()) {
        m_optimizer->form()->showProblems(problemsBelow(own, "optimizer"));
    }
    m_schedules->showProblems(problemsBelow(own, "scheduler"));
    m_sketch->showSchedule(m_document.project().training, m_document.check().stepsPerEpoch);
    for (const auto& section : m_sections) {
        section->form->showProblems(problemsBelow(own, section->about.prefix));
    }
}

void TrainingPage::showFailure(const Status& status)
{
    if (status) {
        m_failure->show({});
    } else {
        m_failure->show({Problem{status.error().where, Severity::Error, status.error().message, status.error().hint}});
    }
}

void TrainingPage::set(const std::string& path, const Json& value, const QString& text, const QString& mergeKey)
{
    const Status done = m_document.setValue(QString::fromStdString(path), value, text, mergeKey);
    showFailure(done);
    if (!done) {
        refresh();
    }
}

void TrainingPage::setLength()
{
    if (!m_length->value()) {
        return;
    }
    const std::string path = std::string("training.") + kLengthNames[m_lengthUnit->currentIndex()];
    set(path, *m_length->value(), tr("Set the length of the training"), QString::fromStdString(path));
}

void TrainingPage::setLoaderParameter(const ParamEdit& edit)
{
    const Node* node = loader();
    if (!node) {
        return;
    }
    const std::string path = "data." + node->id + "." + edit.name;
    const Json value = edit.reset ? dataCatalog().find(node->kind)->param(edit.name)->standard : edit.value;
    const Status done = m_document.push(GraphPart::Data, GraphEdit{edit::SetParameter{node->id, edit.name, edit.written()}},
                                        tr("Set the batch size"), QStringLiteral("batch_size"));
    showFailure(done);
    if (done && m_runActive) {
        Q_EMIT liveSettingChanged(QString::fromStdString(path), value);
    }
}

void TrainingPage::setOptimizerParameter(const ParamEdit& edit)
{
    const QString name = QString::fromStdString(edit.name);
    Json optimizer = m_optimizer->value();
    if (edit.reset) {
        optimizer.erase(edit.name);
    } else {
        optimizer[edit.name] = edit.value;
    }
    set("training.optimizer", optimizer, tr("Set %1 of the optimizer").arg(name), QStringLiteral("optimizer/") + name);
    const auto* specs = optimizerParams(optimizer.value("kind", std::string()));
    const auto live = specs ? std::find_if(specs->begin(), specs->end(), [&](const ParamSpec& spec) { return spec.name == edit.name && spec.live; })
                            : std::vector<ParamSpec>::const_iterator();
    if (m_runActive && specs && live != specs->end()) {
        const Json value = edit.reset ? live->standard : edit.value;
        Q_EMIT liveSettingChanged(QStringLiteral("training.optimizer.") + name, value);
    }
}

void TrainingPage::setInSection(const Section& section, const ParamEdit& edit)
{
    const auto& specs = section.about.specs;
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const ParamSpec& entry) { return entry.name == edit.name; });
    const std::string path = "training." + joinedPath(section.about.prefix, edit.name);
    const Json& value = edit.reset && spec != specs.end() ? spec->standard : edit.value;
    set(path, value, tr("Set %1").arg(QString::fromStdString(edit.name)), QString::fromStdString(path));
    if (m_runActive && spec != specs.end() && spec->live) {
        Q_EMIT liveSettingChanged(QString::fromStdString(path), value);
    }
}

void TrainingPage::setRunActive(bool active)
{
    m_runActive = active;
    m_optimizer->setRunActive(active);
    m_loaderForm->setRunActive(active);
    for (const auto& section : m_sections) {
        section->form->setRunActive(active);
    }
}

void TrainingPage::focusPlace(const QString& where)
{
    const QStringList parts = where.split(u'/');
    const QString part = parts.value(1);
    QWidget* home = this;
    if (part == u"optimizer") {
        home = m_optimizer;
    } else if (part == u"scheduler") {
        home = m_schedules;
    }
    for (const auto& section : m_sections) {
        const bool named = std::any_of(section->about.specs.begin(), section->about.specs.end(), [&](const ParamSpec& spec) {
            return joinedPath(section->about.prefix, spec.name) == parts.mid(1).join(u'.').toStdString();
        });
        if (named) {
            section->fold->setOpen(true);
            home = section->form;
        }
    }
    if (auto* editor = home->findChild<QWidget*>(QStringLiteral("edit_") + parts.last())) {
        editor->setFocus(Qt::OtherFocusReason);
    }
}

} // namespace athanor
