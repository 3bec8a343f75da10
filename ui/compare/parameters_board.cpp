#include "ui/compare/parameters_board.h"

#include "engine/project/project.h"
#include "ui/bridge/text_format.h"
#include "ui/compare/parallel_axes.h"
#include "ui/compare/run_colors.h"
#include "ui/compare/scatter_view.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

constexpr std::size_t kMostAxes = 8; ///< more cannot be told apart
constexpr int kTableWidth = 340;
constexpr int kWeightWidth = 90;

std::optional<RunValue> valueOf(const std::optional<Json>& value)
{
    if (!value || value->is_null())
        return std::nullopt;
    if (value->is_boolean())
        return RunValue(value->get<bool>() ? std::string("true") : std::string("false"));
    if (value->is_number())
        return RunValue(value->get<double>());
    return RunValue(value->is_string() ? value->get<std::string>() : value->dump());
}

} // namespace

ParametersBoard::ParametersBoard(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_metric(new QComboBox), m_which(new QComboBox), m_run(new QLabel),
      m_hint(new QLabel), m_table(new QTableWidget), m_parallel(new ParallelAxes(theme)),
      m_scatter(new ScatterView(theme))
{
    m_metric->setObjectName(QStringLiteral("parametersMetric"));
    m_metric->setAccessibleName(tr("Metric"));
    m_metric->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_which->setObjectName(QStringLiteral("parametersWhich"));
    m_which->setAccessibleName(tr("Which value of the metric"));
    m_which->addItem(tr("best"));
    m_which->addItem(tr("last"));
    m_run->setProperty("look", QStringLiteral("muted"));
    m_hint->setProperty("look", QStringLiteral("muted"));
    m_hint->setWordWrap(true);
    m_table->setObjectName(QStringLiteral("parameterWeights"));
    m_table->setAccessibleName(tr("Settings by how much the metric goes with them"));
    m_table->setProperty("look", QStringLiteral("bare"));
    m_table->setColumnCount(2);
    m_table->setHorizontalHeaderLabels({tr("Setting"), tr("Rank corr.")});
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setColumnWidth(1, kWeightWidth);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kBetween);
    row->addWidget(new QLabel(tr("Settings against")));
    row->addWidget(m_metric);
    row->addWidget(m_which);
    row->addStretch(1);
    row->addWidget(m_run);
    auto* side = new QWidget;
    auto* sideLayout = new QVBoxLayout(side);
    sideLayout->setContentsMargins(0, 0, 0, 0);
    sideLayout->setSpacing(spacing::kBetween);
    sideLayout->addWidget(m_table, 1);
    sideLayout->addWidget(m_hint);
    auto* lower = new QSplitter;
    lower->addWidget(side);
    lower->addWidget(m_scatter);
    lower->setStretchFactor(1, 1);
    lower->setSizes({kTableWidth, 2 * kTableWidth});
    auto* both = new QSplitter(Qt::Vertical);
    both->addWidget(m_parallel);
    both->addWidget(lower);
    both->setStretchFactor(0, 1);
    both->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(both, 1);
    for (QComboBox* box : {m_metric, m_which})
        connect(box, &QComboBox::currentIndexChanged, this, &ParametersBoard::compute);
    connect(m_table, &QTableWidget::currentCellChanged, this, &ParametersBoard::showParameter);
    connect(m_parallel, &ParallelAxes::currentChanged, this, &ParametersBoard::setCurrent);
    connect(m_scatter, &ScatterView::currentChanged, this, &ParametersBoard::setCurrent);
}

void ParametersBoard::show(std::shared_ptr<const Comparison> comparison)
{
    m_comparison = std::move(comparison);
    std::vector<QString> names;
    std::vector<QColor> colors;
    m_values.clear();
    for (std::size_t run = 0; run < m_comparison->runs.size(); ++run) {
        names.push_back(QString::fromStdString(m_comparison->runs[run].info.name));
        colors.push_back(runColor(m_theme, *m_comparison, run));
        auto& values = m_values.emplace_back();
        for (const SettingDifference& setting : m_comparison->settings)
            values.push_back(valueOf(setting.values[run]));
    }
    m_parallel->setRuns(names, colors);
    m_scatter->setRuns(names, colors);
    const QString before = m_metric->currentText();
    {
        const QSignalBlocker blocked(m_metric);
        m_metric->clear();
        for (const std::string& series : m_comparison->series())
            m_metric->addItem(QString::fromStdString(series));
        const int validation = m_metric->findText(QStringLiteral("val/"), Qt::MatchStartsWith);
        const int known = m_metric->findText(before);
        m_metric->setCurrentIndex(known >= 0 ? known : std::max(0, validation));
    }
    compute();
}

std::vector<double> ParametersBoard::metricValues() const
{
    const std::string series = m_metric->currentText().toStdString();
    const bool isBest = m_which->currentIndex() == 0;
    std::vector<double> values;
    for (const ComparedRun& run : m_comparison->runs) {
        const auto found = std::find_if(run.summaries.begin(), run.summaries.end(),
                                        [&series](const SeriesSummary& one) { return one.name == series; });
        if (found == run.summaries.end() || found->count == 0)
            values.push_back(std::numeric_limits<double>::quiet_NaN());
        else if (isBest)
            values.push_back(naturalMode(series) == MonitorMode::Max ? found->max : found->min);
        else
            values.push_back(found->last);
    }
    return values;
}

void ParametersBoard::compute()
{
    if (m_comparison == nullptr)
        return;
    std::vector<std::string> names;
    for (const SettingDifference& setting : m_comparison->settings)
        names.push_back(setting.path);
    const std::vector<double> metric = metricValues();
    m_weights = parameterWeights(names, m_values, metric);
    {
        const QSignalBlocker blocked(m_table);
        m_table->setRowCount(static_cast<int>(m_weights.size()));
        for (int row = 0; row < m_table->rowCount(); ++row) {
            const ParameterWeight& weight = m_weights[static_cast<std::size_t>(row)];
            auto* name = new QTableWidgetItem(QString::fromStdString(weight.parameter));
            name->setToolTip(name->text());
            auto* value = new QTableWidgetItem(numberText(weight.isNumber ? weight.rho : weight.weight, 2));
            value->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            value->setToolTip(weight.isNumber
                                  ? tr("Spearman's rank correlation over %1 runs").arg(weight.runs)
                                  : tr("Share of the ranks' variance between the choices (η²) over %1 runs")
                                        .arg(weight.runs));
            m_table->setItem(row, 0, name);
            m_table->setItem(row, 1, value);
        }
    }
    m_hint->setText(
        m_weights.empty()
            ? tr("Three runs or more that differ in a setting are needed to say what the metric goes with.")
            : tr("−1 to 1 for numbers; 0 to 1 for choices. What goes together need not be a cause."));
    std::vector<ParallelAxis> axes;
    for (std::size_t i = 0; i < m_comparison->settings.size() && axes.size() < kMostAxes; ++i) {
        // The settings that say most come first; without any weights all, in their order.
        const std::size_t place =
            i < m_weights.size()
                ? static_cast<std::size_t>(std::find(names.begin(), names.end(), m_weights[i].parameter) -
                                           names.begin())
                : i;
        if (i >= m_weights.size() && !m_weights.empty())
            break;
        const QString title = QString::fromStdString(names[place].substr(names[place].rfind('.') + 1));
        std::vector<std::optional<double>> numbers;
        std::vector<std::optional<QString>> texts;
        bool isNumber = true;
        for (const auto& values : m_values) {
            const auto& value = values[place];
            const double* number = value ? std::get_if<double>(&*value) : nullptr;
            isNumber = isNumber && (!value || number != nullptr);
            numbers.push_back(number != nullptr ? std::optional(*number) : std::nullopt);
            texts.push_back(!value ? std::nullopt
                            : number != nullptr
                                ? std::optional(numberText(*number))
                                : std::optional(QString::fromStdString(std::get<std::string>(*value))));
        }
        axes.push_back(isNumber ? numberAxis(title, numbers) : choiceAxis(title, texts));
    }
    axes.push_back(numberAxis(m_metric->currentText(), {metric.begin(), metric.end()}));
    m_parallel->setAxes(std::move(axes));
    if (m_table->rowCount() > 0)
        m_table->setCurrentCell(0, 0);
    showParameter();
}

void ParametersBoard::showParameter()
{
    const int row = m_table->currentRow();
    if (m_comparison == nullptr)
        return;
    if (row < 0 || row >= static_cast<int>(m_weights.size())) {
        m_scatter->setAxes({}, {}, {});
        return;
    }
    const ParameterWeight& weight = m_weights[static_cast<std::size_t>(row)];
    const auto place =
        static_cast<std::size_t>(std::find_if(m_comparison->settings.begin(), m_comparison->settings.end(),
                                              [&weight](const SettingDifference& setting) {
                                                  return setting.path == weight.parameter;
                                              }) -
                                 m_comparison->settings.begin());
    std::vector<std::optional<double>> numbers;
    std::vector<std::optional<QString>> texts;
    for (const auto& values : m_values) {
        const double* number = values[place] ? std::get_if<double>(&*values[place]) : nullptr;
        numbers.push_back(number != nullptr ? std::optional(*number) : std::nullopt);
        const std::string* text = values[place] ? std::get_if<std::string>(&*values[place]) : nullptr;
        texts.push_back(text != nullptr ? std::optional(QString::fromStdString(*text)) : std::nullopt);
    }
    const std::vector<double> metric = metricValues();
    const QString title = QString::fromStdString(weight.parameter);
    const QString remark = weight.isNumber
                               ? tr("rank correlation %1").arg(numberText(weight.rho, 2))
                               : tr("variance between choices %1").arg(percentText(weight.weight));
    m_scatter->setAxes(weight.isNumber ? numberAxis(title, numbers) : choiceAxis(title, texts),
                       numberAxis(m_metric->currentText(), {metric.begin(), metric.end()}), remark);
}

void ParametersBoard::setCurrent(int run)
{
    m_parallel->setCurrent(run);
    m_scatter->setCurrent(run);
    m_run->setText(run < 0
                       ? QString()
                       : QString::fromStdString(m_comparison->runs[static_cast<std::size_t>(run)].info.name));
}

} // namespace athanor
