// The thread that called runPreflight. The rules of the pre-flight check: numbers of a scan in, findings out.
#pragma once

#include "engine/data/data_plan.h"
#include "engine/preflight/network_view.h"
#include "engine/preflight/scan.h"

namespace athanor {

inline constexpr const char* kPartNames[3] = {"train", "val", "test"};

/// Everything that the rules look at, and where they leave what they find.
struct Judgement {
    const Project& project;
    const DataPlan& graph;
    const ScanPlan& plan;
    const DataScan& scan;
    const NetworkView& network;
    PreflightResult& result;

    [[nodiscard]] const PartData& data(std::size_t part) const { return *plan.data->parts[part]; }
    [[nodiscard]] bool has(std::size_t part) const { return scan.parts[part].has_value(); }
    [[nodiscard]] const std::vector<FieldLayout>& layouts() const { return data(0).chain.layouts(); }
    [[nodiscard]] std::int64_t allSamples() const;
    [[nodiscard]] std::string columnName(const FieldLayout& layout,
                                         std::size_t column) const; ///< "'mass'", "x[3]"
    [[nodiscard]] std::string rowName(std::size_t part, std::int64_t position) const;

    /// A finding without samples, valid until the next one is added.
    DataFinding& add(const char* rule, Severity severity, std::string node, std::string message,
                     const char* why);
    /// Names a sample of the finding, as long as there is room, and counts it.
    void addSample(DataFinding& finding, std::size_t part, std::int64_t position,
                   std::string note = {}) const;
    void addProblem(std::size_t part, std::int64_t position, const std::string& message,
                    const std::string& hint);
};

// One function per theme; each adds what it finds.
void judgeReading(Judgement& j);    ///< unreadable samples
void judgeValues(Judgement& j);     ///< NaN, infinities
void judgeOutliers(Judgement& j);   ///< single values far away, marks for missing values
void judgeInputScale(Judgement& j); ///< not normalized, or with wrong numbers
void judgeTargetScale(Judgement& j);
void judgeColumns(Judgement& j);     ///< constant and equal columns
void judgeLabels(Judgement& j);      ///< range, numbering, balance
void judgeLabelColumn(Judgement& j); ///< the target is the wrong column, or shifted by a row
void judgeOrder(Judgement& j);       ///< sorted, and not shuffled
void judgeCopies(Judgement& j);      ///< the same sample twice, inside and across parts
void judgeNearCopies(Judgement& j);  ///< pictures that look the same
void judgeTargetLeak(Judgement& j);  ///< columns that give the target away
void judgeShift(Judgement& j);       ///< parts that differ
void judgePictures(Judgement& j);    ///< blank pictures, exchanged colours
void judgeTexts(Judgement& j);       ///< vocabulary, empty texts
void judgeBatches(Judgement& j);     ///< BatchNorm and batches of one

/// "3 samples", "1 sample".
std::string counted(std::int64_t count, const std::string& noun);
/// Four digits that count: "0.1307", "1.2e+06".
std::string numberText(double value);
std::string percent(double share); ///< "12 %", "0.3 %"

/// Inserts a transform before the Loader.
SuggestedFix insertBeforeLoader(const Project& project, const std::string& kind,
                                Json params = Json::object());
/// `data.<node>.<parameter>=<value>`, when the node's kind has that parameter and the project can take it.
std::optional<SuggestedFix> setFix(const Project& project, const std::string& node,
                                   const std::string& parameter, const Json& value, std::string text);

} // namespace athanor
