#include "ui/shell/relocate.h"

#include "ui/bridge/project_document.h"

#include <QCoreApplication>

namespace athanor {
namespace {

namespace fs = std::filesystem;

fs::path relocated(const fs::path& path, const fs::path& from, const fs::path& to)
{
    const fs::path whole = (from / path).lexically_normal();
    const fs::path inside = whole.lexically_relative(to);
    const bool isInside = !inside.empty() && *inside.begin() != "..";
    return isInside ? inside : whole;
}

edit::Sequence relocations(const Graph& graph, const fs::path& from, const fs::path& to)
{
    edit::Sequence edits;
    for (const Node& node : graph.nodes()) {
        const NodeKind* kind = dataCatalog().find(node.kind);
        if (kind == nullptr)
            continue;
        for (const auto& [name, value] : node.params.items()) {
            const ParamSpec* spec = kind->param(name);
            if (spec == nullptr || spec->type != ParamType::Path || !value.is_string())
                continue;
            const fs::path path = value.get<std::string>();
            if (path.empty() || path.is_absolute())
                continue;
            edits.edits.push_back(
                {edit::SetParameter{node.id, name, relocated(path, from, to).generic_string()}});
        }
    }
    return edits;
}

} // namespace

bool relocatePaths(ProjectDocument& document, const QString& folder)
{
    const fs::path from = fs::absolute(document.project().folder()).lexically_normal();
    const fs::path to = fs::absolute(folder.toStdString()).lexically_normal();
    if (from == to)
        return false;
    edit::Sequence edits = relocations(document.graph(GraphPart::Data), from, to);
    if (edits.edits.empty())
        return false;
    const int before = document.undoStack()->index();
    const QString text = QCoreApplication::translate("relocatePaths", "Keep the paths of the data");
    return document.push(GraphPart::Data, {std::move(edits)}, text).ok() &&
           document.undoStack()->index() != before;
}

} // namespace athanor
