#include "engine/data/memory_dataset.h"

#include <cstring>

namespace athanor {

namespace {

std::vector<FieldLayout> layoutsOf(const std::vector<MemoryField>& fields)
{
    std::vector<FieldLayout> layouts;
    for (const MemoryField& field : fields)
        layouts.push_back(field.layout);
    return layouts;
}

class MemoryDataset final : public Dataset {
public:
    MemoryDataset(std::vector<MemoryField> fields, std::int64_t size,
                  std::function<std::string(std::int64_t)> nameOf);

    [[nodiscard]] std::int64_t size() const override { return m_size; }
    Status read(std::int64_t index, Sample& sample) const override;
    [[nodiscard]] std::string sampleName(std::int64_t index) const override { return m_nameOf(index); }
    [[nodiscard]] std::int64_t indexValue(std::size_t field, std::int64_t index) const override;

protected:
    void mapClasses(std::size_t field, const std::vector<std::int64_t>& map) override;

private:
    [[nodiscard]] const std::byte* at(std::size_t field, std::int64_t index) const;

    std::vector<std::vector<std::byte>> m_numbers; // per field
    std::vector<std::size_t> m_strides;            // bytes per sample and field
    std::int64_t m_size;
    std::function<std::string(std::int64_t)> m_nameOf;
};

MemoryDataset::MemoryDataset(std::vector<MemoryField> fields, std::int64_t size,
                             std::function<std::string(std::int64_t)> nameOf)
    : Dataset(layoutsOf(fields)), m_size(size), m_nameOf(std::move(nameOf))
{
    for (MemoryField& field : fields) {
        m_strides.push_back(static_cast<std::size_t>(elementCount(field.layout.shape)) *
                            elementSize(field.layout.element));
        m_numbers.push_back(std::move(field.numbers));
    }
}

const std::byte* MemoryDataset::at(std::size_t field, std::int64_t index) const
{
    return m_numbers[field].data() + m_strides[field] * static_cast<std::size_t>(index);
}

Status MemoryDataset::read(std::int64_t index, Sample& sample) const
{
    sample.resize(fields().size());
    for (std::size_t field = 0; field < sample.size(); ++field)
        sample[field].borrow(fields()[field], at(field, index));
    return Done{};
}

std::int64_t MemoryDataset::indexValue(std::size_t field, std::int64_t index) const
{
    std::int64_t value = 0;
    std::memcpy(&value, at(field, index), sizeof value);
    return value;
}

void MemoryDataset::mapClasses(std::size_t field, const std::vector<std::int64_t>& map)
{
    auto* values = reinterpret_cast<std::int64_t*>(m_numbers[field].data());
    const std::size_t count = m_numbers[field].size() / sizeof(std::int64_t);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = map[static_cast<std::size_t>(values[i])];
}

} // namespace

MemoryField makeMemoryField(FieldLayout layout, std::int64_t samples)
{
    const std::size_t stride =
        static_cast<std::size_t>(elementCount(layout.shape)) * elementSize(layout.element);
    return {std::move(layout), std::vector<std::byte>(stride * static_cast<std::size_t>(samples))};
}

std::unique_ptr<Dataset> makeMemoryDataset(std::vector<MemoryField> fields, std::int64_t size,
                                           std::function<std::string(std::int64_t)> nameOf)
{
    return std::make_unique<MemoryDataset>(std::move(fields), size, std::move(nameOf));
}

} // namespace athanor
