#include "ui/graph/node_text.h"

#include "engine/graph/groups.h"
#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace athanor {
namespace {

constexpr int kShownParameters = 3;
constexpr QChar kThinSpace(0x2009);
constexpr QChar kTimes(0x00D7);

struct NodeText {
    Q_DECLARE_TR_FUNCTIONS(athanor::NodeText)
};

/// Parameters that are shown first, with the word before their value (empty: the value speaks for itself).
struct ShortName {
    const char* name;
    const char* word;
};
constexpr std::array kShortNames{
    ShortName{"kernel_size", ""},       ShortName{"out_channels", ""},   ShortName{"out_features", ""},
    ShortName{"output_size", ""},       ShortName{"stride", "stride"},   ShortName{"padding", "pad"},
    ShortName{"dilation", "dilation"},  ShortName{"groups", "groups"},   ShortName{"field", ""},
    ShortName{"p", "p"},                ShortName{"batch_size", "batch"}, ShortName{"num_workers", "workers"},
    ShortName{"images", ""},            ShortName{"file", ""},           ShortName{"root", ""},
    ShortName{"negative_slope", "slope"},
};

QString jsonText(const Json& value)
{
    if (value.is_number_float()) {
        return QString::number(value.get<double>(), 'g', 4);
    }
    return QString::fromStdString(value.dump());
}

QString listText(const Json& list, QChar separator)
{
    QStringList parts;
    for (const Json& entry : list) {
        parts << (entry.is_string() ? QString::fromStdString(entry.get<std::string>()) : jsonText(entry));
    }
    return parts.join(separator);
}

QString shortValue(const ParamSpec& spec, const Json& value)
{
    if (spec.type == ParamType::Path && value.is_string()) {
        return QFileInfo(QString::fromStdString(value.get<std::string>())).fileName();
    }
    if (spec.type == ParamType::IntOrList && spec.listSize > 1 && value.is_number_integer()) {
        return QStringList(spec.listSize, jsonText(value)).join(kTimes);
    }
    if (value.is_array()) {
        return listText(value, spec.type == ParamType::IntOrList ? kTimes : QChar(u' '));
    }
    return value.is_string() ? QString::fromStdString(value.get<std::string>()) : jsonText(value);
}

QString shortParameter(const ParamSpec& spec, const Json& value)
{
    const auto* known = std::find_if(kShortNames.begin(), kShortNames.end(),
                                     [&](const ShortName& entry) { return spec.name == entry.name; });
    const QString plain = QString::fromStdString(spec.name).replace(u'_', u' ');
    if (value.is_boolean()) {
        return value.get<bool>() ? plain : NodeText::tr("no %1").arg(plain);
    }
    // A square padding or stride is one number: "pad 1", not "pad 1×1".
    const bool isPlain = known != kShortNames.end() && *known->word == '\0';
    const QString text = isPlain || !value.is_number() ? shortValue(spec, value) : jsonText(value);
    const QString word = known == kShortNames.end() ? plain : QString::fromLatin1(known->word);
    return word.isEmpty() ? text : word + u' ' + text;
}

std::size_t rank(const ParamSpec& spec)
{
    const auto* known = std::find_if(kShortNames.begin(), kShortNames.end(),
                                     [&](const ShortName& entry) { return spec.name == entry.name; });
    return static_cast<std::size_t>(known - kShortNames.begin());
}

QString extentText(Extent extent)
{
    if (extent == kBatch) {
        return QStringLiteral("N");
    }
    return extent == kUnknown ? QStringLiteral("?") : QString::number(extent);
}

} // namespace

const NodeCatalog& catalogOf(GraphPart part)
{
    return part == GraphPart::Data ? dataCatalog() : layerCatalog();
}

std::int64_t batchSizeOf(const Graph& data)
{
    const NodeKind* loader = dataCatalog().find("Loader");
    for (const Node& node : data.nodes()) {
        if (node.kind != "Loader") {
            continue;
        }
        const Json size = completeParams(*loader, node.params).value("batch_size", Json());
        if (size.is_number_integer() && size > 0) {
            return size.get<std::int64_t>();
        }
    }
    return 32;
}

std::string_view partName(GraphPart part)
{
    return part == GraphPart::Data ? "data" : "network";
}

ColorRole familyRole(NodeFamily family)
{
    switch (family) {
    case NodeFamily::Input: return ColorRole::FamilyInput;
    case NodeFamily::Linear: return ColorRole::FamilyLinear;
    case NodeFamily::Convolution: return ColorRole::FamilyConvolution;
    case NodeFamily::Pooling: return ColorRole::FamilyPooling;
    case NodeFamily::Normalization: return ColorRole::FamilyNormalization;
    case NodeFamily::Activation: return ColorRole::FamilyActivation;
    case NodeFamily::Dropout: return ColorRole::FamilyDropout;
    case NodeFamily::Shape: return ColorRole::FamilyShape;
    case NodeFamily::Combine:
    case NodeFamily::Split: return ColorRole::FamilyCombine;
    case NodeFamily::Embedding: return ColorRole::FamilyEmbedding;
    case NodeFamily::Recurrent: return ColorRole::FamilyRecurrent;
    case NodeFamily::Attention: return ColorRole::FamilyAttention;
    case NodeFamily::Script: return ColorRole::FamilyScript;
    case NodeFamily::Group: return ColorRole::FamilyGroup;
    case NodeFamily::Loss: return ColorRole::FamilyLoss;
    case NodeFamily::Source: return ColorRole::FamilySource;
    case NodeFamily::Transform: return ColorRole::FamilyTransform;
    default: return ColorRole::FamilyOther;
    }
}

QString familyIcon(NodeFamily family)
{
    return QStringLiteral("family-") + QString::fromUtf8(familyName(family).data(), static_cast<qsizetype>(familyName(family).size())).toLower();
}

QString keyParameters(const NodeKind* kind, const Node& node)
{
    if (!kind) {
        return {};
    }
    std::vector<const ParamSpec*> written;
    for (const ParamSpec& spec : kind->params) {
        const auto value = node.params.find(spec.name);
        if (value != node.params.end() && !value->is_null() && *value != spec.standard) {
            written.push_back(&spec);
        }
    }
    std::stable_sort(written.begin(), written.end(),
                     [](const ParamSpec* a, const ParamSpec* b) { return rank(*a) < rank(*b); });
    QStringList parts;
    for (const ParamSpec* spec : written) {
        if (parts.size() == kShownParameters) {
            break;
        }
        parts << shortParameter(*spec, node.params.at(spec->name));
    }
    return parts.join(QStringLiteral(", "));
}

QString kindLine(const NodeKind* kind, const Node& node)
{
    if (isGroup(node) && !definitionOf(node).empty()) {
        const QString group = QString::fromStdString(definitionOf(node));
        const auto repeat = repeatOf(node);
        return repeat > 1 ? group + QStringLiteral("  ") + kTimes + QString::number(repeat) : group;
    }
    if (isShared(node) && !ownerOf(node).empty()) {
        return NodeText::tr("weights of %1").arg(QString::fromStdString(ownerOf(node)));
    }
    const QString name = QString::fromStdString(node.kind);
    const QString parameters = keyParameters(kind, node);
    return parameters.isEmpty() ? name : name + QStringLiteral("  ") + parameters;
}

QString edgeShapeText(const std::optional<TensorType>& type)
{
    if (!type) {
        return {};
    }
    if (type->type == ElementType::Index && type->rank() == 1) {
        return type->classes > 0 ? NodeText::tr("%1 classes").arg(type->classes) : NodeText::tr("class index");
    }
    QStringList parts;
    const bool batched = !type->dims.empty() && type->dims.front() == kBatch;
    for (std::size_t i = batched && type->rank() > 1 ? 1 : 0; i < type->dims.size(); ++i) {
        parts << extentText(type->dims[i]);
    }
    return parts.isEmpty() ? NodeText::tr("scalar") : parts.join(kTimes);
}

QString typeText(const std::optional<TensorType>& type)
{
    if (!type) {
        return NodeText::tr("unknown");
    }
    QStringList parts;
    for (const Extent extent : type->dims) {
        parts << extentText(extent);
    }
    const QString dims = parts.isEmpty() ? NodeText::tr("scalar") : parts.join(kTimes);
    if (type->type == ElementType::Float) {
        return dims;
    }
    return type->classes > 0 ? NodeText::tr("%1 (index, %2 classes)").arg(dims).arg(type->classes)
                             : NodeText::tr("%1 (index)").arg(dims);
}

int outputIndex(const NodeKind* kind, const std::string& port)
{
    if (!kind || port.empty()) {
        return 0;
    }
    const auto found = std::find_if(kind->outputs.begin(), kind->outputs.end(),
                                    [&](const PortSpec& spec) { return spec.name == port; });
    return found == kind->outputs.end() ? -1 : static_cast<int>(found - kind->outputs.begin());
}

QString shortCountText(std::int64_t count)
{
    static constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P"};
    double value = static_cast<double>(count);
    std::size_t prefix = 0;
    while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
        value /= 1000;
        ++prefix;
    }
    const QString digits = prefix == 0 ? QString::number(count) : QString::number(value, 'g', 3);
    return prefix == 0 ? digits : digits + kThinSpace + QString::fromLatin1(kPrefixes[prefix]);
}

} // namespace athanor
