#include "engine/data/sample_check.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace athanor {

namespace {

/// PyTorch's ignore_index: a label that losses pass over.
constexpr std::int64_t kIgnoredLabel = -100;

class SampleCheck {
public:
    SampleCheck(std::size_t limit, const std::function<bool(std::int64_t, std::int64_t)>& progress)
        : m_limit(limit), m_progress(progress)
    {}

    std::vector<Problem> run(const OpenedData& data)
    {
        for (const auto& part : data.parts)
            m_all += part ? part->size() : 0;
        for (const auto& part : data.parts)
            if (part && !checkPart(*part))
                return std::move(m_problems);
        report();
        return std::move(m_problems);
    }

private:
    bool checkPart(const PartData& part)
    {
        for (const std::int64_t index : part.samples) {
            if (m_problems.size() >= m_limit || !report())
                return false;
            ++m_done;
            if (const Status status = part.readSample(index, 0, m_sample, m_scratch); !status) {
                const Error& error = status.error();
                m_problems.push_back({error.where, Severity::Error, error.message, error.hint});
                continue;
            }
            for (std::size_t field = 0; field < m_sample.size(); ++field)
                checkField(part, index, field);
        }
        return true;
    }

    /// Tells every hundredth sample and the end; false: cancelled.
    bool report()
    {
        constexpr std::int64_t kEvery = 100;
        const bool told = m_done % kEvery == 0 || m_done == m_all;
        return !told || !m_progress || m_progress(m_done, m_all);
    }

    void checkField(const PartData& part, std::int64_t index, std::size_t field)
    {
        const FieldLayout& layout = part.chain.layouts()[field];
        const Value& value = m_sample[field];
        const std::int64_t count = value.count();
        for (std::int64_t i = 0; i < count; ++i) {
            const bool bad = value.element() == Element::Int64 ? isBadLabel(value.int64()[i], layout)
                                                               : !std::isfinite(value.float32()[i]);
            if (!bad)
                continue;
            value.element() == Element::Int64 ? addLabel(part, index, layout, value.int64()[i])
                                              : addNumber(part, index, layout, i, value.float32()[i]);
            return; // one problem per field and sample is enough
        }
    }

    static bool isBadLabel(std::int64_t label, const FieldLayout& layout)
    {
        return label != kIgnoredLabel && (label < 0 || (layout.classes > 0 && label >= layout.classes));
    }

    void addLabel(const PartData& part, std::int64_t index, const FieldLayout& layout, std::int64_t label)
    {
        add(part, index,
            "'" + layout.name + "' is " + std::to_string(label) +
                (label < 0 ? ", below 0"
                           : ", but there are only " + std::to_string(layout.classes) +
                                 " classes, numbered from 0"),
            "Number the classes 0, 1, 2, …");
    }

    void addNumber(const PartData& part, std::int64_t index, const FieldLayout& layout, std::int64_t place,
                   float number)
    {
        const std::string text = std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
        std::string where = "'" + layout.name + "'";
        if (static_cast<std::int64_t>(layout.columnNames.size()) == elementCount(layout.shape))
            where += ", column '" + layout.columnNames[static_cast<std::size_t>(place)] + "'";
        else if (elementCount(layout.shape) > 1)
            where += ", number " + std::to_string(place);
        add(part, index, where + " is " + text,
            "Training on it makes the loss nan: drop the sample, or fill in a value");
    }

    void add(const PartData& part, std::int64_t index, const std::string& message, const std::string& hint)
    {
        if (m_problems.size() < m_limit)
            m_problems.push_back(
                {dataPlace(part.source), Severity::Error,
                 part.dataset->sampleName(index) + " (sample " + std::to_string(index) + "): " + message,
                 hint});
    }

    std::size_t m_limit;
    const std::function<bool(std::int64_t, std::int64_t)>& m_progress;
    std::vector<Problem> m_problems;
    std::int64_t m_done = 0;
    std::int64_t m_all = 0;
    Sample m_sample;
    Value m_scratch;
};

} // namespace

std::vector<Problem> checkAllSamples(const OpenedData& data, std::size_t limit,
                                     const std::function<bool(std::int64_t, std::int64_t)>& progress)
{
    return SampleCheck(limit, progress).run(data);
}

} // namespace athanor
