#include "ui/compare/compare_reader.h"

#include "engine/compare/report_html.h"
#include "engine/store/run_marks.h"
#include "ui/plot/history_reader.h"

#include <QPointer>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kLoadSlot = -1;
constexpr int kReportSlot = -2;
constexpr int kFindingsSlot = -3;

void addColors(const RunStore& store, Comparison& comparison)
{
    const auto marks = RunMarks::open(store.file());
    const auto all = marks ? marks->all() : Result<std::map<RunId, RunMark>>(marks.error());
    if (!all)
        return; // a store that is write-protected has its curves all the same
    for (ComparedRun& run : comparison.runs)
        if (const auto mark = all->find(run.info.id); mark != all->end())
            run.color = mark->second.color;
}

Result<PointsOfRuns> readPoints(const RunStore& store, const Comparison& comparison,
                                const std::string& series)
{
    std::vector<SeriesPoints> all;
    for (const ComparedRun& run : comparison.runs) {
        const bool has = std::any_of(run.summaries.begin(), run.summaries.end(),
                                     [&series](const SeriesSummary& one) { return one.name == series; });
        if (!has) {
            all.emplace_back();
            continue;
        }
        auto points = store.points(run.info.id, series);
        if (!points)
            return points.error();
        all.push_back(std::move(*points));
    }
    return PointsOfRuns(std::make_shared<const std::vector<SeriesPoints>>(std::move(all)));
}

} // namespace

CompareReader::CompareReader(QObject* parent)
    : QObject(parent), m_cancelled(std::make_shared<std::atomic<bool>>(false)),
      m_reader(new HistoryReader(this)), m_slowReader(new HistoryReader(this))
{}

CompareReader::~CompareReader()
{
    cancel();
    // Here, as their threads post to this object, which must still be whole.
    delete m_reader;
    delete m_slowReader;
}

void CompareReader::cancel()
{
    m_cancelled->store(true);
}

CompareOptions CompareReader::options(void (CompareReader::*progress)(int, int))
{
    CompareOptions options;
    options.cancelled = [flag = m_cancelled] { return flag->load(); };
    options.progress = [this, flag = m_cancelled, progress](std::size_t done, std::size_t all) {
        // This object outlives the readers' threads, which it joins.
        QMetaObject::invokeMethod(
            this,
            [this, flag, progress, done, all] {
                if (!flag->load())
                    Q_EMIT(this->*progress)(static_cast<int>(done), static_cast<int>(all));
            },
            Qt::QueuedConnection);
    };
    return options;
}

void CompareReader::load(const std::filesystem::path& storeFile, std::vector<RunId> runs)
{
    cancel();
    m_cancelled = std::make_shared<std::atomic<bool>>(false);
    m_storeFile = storeFile;
    m_points.clear();
    m_comparison = nullptr;
    CompareOptions options = this->options(&CompareReader::progressChanged);
    options.findings = false;
    m_reader->request(
        this, kLoadSlot, storeFile,
        [this, runs = std::move(runs), options](const Result<RunStore>& store) -> HistoryReader::Answer {
            auto read = std::make_shared<Result<Comparison>>(store ? compareRuns(*store, runs, options)
                                                                   : Result<Comparison>(store.error()));
            if (read->ok())
                addColors(*store, read->value());
            return [this, read] {
                if (!read->ok()) {
                    Q_EMIT failed(read->error());
                    return;
                }
                m_comparison = std::make_shared<const Comparison>(std::move(read->value()));
                Q_EMIT loaded();
            };
        });
}

void CompareReader::requestLines(int slot, const std::string& series, std::vector<RunGroup> groups,
                                 OverlaySettings settings,
                                 std::function<void(Result<std::vector<OverlayLine>>)> done)
{
    const auto known = m_points.find(series);
    PointsOfRuns points = known == m_points.end() ? nullptr : known->second;
    m_reader->request(this, slot, m_storeFile,
                      [this, comparison = m_comparison, series, groups = std::move(groups), settings,
                       done = std::move(done),
                       points = std::move(points)](const Result<RunStore>& store) -> HistoryReader::Answer {
                          using Lines = Result<std::vector<OverlayLine>>;
                          if (!store)
                              return [done, error = store.error()] { done(Lines(error)); };
                          PointsOfRuns read = points;
                          if (read == nullptr) {
                              auto fresh = readPoints(*store, *comparison, series);
                              if (!fresh)
                                  return [done, error = fresh.error()] { done(Lines(error)); };
                              read = std::move(*fresh);
                          }
                          auto lines =
                              std::make_shared<Lines>(overlayLines(*comparison, *read, groups, settings));
                          return [this, comparison, series, read, lines, done] {
                              if (comparison != m_comparison)
                                  return; // other runs are compared by now
                              m_points[series] = read;
                              done(std::move(*lines));
                          };
                      });
}

void CompareReader::keep(const std::set<std::string>& series)
{
    std::erase_if(m_points, [&series](const auto& entry) { return !series.contains(entry.first); });
}

void CompareReader::requestFindings(std::function<void(Result<std::vector<FindingDifference>>)> done)
{
    m_slowReader->request(
        this, kFindingsSlot, m_storeFile,
        [this, comparison = m_comparison, options = options(&CompareReader::findingsProgressed),
         done = std::move(done)](const Result<RunStore>& store) -> HistoryReader::Answer {
            Comparison filled = *comparison;
            const Status added = store ? addFindings(*store, filled, options) : Status(store.error());
            auto answer = std::make_shared<Result<std::vector<FindingDifference>>>(
                added ? Result<std::vector<FindingDifference>>(std::move(filled.findings))
                      : Result<std::vector<FindingDifference>>(added.error()));
            return [this, comparison, answer, done] {
                if (comparison == m_comparison)
                    done(std::move(*answer));
            };
        });
}

void CompareReader::writeReport(const std::filesystem::path& file, std::vector<std::string> series,
                                CurveAxis axis, std::function<void(Status)> done)
{
    m_slowReader->request(this, kReportSlot, m_storeFile,
                          [comparison = m_comparison, file, series = std::move(series), axis,
                           options = options(&CompareReader::findingsProgressed),
                           done = std::move(done)](const Result<RunStore>& store) -> HistoryReader::Answer {
                              Comparison filled = *comparison;
                              Status written =
                                  store ? addFindings(*store, filled, options) : Status(store.error());
                              if (written)
                                  written = athanor::writeReport(file, *store, filled, {{}, series, axis});
                              return [done, written] { done(written); };
                          });
}

} // namespace athanor
