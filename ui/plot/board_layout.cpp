#include "ui/plot/board_layout.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace athanor {
namespace {

bool startsWith(const std::string& text, std::string_view start)
{
    return text.compare(0, start.size(), start) == 0;
}

bool endsWith(const std::string& text, std::string_view end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool isMeasuredPart(const std::string& name)
{
    return startsWith(name, "train/") || startsWith(name, "val/") || startsWith(name, "test/");
}

bool isLoss(const SeriesInfo& info)
{
    return isMeasuredPart(info.name) && endsWith(info.name, "/loss");
}

/// One plot of the default board.
struct DefaultPlot {
    const char* id;
    const char* title; ///< translated in the context of MetricsBoard
    bool isLogarithmic;
    bool (*matches)(const SeriesInfo& info);
};

constexpr DefaultPlot kDefaultPlots[] = {
    {"loss", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Loss"), false, isLoss},
    {"metrics", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Metrics"), false,
     [](const SeriesInfo& info) { return isMeasuredPart(info.name) && !isLoss(info); }},
    {"lr", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Learning rate"), false,
     [](const SeriesInfo& info) { return info.name == "lr" || startsWith(info.name, "lr/"); }},
    {"grad_norm", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Gradient norm, all parameters"), true,
     [](const SeriesInfo& info) { return info.name == "grad_norm"; }},
    {"grad_norms", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Gradient norm by parameter"), true,
     [](const SeriesInfo& info) { return startsWith(info.name, "grad_norm/"); }},
    {"update_ratios", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Update to weight ratio"), true,
     [](const SeriesInfo& info) { return startsWith(info.name, "update_ratio/"); }},
    {"activation_mean", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Activation mean"), false,
     [](const SeriesInfo& info) { return startsWith(info.name, "activation/") && endsWith(info.name, "/mean"); }},
    {"activation_std", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Activation standard deviation"), false,
     [](const SeriesInfo& info) { return startsWith(info.name, "activation/") && endsWith(info.name, "/std"); }},
    {"zeros", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Share of zeros"), false,
     [](const SeriesInfo& info) { return startsWith(info.name, "activation/") && endsWith(info.name, "/zeros"); }},
    {"bn_mean", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "BatchNorm running mean"), false,
     [](const SeriesInfo& info) { return startsWith(info.name, "bn_running_mean/"); }},
    {"bn_var", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "BatchNorm running variance"), false,
     [](const SeriesInfo& info) { return startsWith(info.name, "bn_running_var/"); }},
    {"throughput", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Throughput"), false,
     [](const SeriesInfo& info) { return info.role == SeriesRole::Machine && info.unit == "1/s"; }},
    {"times", QT_TRANSLATE_NOOP("athanor::MetricsBoard", "Time in a step"), false,
     [](const SeriesInfo& info) { return info.role == SeriesRole::Machine && info.unit == "ms"; }},
};

const DefaultPlot* defaultPlot(const QString& id)
{
    const auto* found = std::find_if(std::begin(kDefaultPlots), std::end(kDefaultPlots),
                                     [&](const DefaultPlot& plot) { return id == QLatin1String(plot.id); });
    return found == std::end(kDefaultPlots) ? nullptr : found;
}

/// At most kCurvesByDefault, the first one always. Weights come before biases, for their gradients and
/// updates tell more; of too many they are spread evenly.
std::vector<std::string> chosenFrom(std::vector<std::string> names)
{
    const auto rest = std::stable_partition(names.begin(), names.end(),
                                            [](const std::string& name) { return endsWith(name, ".weight"); });
    const auto weights = static_cast<std::size_t>(rest - names.begin());
    if (weights > kCurvesByDefault)
        names.erase(rest, names.end());
    else if (weights > 0 && names.size() > kCurvesByDefault)
        names.resize(kCurvesByDefault);
    if (names.size() <= kCurvesByDefault)
        return names;
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < kCurvesByDefault; ++i)
        chosen.push_back(names[i * names.size() / kCurvesByDefault]);
    return chosen;
}

QString commonUnit(const std::vector<std::string>& series, const std::vector<SeriesInfo>& infos)
{
    std::set<std::string> units;
    for (const SeriesInfo& info : infos) {
        if (std::find(series.begin(), series.end(), info.name) != series.end())
            units.insert(info.unit);
    }
    return units.size() == 1 ? QString::fromStdString(*units.begin()) : QString();
}

QString titleOfSeries(const QStringList& series)
{
    if (series.size() == 1)
        return series.front();
    QString common = series.front();
    for (const QString& name : series) {
        while (!name.startsWith(common))
            common.chop(1);
    }
    common = common.left(common.lastIndexOf(u'/'));
    return common.isEmpty() ? QCoreApplication::translate("athanor::MetricsBoard", "%n series", nullptr,
                                                          static_cast<int>(series.size()))
                            : common;
}

QJsonObject toObject(const PlotSpec& spec)
{
    QJsonObject object{{QStringLiteral("id"), spec.id}, {QStringLiteral("log"), spec.isLogarithmic}};
    if (spec.smoothingSpan > 0)
        object.insert(QStringLiteral("smooth"), spec.smoothingSpan);
    if (!spec.series.isEmpty())
        object.insert(QStringLiteral("series"), QJsonArray::fromStringList(spec.series));
    if (!spec.hiddenSeries.isEmpty())
        object.insert(QStringLiteral("hidden"), QJsonArray::fromStringList(spec.hiddenSeries));
    return object;
}

QStringList stringsIn(const QJsonValue& value)
{
    QStringList strings;
    for (const QJsonValue& entry : value.toArray()) {
        if (entry.isString())
            strings << entry.toString();
    }
    return strings;
}

PlotSpec fromObject(const QJsonObject& object)
{
    PlotSpec spec;
    spec.id = object.value(QStringLiteral("id")).toString();
    spec.isLogarithmic = object.value(QStringLiteral("log")).toBool();
    spec.smoothingSpan = std::max(0, object.value(QStringLiteral("smooth")).toInt());
    spec.series = stringsIn(object.value(QStringLiteral("series")));
    spec.hiddenSeries = stringsIn(object.value(QStringLiteral("hidden")));
    return spec;
}

} // namespace

PlotSpec PlotSpec::ofSeries(const QStringList& series)
{
    PlotSpec spec;
    spec.id = QStringLiteral("user:") + series.join(u',');
    spec.series = series;
    return spec;
}

std::vector<PlotSpec> defaultPlots()
{
    std::vector<PlotSpec> plots;
    for (const DefaultPlot& plot : kDefaultPlots) {
        PlotSpec spec;
        spec.id = QLatin1String(plot.id);
        spec.isLogarithmic = plot.isLogarithmic;
        plots.push_back(spec);
    }
    return plots;
}

PlotContents contentsOf(const PlotSpec& spec, const std::vector<SeriesInfo>& infos)
{
    PlotContents contents;
    const DefaultPlot* plot = defaultPlot(spec.id);
    for (const SeriesInfo& info : infos) {
        const bool matches = plot != nullptr ? plot->matches(info) : spec.series.contains(QString::fromStdString(info.name));
        if (matches)
            contents.series.push_back(info.name);
    }
    contents.matching = contents.series.size();
    if (plot != nullptr)
        contents.series = chosenFrom(std::move(contents.series));
    contents.title = plot != nullptr ? QCoreApplication::translate("athanor::MetricsBoard", plot->title)
                                     : titleOfSeries(spec.series);
    contents.unit = commonUnit(contents.series, infos);
    return contents;
}

PlotSpec* BoardLayout::find(const QString& id)
{
    const auto found = std::find_if(m_plots.begin(), m_plots.end(), [&](const PlotSpec& spec) { return spec.id == id; });
    return found == m_plots.end() ? nullptr : &*found;
}

void BoardLayout::add(const PlotSpec& spec)
{
    if (find(spec.id) == nullptr)
        m_plots.push_back(spec);
    m_closed.erase(spec.id);
}

void BoardLayout::close(const QString& id)
{
    std::erase_if(m_plots, [&](const PlotSpec& spec) { return spec.id == id; });
    if (defaultPlot(id) != nullptr)
        m_closed.insert(id);
}

void BoardLayout::move(const QString& id, const QString& before)
{
    const PlotSpec* found = find(id);
    if (found == nullptr || id == before)
        return;
    const PlotSpec moved = *found;
    std::erase_if(m_plots, [&](const PlotSpec& spec) { return spec.id == id; });
    const auto place = std::find_if(m_plots.begin(), m_plots.end(), [&](const PlotSpec& spec) { return spec.id == before; });
    m_plots.insert(place, moved);
}

QByteArray BoardLayout::toJson() const
{
    QJsonArray plots;
    for (const PlotSpec& spec : m_plots)
        plots.append(toObject(spec));
    const QJsonArray closed = QJsonArray::fromStringList(QStringList(m_closed.begin(), m_closed.end()));
    return QJsonDocument(QJsonObject{{QStringLiteral("plots"), plots}, {QStringLiteral("closed"), closed}})
        .toJson(QJsonDocument::Compact);
}

BoardLayout BoardLayout::fromJson(const QByteArray& json)
{
    const QJsonObject root = QJsonDocument::fromJson(json).object();
    BoardLayout layout;
    if (!root.contains(QStringLiteral("plots")))
        return layout;
    layout.m_plots.clear();
    for (const QString& id : stringsIn(root.value(QStringLiteral("closed"))))
        layout.m_closed.insert(id);
    for (const QJsonValue& value : root.value(QStringLiteral("plots")).toArray()) {
        const PlotSpec spec = fromObject(value.toObject());
        const bool isKnown = defaultPlot(spec.id) != nullptr || (spec.isUsers() && !spec.series.isEmpty());
        if (isKnown && layout.find(spec.id) == nullptr)
            layout.m_plots.push_back(spec);
    }
    for (const PlotSpec& spec : defaultPlots()) {
        if (layout.find(spec.id) == nullptr && !layout.m_closed.contains(spec.id))
            layout.m_plots.push_back(spec);
    }
    return layout;
}

} // namespace athanor
