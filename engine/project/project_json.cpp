#include "engine/project/project_json.h"

#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/project/graph_json.h"
#include "engine/project/json_text.h"
#include "engine/project/train_spec_json.h"

#include <algorithm>
#include <iterator>

namespace athanor {
namespace {

const std::vector<std::string> kTopKeys{"athanor", "name", "data", "network", "training", "layout"};
const std::vector<std::string> kLayoutKeys{"data", "network", "groups", "comments"};

bool isKnown(const std::vector<std::string>& keys, const std::string& key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Error wrong(std::string where, std::string message, std::string hint = {})
{
    return Error{ErrorCode::Unreadable, std::move(message), std::move(where), std::move(hint), {}};
}

class ProjectReader {
public:
    Result<LoadedProject> read(const Json& document);

private:
    Status readGraph(const Json& document, const std::string& part, Graph& graph);
    Status readLayout(const Json& document);
    void noteUnknown(const std::string& where, const std::string& key, const std::vector<std::string>& known);

    LoadedProject m_loaded;
};

void ProjectReader::noteUnknown(const std::string& where, const std::string& key,
                                const std::vector<std::string>& known)
{
    m_loaded.notes.push_back({where, Severity::Warning,
                              "the key '" + key + "' is unknown; it is kept, but has no effect",
                              didYouMean(key, known)});
}

Status ProjectReader::readGraph(const Json& document, const std::string& part, Graph& graph)
{
    GraphNotes notes;
    auto read = graphFromJson(document, part, notes);
    if (!read)
        return read.error();
    graph = std::move(*read);
    std::move(notes.problems.begin(), notes.problems.end(), std::back_inserter(m_loaded.notes));
    Json& extra = m_loaded.project.extra;
    if (!notes.extra.empty())
        extra[part] = std::move(notes.extra);
    if (!notes.extraLayout.empty())
        extra["layout"] = merged(extra.value("layout", Json::object()), notes.extraLayout);
    return Done{};
}

Status ProjectReader::readLayout(const Json& document)
{
    const auto layout = document.find("layout");
    if (layout == document.end())
        return Done{};
    if (!layout->is_object())
        return wrong("layout", "layout must be an object, is " + shortText(*layout));
    for (const auto& [key, value] : layout->items())
        if (!isKnown(kLayoutKeys, key)) {
            m_loaded.project.extra["layout"][key] = value;
            noteUnknown("layout/" + key, key, kLayoutKeys);
        }
    return Done{};
}

Result<LoadedProject> ProjectReader::read(const Json& document)
{
    Project& project = m_loaded.project;
    if (const auto name = document.find("name"); name != document.end()) {
        if (!name->is_string())
            return wrong("name", "name must be a text, is " + shortText(*name));
        project.name = name->get<std::string>();
    }
    for (const auto& [key, value] : document.items())
        if (!isKnown(kTopKeys, key)) {
            project.extra[key] = value;
            noteUnknown(key, key, kTopKeys);
        }
    for (const auto& [part, graph] :
         {std::pair("data", &project.data), std::pair("network", &project.network)}) {
        if (Status read = readGraph(document, part, *graph); !read)
            return read.error();
    }
    if (Status layout = readLayout(document); !layout)
        return layout.error();
    if (const auto training = document.find("training"); training != document.end()) {
        auto spec = trainSpecFromJson(*training, m_loaded.notes);
        if (!spec)
            return spec.error();
        project.training = std::move(*spec);
    }
    return std::move(m_loaded);
}

} // namespace

Result<LoadedProject> projectFromJson(const Json& document)
{
    return ProjectReader().read(document);
}

Json projectJson(const Project& project)
{
    Json layout = Json::object();
    addLayout(layout, "data", project.data);
    addLayout(layout, "network", project.network);
    Json document = {{"athanor", kProjectVersion},
                     {"name", project.name},
                     {"data", graphJson(project.data)},
                     {"network", graphJson(project.network)},
                     {"training", trainSpecJson(project.training, TrainingDetail::Written)}};
    if (!layout.empty())
        document["layout"] = std::move(layout);
    return merged(project.extra, document);
}

} // namespace athanor
