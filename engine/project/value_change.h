// Any thread. Inside engine/project: one PATH=VALUE on its way into a project.
#pragma once

#include "engine/graph/node_catalog.h"
#include "engine/project/project.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// What is left of a path: network.conv1.kernel_size.0 → {"kernel_size", "0"}.
using PathRest = std::span<const std::string>;

struct ValueChange {
    std::vector<std::string> path; ///< the whole of it, for errors
    std::string raw;               ///< the value as it was written, for texts that look like numbers
    Json value;

    static Result<ValueChange> parse(std::string_view path, std::string_view value);

    [[nodiscard]] Error refused(std::string message, std::string hint = {}) const;
    [[nodiscard]] Error unknown(const std::string& what, const std::string& name,
                                const std::vector<std::string>& known) const;

    /// What a parameter that is `now` becomes: the value itself, or `now` with the value at `inside`. Checked
    /// against the spec.
    [[nodiscard]] Result<Json> apply(const ParamSpec& spec, const Json& now, PathRest inside) const;

private:
    [[nodiscard]] Json coerced(const ParamSpec& spec, PathRest inside) const;
    [[nodiscard]] Result<Json> put(const Json& what, Json into, PathRest inside) const;
};

/// "there are a, b, c", or empty.
std::string listed(const std::vector<std::string>& names);

/// A list's index, counted from 0; nullopt when the text is none.
std::optional<std::size_t> listIndex(const std::string& text);

// The two halves of setProjectValue: below `data` or `network`, and below `training`.
Status setGraphValue(Graph& graph, const NodeCatalog& catalog, const ValueChange& change);
Status setTrainingValue(Project& project, const ValueChange& change);

} // namespace athanor
