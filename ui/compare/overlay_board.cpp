#include "ui/compare/overlay_board.h"

#include "engine/project/project.h"
#include "ui/compare/compare_reader.h"
#include "ui/compare/run_colors.h"
#include "ui/plot/overlay_plot.h"
#include "ui/plot/plot_clock.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr auto kSeriesKey = "compare/series";
constexpr auto kAxisKey = "compare/axis";
constexpr auto kValueKey = "compare/value";
constexpr auto kBandKey = "compare/band";
constexpr int kListWidth = 220;
constexpr int kPlotHeight = 320;
constexpr int kUsualPlots = 3;

} // namespace

OverlayBoard::OverlayBoard(Theme& theme, CompareReader& reader, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_reader(reader), m_settings(settings),
      m_clock(new PlotClock(systemClock(), this)), m_list(new QListWidget), m_stack(new QStackedWidget),
      m_splitter(new QSplitter)
{
    m_list->setObjectName(QStringLiteral("overlaySeries"));
    m_list->setAccessibleName(tr("Series to show"));
    m_list->setProperty("look", QStringLiteral("bare"));
    connect(m_list, &QListWidget::itemChanged, this, [this] {
        if (!m_filling)
            followSeries();
    });
    auto* content = new QWidget;
    m_column = new QVBoxLayout(content);
    m_column->setContentsMargins(spacing::kBetween, 0, spacing::kBetween, spacing::kBetween);
    m_column->setSpacing(spacing::kBetween);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* empty = new QLabel(tr("Tick a series on the left to see its curves"));
    empty->setAlignment(Qt::AlignCenter);
    empty->setProperty("look", QStringLiteral("muted"));
    m_stack->addWidget(scroll);
    m_stack->addWidget(empty);
    auto* search = new QLineEdit;
    search->setObjectName(QStringLiteral("overlaySearch"));
    search->setPlaceholderText(tr("Find a series"));
    search->setAccessibleName(search->placeholderText());
    search->setClearButtonEnabled(true);
    connect(search, &QLineEdit::textChanged, this, [this](const QString& text) {
        for (int row = 0; row < m_list->count(); ++row)
            m_list->item(row)->setHidden(!m_list->item(row)->text().contains(text, Qt::CaseInsensitive));
    });
    auto* side = new QWidget;
    auto* sideLayout = new QVBoxLayout(side);
    sideLayout->setContentsMargins(spacing::kBetween, 0, 0, 0);
    sideLayout->setSpacing(spacing::kBetween);
    sideLayout->addWidget(search);
    sideLayout->addWidget(m_list, 1);
    m_splitter->addWidget(side);
    m_splitter->addWidget(m_stack);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({kListWidth, 4 * kListWidth});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeControls());
    layout->addWidget(m_splitter, 1);
    m_clock->start();
}

OverlayBoard::~OverlayBoard()
{
    for (const auto& [series, shown] : m_shown)
        m_clock->remove(shown.plot);
}

QComboBox* OverlayBoard::makeBox(const char* name, const QString& accessible,
                                 const std::vector<std::pair<QString, QString>>& entries)
{
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(accessible);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const auto& [text, key] : entries)
        box->addItem(text, key);
    return box;
}

QWidget* OverlayBoard::makeControls()
{
    m_axis = makeBox("overlayAxis", tr("Horizontal axis"),
                     {{tr("Steps"), QStringLiteral("step")},
                      {tr("Time"), QStringLiteral("time")},
                      {tr("Epochs"), QStringLiteral("epoch")}});
    m_value = makeBox("overlayValue", tr("What is drawn"),
                      {{tr("Values"), QStringLiteral("plain")},
                       {tr("Difference to"), QStringLiteral("difference")},
                       {tr("Best so far"), QStringLiteral("best")}});
    m_baseline = makeBox("overlayBaseline", tr("Baseline"), {});
    m_group = makeBox("overlayGroup", tr("Groups"), {});
    m_band = makeBox("overlayBand", tr("Band of a group"),
                     {{tr("± standard deviation"), QStringLiteral("deviation")},
                      {tr("lowest to highest"), QStringLiteral("range")}});
    for (const auto& [box, key] :
         {std::pair{m_axis, kAxisKey}, std::pair{m_value, kValueKey}, std::pair{m_band, kBandKey}}) {
        box->setCurrentIndex(std::max(0, box->findData(m_settings.value(key))));
        connect(box, &QComboBox::currentIndexChanged, this, [this, box = box, key = key] {
            m_settings.setValue(key, box->currentData());
            refreshAll();
        });
    }
    connect(m_baseline, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_filling)
            refreshAll();
    });
    connect(m_group, &QComboBox::currentIndexChanged, this, [this] {
        if (m_filling)
            return;
        fillBaselines();
        refreshAll();
    });
    auto* controls = new QWidget;
    auto* row = new QHBoxLayout(controls);
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kBetween);
    const auto add = [row](const QString& text, QComboBox* box) {
        auto* label = new QLabel(text);
        label->setBuddy(box);
        row->addWidget(label);
        row->addWidget(box);
    };
    add(tr("Over"), m_axis);
    add(tr("Show"), m_value);
    row->addWidget(m_baseline);
    row->addSpacing(spacing::kBetween);
    add(tr("Group by"), m_group);
    row->addWidget(m_band);
    row->addStretch(1);
    return controls;
}

void OverlayBoard::show(const Comparison& comparison)
{
    m_filling = true;
    const QStringList remembered = m_settings.value(kSeriesKey).toStringList();
    m_list->clear();
    int ticked = 0;
    const std::vector<std::string> names = comparison.series();
    const bool knowsSome = std::any_of(names.begin(), names.end(), [&remembered](const std::string& name) {
        return remembered.contains(QString::fromStdString(name));
    });
    for (const std::string& name : names) {
        const QString text = QString::fromStdString(name);
        auto* item = new QListWidgetItem(text, m_list);
        item->setToolTip(text);
        const bool isUsual = ticked < kUsualPlots && (name == "train/loss" || name.starts_with("val/"));
        const bool isTicked = knowsSome ? remembered.contains(text) : isUsual;
        ticked += isTicked ? 1 : 0;
        item->setCheckState(isTicked ? Qt::Checked : Qt::Unchecked);
    }
    fillGroups(comparison);
    fillBaselines();
    m_filling = false;
    followSeries();
    refreshAll();
}

void OverlayBoard::fillGroups(const Comparison& comparison)
{
    const QVariant before = m_group->currentData();
    m_group->clear();
    m_group->addItem(tr("nothing"), QString());
    m_group->addItem(tr("all settings but the seed"), QString::fromLatin1(kGroupBySeeds));
    m_group->addItem(tr("tags"), QString::fromLatin1(kGroupByTag));
    for (const SettingDifference& setting : comparison.settings)
        m_group->addItem(QString::fromStdString(setting.path), QString::fromStdString(setting.path));
    m_group->setCurrentIndex(std::max(0, m_group->findData(before)));
}

void OverlayBoard::fillBaselines()
{
    const bool filling = std::exchange(m_filling, true);
    const QString by = m_group->currentData().toString();
    m_groups =
        m_reader.comparison() ? groupRuns(*m_reader.comparison(), by.toStdString()) : std::vector<RunGroup>{};
    const QString before = m_baseline->currentText();
    m_baseline->clear();
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        m_baseline->addItem(colorIcon(groupColor(i)), QString::fromStdString(m_groups[i].label));
    m_baseline->setCurrentIndex(std::max(0, m_baseline->findText(before)));
    m_filling = filling;
}

/// A run alone has its own colour, a group that of its place.
QColor OverlayBoard::groupColor(std::size_t group) const
{
    const RunGroup& one = m_groups[group];
    return one.runs.size() == 1 && m_groups.size() == m_reader.comparison()->runs.size()
               ? runColor(m_theme, *m_reader.comparison(), one.runs.front())
               : runColor(m_theme, group);
}

void OverlayBoard::groupBy(const QString& key)
{
    m_group->setCurrentIndex(std::max(0, m_group->findData(key)));
}

QStringList OverlayBoard::shownSeries() const
{
    QStringList names;
    for (int row = 0; row < m_list->count(); ++row)
        if (m_list->item(row)->checkState() == Qt::Checked)
            names << m_list->item(row)->text();
    return names;
}

void OverlayBoard::setSeriesShown(const QString& series, bool isShown)
{
    for (QListWidgetItem* item : m_list->findItems(series, Qt::MatchExactly))
        item->setCheckState(isShown ? Qt::Checked : Qt::Unchecked);
}

std::vector<OverlayPlot*> OverlayBoard::plots() const
{
    std::vector<OverlayPlot*> out;
    for (const QString& series : shownSeries())
        if (const auto found = m_shown.find(series); found != m_shown.end())
            out.push_back(found->second.plot);
    return out;
}

CurveAxis OverlayBoard::axis() const
{
    const QString key = m_axis->currentData().toString();
    return key == u"time" ? CurveAxis::Time : key == u"epoch" ? CurveAxis::Epoch : CurveAxis::Step;
}

void OverlayBoard::followSeries()
{
    const QStringList wanted = shownSeries();
    m_settings.setValue(kSeriesKey, wanted);
    for (auto entry = m_shown.begin(); entry != m_shown.end();) {
        if (wanted.contains(entry->first)) {
            ++entry;
            continue;
        }
        m_clock->remove(entry->second.plot);
        entry->second.plot->deleteLater();
        entry->second.plot->hide();
        entry = m_shown.erase(entry);
    }
    std::set<std::string> kept;
    for (const QString& series : wanted)
        kept.insert(series.toStdString());
    m_reader.keep(kept);
    while (QLayoutItem* item = m_column->takeAt(0))
        delete item;
    for (const QString& series : wanted) {
        const bool isNew = !m_shown.contains(series);
        Shown& shown = m_shown[series];
        if (isNew) {
            shown = {new OverlayPlot(m_theme), ++m_lastSlot};
            shown.plot->setTitle(series);
            shown.plot->setMinimumHeight(kPlotHeight);
            connect(shown.plot, &OverlayPlot::exportFailed, this, &OverlayBoard::failed);
            connect(shown.plot, &OverlayPlot::exported, this,
                    [this](const QString& file) { Q_EMIT said(tr("Saved %1").arg(file)); });
            m_clock->add(shown.plot);
        }
        m_column->addWidget(shown.plot, 1);
        if (isNew)
            refresh(series);
    }
    m_stack->setCurrentIndex(wanted.isEmpty() ? 1 : 0);
}

void OverlayBoard::refreshAll()
{
    m_baseline->setVisible(m_value->currentData() == QStringLiteral("difference"));
    const bool someGroups = std::any_of(m_groups.begin(), m_groups.end(),
                                        [](const RunGroup& group) { return group.runs.size() > 1; });
    m_band->setVisible(someGroups);
    for (const auto& [series, shown] : m_shown)
        refresh(series);
}

OverlaySettings OverlayBoard::settingsFor(const std::string& series) const
{
    OverlaySettings settings;
    settings.axis = axis();
    const QString value = m_value->currentData().toString();
    settings.value = value == u"difference" ? OverlayValue::Difference
                     : value == u"best"     ? OverlayValue::BestSoFar
                                            : OverlayValue::Plain;
    settings.baseline = static_cast<std::size_t>(std::max(0, m_baseline->currentIndex()));
    settings.band = m_band->currentData() == QStringLiteral("range") ? BandKind::Range : BandKind::Deviation;
    settings.better = naturalMode(series) == MonitorMode::Max ? Better::Higher : Better::Lower;
    return settings;
}

void OverlayBoard::refresh(const QString& series)
{
    const auto shown = m_shown.find(series);
    if (shown == m_shown.end() || m_reader.comparison() == nullptr)
        return;
    shown->second.plot->setXTitle(axis() == CurveAxis::Step   ? tr("step")
                                  : axis() == CurveAxis::Time ? tr("seconds of training")
                                                              : tr("epoch"));
    m_reader.requestLines(
        shown->second.slot, series.toStdString(), m_groups, settingsFor(series.toStdString()),
        [this, series](const Result<std::vector<OverlayLine>>& lines) { takeLines(series, lines); });
}

void OverlayBoard::takeLines(const QString& series, const Result<std::vector<OverlayLine>>& lines)
{
    const auto shown = m_shown.find(series);
    if (shown == m_shown.end())
        return;
    if (!lines) {
        Q_EMIT failed(lines.error());
        return;
    }
    std::vector<OverlayCurve> curves;
    for (const OverlayLine& line : *lines) {
        const RunGroup& group = m_groups[line.group];
        QString label = QString::fromStdString(group.label);
        if (group.runs.size() > 1)
            label += tr(" (%1 runs)").arg(group.runs.size());
        curves.push_back({QStringLiteral("%1 %2").arg(line.group).arg(label), label, groupColor(line.group),
                          runPenStyle(line.group), line.curve, line.low, line.high});
    }
    shown->second.plot->setCurves(std::move(curves));
    Q_EMIT drawn(series);
}

} // namespace athanor
