// Any thread but the GUI's (it runs the program), torch-free. What a script node's program makes of its inputs.
#pragma once

#include "engine/graph/node_catalog.h"
#include "engine/graph/script_signature.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace athanor {

/// The inferred parameter that holds the absolute path of a ScriptModule's file.
inline constexpr const char* kModuleFile = "module_file";

/// All that can be said of a program by compiling it and running it on batches of 2 and 3 samples.
struct ScriptReport {
    std::vector<SourceProblem> problems;            ///< in the source
    std::vector<ShapeProblem> others;               ///< of other parameters
    std::vector<std::optional<TensorType>> outputs; ///< in the order of the ports; nothing known: nullopt
    std::int64_t parameters = 0;                    ///< trainable numbers
    bool tried = false;    ///< it was run: its inputs were known and nothing was wrong before
    std::int64_t macs = 0; ///< matrix products and convolutions, per sample
    [[nodiscard]] bool ok() const { return problems.empty() && others.empty(); }
};

/// Compiles and tries a node of an isScript kind with complete parameters. Reports that were made before with the
/// same parameters and inputs are kept. A loop that goes on for more than two seconds is a problem; when `cancelled`
/// says so the answer is empty. `folder` is where a ScriptModule's path starts.
ScriptReport reportScript(const NodeKind& kind, const ShapeContext& context,
                          const std::filesystem::path& folder, const std::function<bool()>& cancelled = {});

/// The same for checkNetwork().
ScriptTyper makeScriptTyper(std::filesystem::path folder, std::function<bool()> cancelled = {});

} // namespace athanor
