// Session thread, or a checking one. Inside engine/train: a TorchScript program with its weights, as it runs.
#pragma once

#include "engine/graph/script_spec.h"
#include "engine/train/layers/layer.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace athanor {

/// What fills the declared tensors.
enum class ScriptFill {
    Drawn, ///< as declared, from the default generator, in the order of the declaration
    Small, ///< one small number everywhere and no random draw: for trying
};

/// A program's module (its state, with PyTorch's names) and how it runs.
class ScriptProgram {
public:
    using Shapes = std::map<std::string, std::vector<std::int64_t>>;

    /// Of a Script or ScriptLoss. Shapes by name, see kParameterShapes. Throws a ScriptError.
    static std::shared_ptr<ScriptProgram> compile(const ScriptSpec& spec, const Shapes& shapes,
                                                  ScriptFill fill);
    /// Of a file that torch.jit.save wrote. Frozen, it stays in evaluation mode. Throws a ScriptError.
    static std::shared_ptr<ScriptProgram> load(const std::filesystem::path& file, bool trainable);
    ~ScriptProgram();

    /// Null without state and without a mode.
    [[nodiscard]] std::shared_ptr<torch::nn::Module> module() const;
    [[nodiscard]] int results() const;   ///< tensors that it returns; 0 when it returns something else
    [[nodiscard]] int arguments() const; ///< behind self
    [[nodiscard]] int requiredArguments() const; ///< those without a default
    /// The arguments of a saved module's forward: "input, mask (may be missing)".
    [[nodiscard]] std::string argumentText() const;

    /// Inputs as a node gets them (see Tensors). Throws a ScriptError when an operation refuses them.
    [[nodiscard]] Tensors run(const Tensors& inputs) const;

private:
    struct Impl;
    explicit ScriptProgram(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
