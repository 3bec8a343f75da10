// Windows over the rows of a table in their order: what was, to predict what comes.
#include "engine/data/sources/source.h"

#include "engine/graph/node_catalog.h"
#include "engine/graph/name_match.h"

#include <algorithm>
#include <cstring>

namespace athanor {

namespace {

struct WindowShape {
    std::int64_t window = 1;
    std::int64_t horizon = 1;
    std::int64_t stride = 1;

    [[nodiscard]] std::int64_t rows() const { return window + horizon; }
    [[nodiscard]] std::int64_t count(std::int64_t series) const
    {
        return series < rows() ? 0 : (series - rows()) / stride + 1;
    }
};

std::vector<FieldLayout> windowLayouts(const FieldLayout& features, std::size_t target, const WindowShape& shape)
{
    FieldLayout window{"features", Element::Float32, {shape.window, features.shape[0]}};
    window.columnNames = features.columnNames;
    FieldLayout answer{"target", Element::Float32, {shape.horizon}};
    const std::string name = target < features.columnNames.size() ? features.columnNames[target] : "value";
    for (std::int64_t step = 1; step <= shape.horizon; ++step)
        answer.columnNames.push_back(name + " +" + std::to_string(step));
    return {std::move(window), std::move(answer)};
}

class WindowDataset final : public Dataset {
public:
    WindowDataset(std::unique_ptr<Dataset> series, std::size_t target, WindowShape shape)
        : Dataset(windowLayouts(series->fields()[0], target, shape)), m_series(std::move(series)),
          m_target(target), m_shape(shape)
    {}

    [[nodiscard]] std::int64_t size() const override { return m_shape.count(m_series->size()); }

    Status read(std::int64_t index, Sample& sample) const override
    {
        sample.resize(2);
        const auto width = static_cast<std::size_t>(fields()[0].shape[1]);
        auto* out = reinterpret_cast<float*>(sample[0].write(Element::Float32, fields()[0].shape));
        auto* ahead = reinterpret_cast<float*>(sample[1].write(Element::Float32, fields()[1].shape));
        Sample row;
        for (std::int64_t step = 0; step < m_shape.rows(); ++step) {
            if (const Status status = m_series->read(rows(index).first + step, row); !status)
                return status;
            if (step >= m_shape.window)
                *ahead++ = row[0].float32()[m_target];
            else
                std::memcpy(out + static_cast<std::size_t>(step) * width, row[0].bytes(), width * sizeof(float));
        }
        return Done{};
    }

    [[nodiscard]] std::string sampleName(std::int64_t index) const override
    {
        return m_series->sampleName(rows(index).first) + " and the " + std::to_string(m_shape.rows() - 1) +
               " rows after it";
    }
    [[nodiscard]] std::int64_t indexValue(std::size_t, std::int64_t) const override { return 0; }
    [[nodiscard]] RowSpan rows(std::int64_t index) const override
    {
        return {index * m_shape.stride, index * m_shape.stride + m_shape.rows()};
    }
    [[nodiscard]] std::vector<std::string> keyColumns() const override { return m_series->keyColumns(); }
    /// The key of the window's last row: when it is known.
    [[nodiscard]] std::string keyText(std::size_t column, std::int64_t index) const override
    {
        return m_series->keyText(column, rows(index).last - 1);
    }

    Status learnFrom(const Dataset& training, const std::vector<std::int64_t>& samples) override
    {
        const auto* other = dynamic_cast<const WindowDataset*>(&training);
        if (other == nullptr)
            return invalid("It is read otherwise than the training part", "All parts need sources of one kind");
        std::vector<std::int64_t> seen; // rows
        for (const std::int64_t sample : samples)
            for (std::int64_t row = other->rows(sample).first; row < other->rows(sample).last; ++row)
                seen.push_back(row);
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        const std::vector<std::string> before = m_series->fields()[0].columnNames;
        if (const Status status = m_series->learnFrom(*other->m_series, seen); !status)
            return status;
        const FieldLayout& features = m_series->fields()[0]; // categories have become columns
        if (m_target < before.size()) {
            const auto& names = features.columnNames;
            m_target = static_cast<std::size_t>(std::find(names.begin(), names.end(), before[m_target]) -
                                                names.begin());
            if (m_target == names.size())
                return invalid("A category cannot be told from a series", "Name a column of numbers", "target");
        }
        setFields(windowLayouts(features, m_target, m_shape));
        return Done{};
    }

protected:
    void mapClasses(std::size_t, const std::vector<std::int64_t>&) override {}

private:
    std::unique_ptr<Dataset> m_series;
    std::size_t m_target;
    WindowShape m_shape;
};

bool isArray(const std::string& path)
{
    return path.ends_with(".npy") || path.ends_with(".npz");
}

/// The series as a data set whose first field is `features`, one row per time step.
OpenedDataset openSeries(const SourceNode& node)
{
    SourceNode inner = node;
    const auto path = node.params.at("path").get<std::string>();
    if (isArray(path)) {
        inner.kind = "NumpyFile";
        inner.params = completeParams(*dataCatalog().find("NumpyFile"), {{"fields", {{"features", path}}}});
        OpenedDataset series = openSource(inner);
        if (!series && series.error().where == dataPlace(node.id, "fields"))
            return node.error(series.error().code, "path", series.error().message, series.error().hint);
        return series;
    }
    inner.kind = "CsvTable";
    inner.params = completeParams(*dataCatalog().find("CsvTable"),
                                  {{"path", path},
                                   {"header", node.params.at("header")},
                                   {"separator", node.params.at("separator")},
                                   {"encoding", node.params.at("encoding")},
                                   {"decimal", node.params.at("decimal")},
                                   {"ignore", node.params.at("ignore")},
                                   {"types", node.params.at("types")},
                                   {"missing", node.params.at("missing")}});
    return openSource(inner);
}

Result<std::size_t> targetColumn(const SourceNode& node, const FieldLayout& features)
{
    const Json& target = node.params.at("target");
    const std::int64_t width = features.shape[0];
    if (target.is_string()) {
        const auto& names = features.columnNames;
        const auto found = std::find(names.begin(), names.end(), target.get<std::string>());
        if (found != names.end())
            return static_cast<std::size_t>(found - names.begin());
        return node.error(ErrorCode::InvalidArgument, "target",
                          "No column of the series is named '" + target.get<std::string>() + "'",
                          "Did you mean '" + nearestName(target.get<std::string>(), names) + "'?");
    }
    const auto number = target.get<std::int64_t>();
    if (number < -width || number >= width)
        return node.error(ErrorCode::InvalidArgument, "target",
                          "The series has no column " + std::to_string(number),
                          "Its columns are numbered from 0 to " + std::to_string(width - 1) +
                              ", without those that are left out");
    return static_cast<std::size_t>(number < 0 ? number + width : number);
}

} // namespace

OpenedDataset openSequenceWindows(const SourceNode& node)
{
    OpenedDataset series = openSeries(node);
    if (!series)
        return series.error();
    const FieldLayout& features = (*series)->fields()[0];
    if (features.element != Element::Float32 || features.shape.size() != 1)
        return node.error(ErrorCode::InvalidArgument, "path",
                          "A series holds one row of numbers per time step, this holds " +
                              shapeText(features.shape),
                          "Save it as time steps × columns of floating point numbers");
    const Result<std::size_t> target = targetColumn(node, features);
    if (!target)
        return target.error();
    const WindowShape shape{node.params.at("window").get<std::int64_t>(),
                            node.params.at("horizon").get<std::int64_t>(),
                            node.params.at("stride").get<std::int64_t>()};
    if (shape.count((*series)->size()) == 0)
        return node.error(ErrorCode::InvalidArgument, "window",
                          "The series has " + std::to_string((*series)->size()) + " rows, a window of " +
                              std::to_string(shape.window) + " and " + std::to_string(shape.horizon) +
                              " to predict need " + std::to_string(shape.rows()),
                          "Make window or horizon shorter");
    return std::unique_ptr<Dataset>(std::make_unique<WindowDataset>(std::move(*series), *target, shape));
}

} // namespace athanor
