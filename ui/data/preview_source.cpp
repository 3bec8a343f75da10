#include "ui/data/preview_source.h"

#include "engine/data/dataset.h"
#include "ui/bridge/text_format.h"
#include "ui/data/sample_picture.h"

#include <QStringList>

#include <algorithm>

namespace athanor {
namespace {

constexpr std::int64_t kMostColumns = 2000;  ///< of one field, as columns of their own
constexpr std::int64_t kMostRows = 100'000;  ///< that column statistics look at
constexpr std::int64_t kTensorSamples = 64;  ///< that tensor facts look at
constexpr qsizetype kCellText = 200;
constexpr std::size_t kMostTokens = 4096;
constexpr int kThumbnail = 192; ///< px: sharp at 200 % scale

QString oneLine(QString text)
{
    return text.left(kCellText).simplified();
}

/// Labels and targets; what is neither picture nor features.
QString labelText(const std::vector<FieldLayout>& layouts, const Sample& sample)
{
    QStringList texts;
    for (std::size_t i = 0; i < layouts.size(); ++i)
        if (layouts[i].shape.empty() || (layouts[i].shape.size() == 1 && layouts[i].name == "target"))
            texts.append(oneLine(valueText(layouts[i], sample[i])));
    return texts.join(QStringLiteral(", "));
}

QString restText(const std::vector<FieldLayout>& layouts, const Sample& sample)
{
    QStringList texts;
    for (std::size_t i = 0; i < layouts.size(); ++i)
        if (!layouts[i].shape.empty())
            texts.append(oneLine(valueText(layouts[i], sample[i])));
    return texts.join(u'\n');
}

/// The first picture among the fields.
QImage pictureIn(const std::vector<FieldLayout>& layouts, const Sample& sample, bool small)
{
    for (std::size_t i = 0; i < std::min(layouts.size(), sample.size()); ++i) {
        if (!isPicture(layouts[i]))
            continue;
        QImage image = pictureOf(layouts[i], sample[i]);
        if (small && std::max(image.width(), image.height()) > kThumbnail)
            image = image.scaled(kThumbnail, kThumbnail, Qt::KeepAspectRatio, Qt::SmoothTransformation);
        return image;
    }
    return {};
}

/// Layouts of values as they are: before a step they need not be as after it.
std::vector<FieldLayout> layoutsOf(const std::vector<FieldLayout>& layouts, const Sample& sample)
{
    std::vector<FieldLayout> own = layouts;
    for (std::size_t i = 0; i < std::min(own.size(), sample.size()); ++i) {
        own[i].element = sample[i].element();
        own[i].shape = sample[i].shape();
    }
    return own;
}

SampleCell cellOf(const DataPreview& preview, const PreviewView& view, std::int64_t position)
{
    SampleCell cell;
    cell.position = position;
    const Result<PreviewSample> sample = preview.read(view.node, view.part, position, view.epoch);
    if (!sample) {
        cell.error = QString::fromStdString(sample.error().message);
        return cell;
    }
    const std::vector<FieldLayout> layouts = preview.layouts(view.node, view.part);
    const Sample& shown = sample->picture.empty() ? sample->after : sample->picture;
    cell.name = QString::fromStdString(sample->name);
    cell.label = labelText(layouts, sample->after);
    cell.after = pictureIn(layoutsOf(layouts, shown), shown, true);
    if (cell.after.isNull())
        cell.text = restText(layouts, sample->after);
    if (view.compare && !sample->before.empty())
        cell.before = pictureIn(layoutsOf(layouts, sample->before), sample->before, true);
    return cell;
}

/// What is in a column of the table: a field, or one of its numbers.
struct TableColumn {
    QString name;
    std::size_t field = 0;
    std::int64_t place = -1; ///< −1: the field as a whole
};

bool isRow(const FieldLayout& layout)
{
    return layout.shape.empty() || (layout.shape.size() == 1 && layout.shape[0] >= 0 && layout.shape[0] <= kMostColumns);
}

std::vector<TableColumn> tableColumns(const std::vector<FieldLayout>& layouts)
{
    std::vector<TableColumn> columns;
    for (std::size_t field = 0; field < layouts.size(); ++field) {
        const FieldLayout& layout = layouts[field];
        if (layout.shape.empty() || !isRow(layout)) {
            columns.push_back({QString::fromStdString(layout.name), field, -1});
            continue;
        }
        for (std::int64_t place = 0; place < layout.shape[0]; ++place) {
            const auto at = static_cast<std::size_t>(place);
            columns.push_back({at < layout.columnNames.size()
                                   ? QString::fromStdString(layout.columnNames[at])
                                   : QStringLiteral("%1[%2]").arg(QString::fromStdString(layout.name)).arg(place),
                               field, place});
        }
    }
    return columns;
}

QStringList rowOf(const DataPreview& preview, const PreviewView& view, const std::vector<TableColumn>& columns,
                  const std::vector<FieldLayout>& layouts, std::int64_t position)
{
    const Result<PreviewSample> sample = preview.read(view.node, view.part, position, view.epoch);
    if (!sample)
        return {QString::fromStdString(sample.error().message), QString::fromStdString(sample.error().message)};
    QStringList row{QString::fromStdString(sample->name)};
    for (const TableColumn& column : columns) {
        const auto textIn = [&](const Sample& values) -> QString {
            if (column.field >= values.size())
                return {};
            const Value& value = values[column.field];
            if (column.place < 0)
                return oneLine(valueText(layouts[column.field], value));
            return column.place < value.count() ? elementText(value, column.place) : QString();
        };
        QString text = textIn(sample->after);
        if (view.compare && !sample->before.empty())
            if (const QString before = textIn(sample->before); before != text)
                text = before + QStringLiteral(" → ") + text;
        row.append(text);
    }
    return row;
}

QString factsLine(const FieldLayout& layout, const Value& value)
{
    const TensorFacts facts = factsOf({&value});
    QString line = QStringLiteral("%1: %2").arg(QString::fromStdString(layout.name), layoutText(layout));
    if (facts.count > 1 && !facts.histogram.empty())
        line += PreviewSource::tr(", %1 … %2, mean %3, standard deviation %4")
                    .arg(numberText(facts.least), numberText(facts.greatest), numberText(facts.mean),
                         numberText(facts.deviation));
    if (facts.nans + facts.infinities > 0)
        line += PreviewSource::tr(", %1 not finite").arg(countText(facts.nans + facts.infinities));
    return line;
}

FullSample fullOf(const DataPreview& preview, const PreviewView& view, std::int64_t position)
{
    FullSample full;
    const Result<PreviewSample> sample = preview.read(view.node, view.part, position, view.epoch);
    if (!sample) {
        full.facts = QString::fromStdString(sample.error().text());
        return full;
    }
    const std::vector<FieldLayout> layouts = layoutsOf(preview.layouts(view.node, view.part), sample->after);
    const Sample& shown = sample->picture.empty() ? sample->after : sample->picture;
    full.name = QString::fromStdString(sample->name);
    full.label = labelText(layouts, sample->after);
    full.after = pictureIn(layoutsOf(layouts, shown), shown, false);
    full.before = pictureIn(layoutsOf(layouts, sample->before), sample->before, false);
    QStringList lines;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        lines.append(factsLine(layouts[i], sample->after[i]));
        const Value& value = sample->after[i];
        if (isText(layouts[i]))
            full.text = valueText(layouts[i], value);
        if (layouts[i].element != Element::Int64 || value.shape().size() != 1)
            continue;
        const auto count = std::min(kMostTokens, static_cast<std::size_t>(value.count()));
        for (std::size_t token = 0; token < count; ++token) {
            const std::int64_t id = value.int64()[token];
            const bool named = id >= 0 && id < static_cast<std::int64_t>(layouts[i].classNames.size());
            full.ids.push_back(id);
            full.tokens.push_back(named ? QString::fromStdString(layouts[i].classNames[static_cast<std::size_t>(id)])
                                        : QString::number(id));
        }
    }
    if (!sample->picture.empty())
        lines.append(PreviewSource::tr("The picture is drawn without the scaling; the numbers are the true ones."));
    full.facts = lines.join(u'\n');
    return full;
}

/// Facts in the order of tableColumns(); empty ones where a field is no row of numbers.
Result<TableFacts> columnFacts(const DataPreview& preview, const PreviewView& view, const std::stop_token& stop)
{
    TableFacts all;
    const std::vector<FieldLayout> layouts = preview.layouts(view.node, view.part);
    for (std::size_t field = 0; field < layouts.size(); ++field) {
        if (!isRow(layouts[field])) {
            all.columns.push_back({layouts[field].name, {}});
            continue;
        }
        Result<TableFacts> facts = tableFacts(preview, view.node, view.part, field, kMostRows, stop, {});
        if (!facts)
            return facts.error();
        all.rows = facts->rows;
        for (ColumnFacts& column : facts->columns)
            all.columns.push_back(std::move(column));
    }
    return all;
}

std::vector<ColumnFacts> tensorFacts(const DataPreview& preview, const PreviewView& view, const std::stop_token& stop)
{
    const std::vector<FieldLayout> layouts = preview.layouts(view.node, view.part);
    const std::int64_t all = preview.sizes(view.node)[static_cast<std::size_t>(view.part)];
    const std::int64_t count = std::min(all, kTensorSamples);
    std::vector<Sample> samples;
    for (std::int64_t i = 0; i < count && !stop.stop_requested(); ++i) {
        Result<Sample> sample = preview.readAfter(view.node, view.part, i * all / count, view.epoch);
        if (sample)
            samples.push_back(std::move(*sample));
    }
    std::vector<ColumnFacts> fields;
    for (std::size_t field = 0; field < layouts.size(); ++field) {
        std::vector<const Value*> values;
        for (const Sample& sample : samples)
            values.push_back(&sample[field]);
        fields.push_back({layouts[field].name + "\n" + layoutText(layouts[field]).toStdString(), factsOf(values)});
    }
    return fields;
}

} // namespace

ViewLayout layoutOf(const DataPreview& preview, const PreviewView& view)
{
    ViewLayout result;
    const std::vector<FieldLayout> layouts = preview.layouts(view.node, view.part);
    for (const FieldLayout& layout : layouts) {
        result.fields.append(QStringLiteral("%1 %2").arg(QString::fromStdString(layout.name), layoutText(layout)));
        result.isTable = result.isTable && !isPicture(layout);
        result.hasTokens = result.hasTokens || isText(layout) ||
                           (layout.element == Element::Int64 && layout.shape.size() == 1);
    }
    for (const TableColumn& column : tableColumns(layouts))
        result.columns.append(column.name);
    return result;
}

PreviewSource::PreviewSource(QObject* parent) : QObject(parent), m_open(&DataPreview::open) {}

PreviewSource::~PreviewSource() = default;

template <typename Answer> void PreviewSource::post(std::uint64_t generation, Answer answer)
{
    QMetaObject::invokeMethod(
        this,
        [this, generation, answer = std::move(answer)] {
            if (generation == m_generation)
                answer();
        },
        Qt::QueuedConnection);
}

void PreviewSource::open(const Project& project, const NodeId& node)
{
    dropQuestions();
    m_preview.reset();
    m_opening = true;
    const std::uint64_t opening = ++m_openings;
    m_reader.add([this, project, node, opening, open = m_open](const std::stop_token& stop) {
        Result<PreviewPtr> result = open(project, node, stop);
        QMetaObject::invokeMethod(
            this,
            [this, opening, result = std::move(result)] {
                if (opening != m_openings || !m_opening)
                    return;
                m_opening = false;
                if (!result) {
                    Q_EMIT failed(result.error());
                    return;
                }
                m_preview = *result;
                Q_EMIT opened();
            },
            Qt::QueuedConnection);
    });
}

void PreviewSource::cancel()
{
    if (!m_opening)
        return;
    dropQuestions();
    m_opening = false;
    Q_EMIT failed({ErrorCode::Cancelled, tr("Opening the data was stopped").toStdString(), {}, {}, {}});
}

void PreviewSource::close()
{
    dropQuestions();
    m_opening = false;
    m_preview.reset();
}

void PreviewSource::dropQuestions()
{
    ++m_generation;
    m_reader.clear();
    m_counter.clear();
}

void PreviewSource::readCells(const PreviewView& view, const std::vector<std::int64_t>& positions)
{
    // A job of its own each, so that what is asked later (one sample in full) need not wait long.
    m_reader.clear();
    for (const std::int64_t position : positions)
        m_reader.add([this, view, position, preview = m_preview, generation = m_generation](const std::stop_token&) {
            post(generation, [this, cell = cellOf(*preview, view, position)] { Q_EMIT cellRead(cell); });
        });
}

void PreviewSource::readBlock(const PreviewView& view, std::int64_t first)
{
    m_reader.add([this, view, first, preview = m_preview, generation = m_generation](const std::stop_token& stop) {
        const std::vector<FieldLayout> layouts = preview->layouts(view.node, view.part);
        const std::vector<TableColumn> columns = tableColumns(layouts);
        const std::int64_t end = std::min(first + RowModel::kBlock,
                                          preview->sizes(view.node)[static_cast<std::size_t>(view.part)]);
        RowModel::Block block;
        for (std::int64_t position = first; position < end && !stop.stop_requested(); ++position)
            block.push_back(rowOf(*preview, view, columns, layouts, position));
        if (!stop.stop_requested())
            post(generation, [this, first, block] { Q_EMIT blockRead(first, block); });
    });
}

void PreviewSource::readFull(const PreviewView& view, std::int64_t position)
{
    m_reader.add([this, view, position, preview = m_preview, generation = m_generation](const std::stop_token&) {
        post(generation,
             [this, position, full = fullOf(*preview, view, position)] { Q_EMIT fullRead(position, full); });
    });
}

void PreviewSource::readFacts(const PreviewView& view)
{
    m_counter.add([this, view, preview = m_preview, generation = m_generation](const std::stop_token& stop) {
        const std::vector<ColumnFacts> tensors = tensorFacts(*preview, view, stop);
        post(generation, [this, tensors] { Q_EMIT tensorsRead(tensors); });
        const std::vector<FieldLayout> layouts = preview->layouts(view.node, view.part);
        if (std::any_of(layouts.begin(), layouts.end(), isPicture))
            return;
        const Result<TableFacts> facts = columnFacts(*preview, view, stop);
        if (facts)
            post(generation, [this, facts = *facts] { Q_EMIT columnsRead(facts); });
    });
}

void PreviewSource::readClasses()
{
    m_counter.add([this, preview = m_preview, generation = m_generation](const std::stop_token& stop) {
        const Result<std::vector<PreviewClasses>> classes = preview->classCounts(stop);
        if (classes)
            post(generation, [this, classes = *classes] { Q_EMIT classesRead(classes); });
    });
}

} // namespace athanor
