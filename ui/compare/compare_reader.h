// GUI thread; reads on the thread of its HistoryReader. Runs and their points, for a comparison.
#pragma once

#include "engine/compare/overlay.h"

#include <QObject>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace athanor {

class HistoryReader;

/// The points of one series, one entry per run; those without it are empty.
using PointsOfRuns = std::shared_ptr<const std::vector<SeriesPoints>>;

class CompareReader : public QObject {
    Q_OBJECT
public:
    explicit CompareReader(QObject* parent = nullptr);
    ~CompareReader() override;

    /// Reads the runs; loaded() or failed() follows. What was asked for before is dropped.
    void load(const std::filesystem::path& storeFile, std::vector<RunId> runs);
    void cancel();
    [[nodiscard]] const std::shared_ptr<const Comparison>& comparison() const { return m_comparison; }
    [[nodiscard]] const std::filesystem::path& storeFile() const { return m_storeFile; }

    /// The lines of an overlay of one series; `done` is called on the GUI thread unless another question of the same
    /// `slot` has come, or other runs. Points stay in memory while keep() names their series.
    void requestLines(int slot, const std::string& series, std::vector<RunGroup> groups,
                      OverlaySettings settings, std::function<void(Result<std::vector<OverlayLine>>)> done);
    void keep(const std::set<std::string>& series);
    /// What the rules say of the runs; needs all of their points, so it is read beside the curves, on a thread of its own.
    void requestFindings(std::function<void(Result<std::vector<FindingDifference>>)> done);
    /// Writes the report of what is compared.
    void writeReport(const std::filesystem::path& file, std::vector<std::string> series, CurveAxis axis,
                     std::function<void(Status)> done);

Q_SIGNALS:
    void progressChanged(int done, int all);
    void findingsProgressed(int done, int all);
    void loaded();
    void failed(const athanor::Error& error);

private:
    [[nodiscard]] CompareOptions options(void (CompareReader::*progress)(int, int));

    std::filesystem::path m_storeFile;
    std::shared_ptr<const Comparison> m_comparison;
    std::map<std::string, PointsOfRuns> m_points;
    std::shared_ptr<std::atomic<bool>> m_cancelled; ///< of the newest load; shared with its job
    HistoryReader* m_reader;
    HistoryReader* m_slowReader; ///< findings and reports
};

} // namespace athanor
