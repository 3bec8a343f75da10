// Any thread. Inside engine/graph: what the catalog's families of sources are written with.
#pragma once

#include "engine/graph/catalog_parts.h"

namespace athanor::part {

inline NodeKind source(std::string kind, std::string title, std::string help, std::vector<ParamSpec> params)
{
    return {.kind = std::move(kind),
            .family = NodeFamily::Source,
            .title = std::move(title),
            .help = std::move(help),
            .inputs = {},
            .outputs = oneOutput(),
            .params = std::move(params)};
}

inline ParamSpec textList(std::string name, Json standard, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::TextList,
            .standard = std::move(standard),
            .help = std::move(help)};
}

inline ParamSpec encoding()
{
    return choice("encoding", {"auto", "utf-8", "utf-16", "latin-1"}, "auto",
                  "How the file's bytes are read as text; auto goes by its first bytes and by what is sound.");
}

/// How a text file is cut into rows and cells.
inline std::vector<ParamSpec> tableParams()
{
    ParamSpec header = nullable(
        boolean("header", false,
                "Whether the first line holds the columns' names; null: it does when it holds no number."));
    header.standard = nullptr;
    return {header,
            choice("separator", {"auto", ",", ";", "\t", "|", " "}, "auto",
                   "Character between columns; auto finds it."),
            encoding()};
}

} // namespace athanor::part
