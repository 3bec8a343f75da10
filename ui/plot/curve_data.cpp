#include "ui/plot/curve_data.h"

#include "ui/plot/smoothing.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace athanor {
namespace {

constexpr std::int64_t kBeforeAll = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kAfterAll = std::numeric_limits<std::int64_t>::max();

std::int64_t ringStart(const SeriesView& view)
{
    return view.recent.empty() ? kAfterAll : view.recent.front().step;
}

/// The bucket's up to four telling points, in the order of their steps.
std::array<PlotPoint, 4> pointsOf(const SeriesBucket& bucket)
{
    const PlotPoint minimum{static_cast<double>(bucket.minStep), bucket.min};
    const PlotPoint maximum{static_cast<double>(bucket.maxStep), bucket.max};
    const bool minimumFirst = bucket.minStep <= bucket.maxStep;
    return {PlotPoint{static_cast<double>(bucket.firstStep), bucket.first}, minimumFirst ? minimum : maximum,
            minimumFirst ? maximum : minimum, PlotPoint{static_cast<double>(bucket.lastStep), bucket.last}};
}

/// Walks buckets, history and ring as one ascending sequence. The sink's calls: bucket(bucket, after, before)
/// for the part of a bucket with after < step < before, and sample(step, value).
template <typename Sink>
void walk(const SeriesView& view, const HistoryWindow* history, Sink&& sink)
{
    const std::int64_t ring = ringStart(view);
    const bool useHistory = history != nullptr && history->to >= history->from && history->from < ring;
    const std::int64_t historyFrom = useHistory ? history->from : ring;
    const std::int64_t historyTo = useHistory ? history->to : kBeforeAll;
    for (const SeriesBucket& bucket : view.buckets) {
        if (bucket.firstStep < std::min(historyFrom, ring))
            sink.bucket(bucket, kBeforeAll, std::min(historyFrom, ring));
    }
    if (useHistory) {
        for (std::size_t i = 0; i < history->points.steps.size() && history->points.steps[i] < ring; ++i) {
            if (history->points.steps[i] >= history->from && history->points.steps[i] <= history->to)
                sink.sample(history->points.steps[i], history->points.values[i]);
        }
        for (const SeriesBucket& bucket : view.buckets) {
            if (bucket.lastStep > historyTo && bucket.firstStep < ring)
                sink.bucket(bucket, historyTo, ring);
        }
    }
    for (const Sample& sample : view.recent)
        sink.sample(sample.step, sample.value);
}

struct RawSink {
    ColumnReducer reducer;
    PixelColumns columns;
    std::int64_t widestBucket = 0;

    void sample(std::int64_t step, double value) { reducer.add(static_cast<double>(step), value); }
    void bucket(const SeriesBucket& bucket, std::int64_t after, std::int64_t before)
    {
        if (bucket.count == bucket.nonFinite) {
            if (bucket.firstStep > after && bucket.firstStep < before)
                sample(bucket.firstStep, std::numeric_limits<double>::quiet_NaN());
            return;
        }
        for (const PlotPoint& point : pointsOf(bucket)) {
            const auto step = static_cast<std::int64_t>(point.x);
            if (step > after && step < before)
                reducer.add(point.x, point.y);
        }
        const auto drawnFrom = static_cast<double>(std::max(bucket.firstStep, after));
        const auto drawnTo = static_cast<double>(std::min(bucket.lastStep, before));
        if (bucket.count > 1 && drawnTo > columns.from && drawnFrom < columns.to)
            widestBucket = std::max(widestBucket, bucket.lastStep - bucket.firstStep);
    }
};

struct SmoothSink {
    ColumnReducer reducer;
    StepAverage average;

    void sample(std::int64_t step, double value)
    {
        if (std::isfinite(value))
            reducer.add(static_cast<double>(step), average.add(step, value));
    }
    void bucket(const SeriesBucket& bucket, std::int64_t after, std::int64_t before)
    {
        // A bucket that is cut counts with its whole mean up to the cut.
        const auto finite = bucket.count - bucket.nonFinite;
        if (finite == 0 || bucket.lastStep <= after)
            return;
        const std::int64_t step = std::min(bucket.lastStep, before - 1);
        reducer.add(static_cast<double>(step), average.add(step, bucket.sum / finite));
    }
};

/// Steps that the first sample stands for: the distance to the second one.
double firstGapOf(const SeriesView& view)
{
    if (!view.buckets.empty()) {
        const SeriesBucket& first = view.buckets.front();
        if (first.count > 1)
            return static_cast<double>(first.lastStep - first.firstStep) / (first.count - 1) * first.count;
        if (view.buckets.size() > 1)
            return static_cast<double>(view.buckets[1].firstStep - first.firstStep);
    }
    return view.recent.size() > 1 ? static_cast<double>(view.recent[1].step - view.recent[0].step) : 1;
}

ReducedCurve smoothedCurve(const SeriesView& view, const HistoryWindow* history, const CurveOptions& options)
{
    // The average needs every sample: thinned history would bend it, the buckets' means do not.
    const HistoryWindow* complete = history != nullptr && history->isComplete() ? history : nullptr;
    SmoothSink sink{ColumnReducer(options.columns, options.scale),
                    StepAverage(options.smoothingSpan, std::max(1.0, firstGapOf(view)))};
    walk(view, complete, sink);
    return sink.reducer.finish();
}

/// Steps of all non-finite samples that the view knows exactly, and one per bucket that holds others.
std::vector<double> nonFiniteSteps(const SeriesView& view, const HistoryWindow* history)
{
    std::vector<double> steps;
    for (const Sample& mark : view.nonFiniteMarks)
        steps.push_back(static_cast<double>(mark.step));
    if (history != nullptr) {
        for (std::size_t i = 0; i < history->points.steps.size(); ++i) {
            if (!std::isfinite(history->points.values[i]))
                steps.push_back(static_cast<double>(history->points.steps[i]));
        }
    }
    std::sort(steps.begin(), steps.end());
    const std::size_t exact = steps.size();
    for (const SeriesBucket& bucket : view.buckets) {
        if (bucket.nonFinite == 0)
            continue;
        const auto end = steps.begin() + static_cast<std::ptrdiff_t>(exact);
        const auto known = std::lower_bound(steps.begin(), end, static_cast<double>(bucket.firstStep));
        if (known == end || *known > static_cast<double>(bucket.lastStep))
            steps.push_back(static_cast<double>(bucket.firstStep));
    }
    std::sort(steps.begin(), steps.end());
    return steps;
}

} // namespace

CurveDrawing drawCurve(const SeriesView& view, const HistoryWindow* history, const CurveOptions& options)
{
    RawSink sink{ColumnReducer(options.columns, options.scale), options.columns};
    walk(view, history, sink);
    CurveDrawing drawing;
    drawing.raw = sink.reducer.finish();
    if (view.nonFinite > 0)
        drawing.raw.nonFinite = onePerColumn(nonFiniteSteps(view, history), options.columns);
    const bool thinnedTooFar = history != nullptr && history->stepsPerColumn > 1.01 * options.columns.stepsPerColumn();
    drawing.isCoarse =
        thinnedTooFar || static_cast<double>(sink.widestBucket) > std::max(1.0, options.columns.stepsPerColumn());
    if (options.smoothingSpan > 0)
        drawing.smoothed = smoothedCurve(view, history, options);
    return drawing;
}

std::optional<SeriesPoints> rawPoints(const SeriesView& view, std::int64_t from, std::int64_t to)
{
    const bool allInRing = view.count == static_cast<std::int64_t>(view.recent.size());
    if (!allInRing && from < ringStart(view))
        return std::nullopt;
    SeriesPoints points;
    for (const Sample& sample : view.recent) {
        if (sample.step < from || sample.step > to)
            continue;
        points.steps.push_back(sample.step);
        points.values.push_back(sample.value);
    }
    return points;
}

} // namespace athanor
