#include "engine/graph/node_catalog.h"

#include "engine/graph/name_match.h"

#include <algorithm>

namespace athanor {
namespace {

std::string_view typeName(ParamType type)
{
    switch (type) {
    case ParamType::Bool:
        return "bool";
    case ParamType::Int:
        return "int";
    case ParamType::Real:
        return "real";
    case ParamType::Text:
        return "text";
    case ParamType::Choice:
        return "choice";
    case ParamType::IntOrList:
        return "int or list";
    case ParamType::IntList:
        return "list of int";
    case ParamType::RealList:
        return "list of real";
    case ParamType::TextList:
        return "list of text";
    case ParamType::Path:
        return "path";
    case ParamType::Source:
        return "source";
    case ParamType::IntOrText:
        return "int or text";
    case ParamType::Any:
        return "any";
    }
    return "any";
}

Json portsJson(const std::vector<PortSpec>& ports)
{
    Json list = Json::array();
    for (const PortSpec& port : ports)
        list.push_back({{"name", port.name}, {"optional", port.optional}, {"variadic", port.variadic}});
    return list;
}

Json paramJson(const ParamSpec& spec)
{
    Json json = {{"name", spec.name},           {"type", typeName(spec.type)},
                 {"default", spec.standard},    {"help", spec.help},
                 {"required", spec.required},   {"inferred", spec.inferred},
                 {"nullable", spec.allowsNull}, {"live", spec.live}};
    if (spec.minimum)
        json[spec.minimumExcluded ? "above" : "minimum"] = *spec.minimum;
    if (spec.maximum)
        json[spec.maximumExcluded ? "below" : "maximum"] = *spec.maximum;
    if (!spec.choices.empty())
        json["choices"] = spec.choices;
    if (spec.listSize > 0)
        json["list_size"] = spec.listSize;
    return json;
}

} // namespace

std::string_view familyName(NodeFamily family)
{
    switch (family) {
    case NodeFamily::Input:
        return "Input";
    case NodeFamily::Linear:
        return "Linear";
    case NodeFamily::Convolution:
        return "Convolution";
    case NodeFamily::Pooling:
        return "Pooling";
    case NodeFamily::Normalization:
        return "Normalization";
    case NodeFamily::Activation:
        return "Activation";
    case NodeFamily::Dropout:
        return "Dropout";
    case NodeFamily::Shape:
        return "Shape";
    case NodeFamily::Combine:
        return "Combine";
    case NodeFamily::Embedding:
        return "Embedding";
    case NodeFamily::Recurrent:
        return "Recurrent";
    case NodeFamily::Attention:
        return "Attention";
    case NodeFamily::Loss:
        return "Loss";
    case NodeFamily::Script:
        return "Script";
    case NodeFamily::Group:
        return "Group";
    case NodeFamily::Source:
        return "Source";
    case NodeFamily::Transform:
        return "Transform";
    case NodeFamily::Split:
        return "Split";
    case NodeFamily::Loader:
        return "Loader";
    case NodeFamily::Unknown:
        return "Unknown";
    }
    return "Unknown";
}

const ParamSpec* NodeKind::param(const std::string& name) const
{
    const auto it =
        std::find_if(params.begin(), params.end(), [&](const ParamSpec& spec) { return spec.name == name; });
    return it == params.end() ? nullptr : &*it;
}

NodeCatalog::NodeCatalog(std::vector<NodeKind> kinds) : m_kinds(std::move(kinds))
{
    for (std::size_t i = 0; i < m_kinds.size(); ++i)
        m_index.emplace(m_kinds[i].kind, i);
}

const NodeKind* NodeCatalog::find(const std::string& kind) const
{
    const auto it = m_index.find(kind);
    return it == m_index.end() ? nullptr : &m_kinds[it->second];
}

std::string NodeCatalog::nearest(const std::string& kind) const
{
    std::vector<std::string> names;
    for (const NodeKind& known : m_kinds)
        names.push_back(known.kind);
    return nearestName(kind, names);
}

Json completeParams(const std::vector<ParamSpec>& specs, const Json& params)
{
    Json complete = params.is_object() ? params : Json::object();
    for (const ParamSpec& spec : specs) {
        auto it = complete.find(spec.name);
        if (it == complete.end()) {
            if (spec.required || spec.inferred)
                continue;
            it = complete.emplace(spec.name, spec.standard).first;
        }
        Json& value = *it;
        if (spec.type == ParamType::RealList && value.is_number())
            value = Json::array({value});
        if (spec.type != ParamType::IntOrList || spec.listSize == 0)
            continue;
        if (value.is_array() && value.size() == 1)
            value = value[0];
        if (value.is_number_integer())
            value = Json(static_cast<std::size_t>(spec.listSize), value);
    }
    return complete;
}

Json completeParams(const NodeKind& kind, const Json& params)
{
    return completeParams(kind.params, params);
}

Json catalogJson(const NodeCatalog& catalog)
{
    Json list = Json::array();
    for (const NodeKind& kind : catalog.kinds()) {
        Json params = Json::array();
        for (const ParamSpec& spec : kind.params)
            params.push_back(paramJson(spec));
        list.push_back({{"kind", kind.kind},
                        {"family", familyName(kind.family)},
                        {"title", kind.title},
                        {"help", kind.help},
                        {"inputs", portsJson(kind.inputs)},
                        {"outputs", portsJson(kind.outputs)},
                        {"params", std::move(params)}});
    }
    return list;
}

} // namespace athanor
