// GUI thread (plain data). Which plots a board has, in which order, with which options; kept as JSON.
#pragma once

#include "engine/metrics/metric.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <set>
#include <vector>

namespace athanor {

/// One plot of a board. Those of the default board choose their series by what the run has; plots that the
/// user added name theirs.
struct PlotSpec {
    QString id;                ///< "loss", …; "user:…" for the user's own
    QStringList series;        ///< of a user's plot
    bool isLogarithmic = false;
    int smoothingSpan = 0;     ///< steps; 0 = off
    QStringList hiddenSeries;  ///< switched off in the legend
    bool operator==(const PlotSpec&) const = default;

    [[nodiscard]] bool isUsers() const { return id.startsWith(QStringLiteral("user:")); }
    static PlotSpec ofSeries(const QStringList& series);
};

/// The plots that open by themselves, in order.
std::vector<PlotSpec> defaultPlots();

/// What a plot shows of a run.
struct PlotContents {
    QString title;
    QString unit;
    std::vector<std::string> series;
    std::size_t matching = 0; ///< series that would fit; more than `series` when those were too many
};
/// At most kCurvesByDefault series for a default plot, evenly spread over those that match; all of a user's.
PlotContents contentsOf(const PlotSpec& spec, const std::vector<SeriesInfo>& infos);
inline constexpr std::size_t kCurvesByDefault = 8;

/// The order and options of a project's board. Default plots that the layout does not know come at the end,
/// unless the user closed them.
class BoardLayout {
public:
    BoardLayout() : m_plots(defaultPlots()) {}

    [[nodiscard]] const std::vector<PlotSpec>& plots() const { return m_plots; }
    [[nodiscard]] PlotSpec* find(const QString& id);
    void add(const PlotSpec& spec); ///< at the end
    void close(const QString& id);
    /// Puts the plot `id` before the plot `before` (at the end when that is empty or unknown).
    void move(const QString& id, const QString& before);
    [[nodiscard]] bool isDefault() const { return m_plots == defaultPlots(); }

    [[nodiscard]] QByteArray toJson() const;
    /// What cannot be read is left out; anything damaged gives the default board.
    static BoardLayout fromJson(const QByteArray& json);

private:
    std::vector<PlotSpec> m_plots;
    std::set<QString> m_closed; ///< ids of default plots
};

} // namespace athanor
