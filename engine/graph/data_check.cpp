#include "engine/graph/graph_check.h"
#include "engine/graph/graph_structure.h"
#include "engine/graph/script_signature.h"
#include "engine/graph/transform_order.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

class DataCheck {
public:
    explicit DataCheck(const Graph& data)
        : m_structure(data, dataCatalog(), layerCatalog(), "data"), m_samples(data.nodes().size())
    {}
    GraphCheck run();

private:
    void checkEnds();
    void follow(std::size_t index);
    void checkSplit(std::size_t index, const SamplesKnown& in);
    void checkTransform(std::size_t index, const SamplesKnown& in);
    void checkLoader(std::size_t index, const SamplesKnown& in);
    void checkValues(std::size_t index);
    void checkFields(std::size_t index, const Json& params);
    void checkSource(std::size_t index, const Json& params);

    std::vector<std::size_t> ofFamily(NodeFamily family);
    const NodeView& view(std::size_t index) { return m_structure.nodes()[index]; }
    void error(std::size_t index, std::string place, std::string message, std::string hint = {})
    {
        m_structure.addProblem(index, std::move(place), Severity::Error, std::move(message), std::move(hint));
    }
    void warning(std::size_t index, std::string message, std::string hint)
    {
        m_structure.addProblem(index, {}, Severity::Warning, std::move(message), std::move(hint));
    }

    GraphStructure m_structure;
    std::vector<SamplesKnown> m_samples; // by node, as they leave it
};

std::vector<std::size_t> DataCheck::ofFamily(NodeFamily family)
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < m_samples.size(); ++i)
        if (view(i).kind != nullptr && view(i).kind->family == family)
            found.push_back(i);
    return found;
}

void DataCheck::checkEnds()
{
    if (ofFamily(NodeFamily::Source).empty())
        m_structure.addProblem(Severity::Error, "the data graph has no source",
                               "start it with one, such as CsvTable or ImageFolder");
    const auto loaders = ofFamily(NodeFamily::Loader);
    if (loaders.empty()) {
        m_structure.addProblem(Severity::Error, "the data graph has no Loader",
                               "end it in one: it makes the batches");
        return;
    }
    for (std::size_t i = 1; i < loaders.size(); ++i)
        error(loaders[i], {}, "is a second Loader", "a data graph ends in exactly one; remove this one");
    const std::vector<bool> reaches = m_structure.reaching(loaders);
    for (std::size_t i = 0; i < m_samples.size(); ++i)
        if (!reaches[i])
            warning(i, "leads to no Loader, so it is not used", "connect it, or remove it");
}

void DataCheck::checkSplit(std::size_t index, const SamplesKnown& in)
{
    if (in.apart)
        error(index, {}, "the parts are told apart already before this " + view(index).kind->kind,
              "remove one of the two");
    m_samples[index].apart = true;
}

void DataCheck::checkTransform(std::size_t index, const SamplesKnown& in)
{
    const NodeKind& kind = *view(index).kind;
    OrderCheck check = checkTransformOrder(kind.kind, completeParams(kind, view(index).params), in);
    for (OrderProblem& problem : check.problems)
        m_structure.addProblem(index, std::move(problem.parameter), problem.severity, std::move(problem.message),
                               std::move(problem.hint));
    m_samples[index] = check.output;
}

void DataCheck::checkLoader(std::size_t index, const SamplesKnown& in)
{
    if (in.pixels)
        warning(index, "the images arrive as 0 to 255", "put a ToTensor before it, which makes them 0 to 1");
    if (!in.apart)
        warning(index, "all samples are trained on, none are left to validate on", "put a Split before it");
}

void DataCheck::follow(std::size_t index)
{
    const NodeView& node = view(index);
    SamplesKnown in;
    bool fed = false;
    for (const auto& port : node.inputs)
        for (const InputEdge& edge : port) {
            in = fed ? joined(in, m_samples[edge.node]) : m_samples[edge.node];
            fed = true;
        }
    m_samples[index] = in;
    if (node.kind == nullptr) {
        m_samples[index].images = true; // an unknown source or transform may yield them
        return;
    }
    if (node.kind->family == NodeFamily::Source) {
        m_samples[index] = samplesOf(node.kind->kind);
        if (fed) // Join, Zip
            m_samples[index] = in;
    }
    if (!fed)
        return; // said already; nothing is known of what would come
    if (node.kind->family == NodeFamily::Split)
        checkSplit(index, in);
    else if (node.kind->family == NodeFamily::Transform)
        checkTransform(index, in);
    else if (node.kind->family == NodeFamily::Loader)
        checkLoader(index, in);
}

void DataCheck::checkFields(std::size_t index, const Json& params)
{
    const auto fields = params.find("fields");
    if (fields == params.end())
        return;
    if (!fields->is_object() || fields->empty()) {
        error(index, "fields", "fields must be an object of field names and files",
              R"(such as {"image": "x.npy", "label": "y.npy"})");
        return;
    }
    for (const auto& [name, file] : fields->items()) {
        if (!isValidNodeId(name))
            error(index, "fields", "'" + name + "' cannot be a field's name", "use letters, digits and _");
        if (!file.is_string() || file.get<std::string>().empty())
            error(index, "fields/" + name, "must name a .npy file");
    }
}

/// As far as the signature tells; the rest is found when the data is opened and the program compiled.
void DataCheck::checkSource(std::size_t index, const Json& params)
{
    if (!params.contains("source") || !params["source"].is_string())
        return;
    for (const SourceProblem& problem : readSignature(params["source"].get<std::string>()).problems)
        error(index, "source", placedText(problem), problem.hint);
}

// What one parameter's range cannot say.
void DataCheck::checkValues(std::size_t index)
{
    const NodeView& node = view(index);
    if (node.kind == nullptr)
        return;
    const Json& params = node.params;
    const auto number = [&](const char* name) {
        return params.contains(name) ? params[name].get<double>() : 0.0;
    };
    const auto size = [&](const char* name) {
        return params.contains(name) && params[name].is_array() ? params[name].size() : 1;
    };
    const std::string& kind = node.kind->kind;
    if (kind == "Split") {
        constexpr double kRounding = 1e-9;
        if (number("train") + number("val") + number("test") > 1 + kRounding)
            error(index, "train", "train, val and test are more than the whole", "make them 1 together");
        if (params.contains("train") && number("train") <= 0)
            error(index, "train", "no samples are left to train on", "give train a share above 0");
    } else if (kind == "Lambda" || kind == "Collate") {
        checkSource(index, params);
    } else if (kind == "NumpyFile") {
        checkFields(index, params);
    } else if (kind == "Normalize" && params.contains("mean") && params.contains("std") &&
               !params["mean"].is_null() && !params["std"].is_null()) {
        if (size("mean") != size("std"))
            error(index, "std",
                  "mean has " + std::to_string(size("mean")) + " entries, but std has " +
                      std::to_string(size("std")),
                  "one of each per channel");
    } else if (kind == "Resize" && size("size") > 2) {
        error(index, "size", "size must have 1 or 2 entries", "height and width");
    } else if ((kind == "RandomCrop" || kind == "Pad") && size("padding") > 2 && size("padding") != 4) {
        error(index, "padding", "padding must have 1, 2 or 4 entries", "left, top, right, bottom");
    }
}

GraphCheck DataCheck::run()
{
    GraphCheck check;
    for (const std::size_t index : m_structure.order()) {
        checkValues(index);
        follow(index);
        NodeCheck& node = check.nodes[view(index).node.id];
        const KindPtr& kind = view(index).kind;
        node.params =
            kind != nullptr ? completeParams(*kind, view(index).node.params) : view(index).node.params;
        node.outputs.resize(kind != nullptr ? kind->outputs.size() : 0);
    }
    checkEnds();
    check.problems = m_structure.problems();
    return check;
}

} // namespace

GraphCheck checkData(const Graph& data)
{
    return DataCheck(data).run();
}

} // namespace athanor
