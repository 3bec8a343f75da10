#include "engine/train/layers/layer.h"

#include "engine/train/layers/losses.h"
#include "engine/script/script_errors.h"
#include "engine/train/script/script_program.h"
#include "engine/train/script/script_typer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

std::shared_ptr<ScriptProgram> programOf(const Json& params, bool isLoss)
{
    const ScriptSpec spec = readScriptSpec(params, isLoss);
    ScriptProgram::Shapes shapes;
    if (const auto known = params.find(kParameterShapes); known != params.end())
        shapes = known->get<ScriptProgram::Shapes>();
    return ScriptProgram::compile(spec, shapes, ScriptFill::Drawn);
}

/// `ports` is the number of the node's outputs.
Layer layerOf(std::shared_ptr<ScriptProgram> program, std::size_t ports, const char* where)
{
    if (static_cast<std::size_t>(program->results()) != ports)
        throw ScriptError({{}, "forward does not return one tensor for each output of the node", {}}, where);
    auto module = program->module();
    return {std::move(module),
            [program = std::move(program)](const Tensors& inputs) { return program->run(inputs); }};
}

/// The first argument is what the network says; what it is compared with, if anything, comes by name.
LossLayer scriptLoss(LossNode node, const Json& params)
{
    node.task = LossTask::Other;
    auto program = programOf(params, true);
    LossLayer loss{std::move(node), {}, program->module()};
    loss.forward = [program = std::move(program)](const Tensors& inputs) {
        LossOutput output;
        output.input = inputs.empty() ? torch::Tensor() : inputs[0];
        output.value = program->run(inputs).front();
        if (output.value.dim() != 0)
            throw ScriptError({{},
                               "the loss must be one number, but forward returned a tensor of several",
                               "end it with .mean() or .sum()"},
                              "source");
        return output;
    };
    return loss;
}

} // namespace

void addScriptLayers(LayerTable& table)
{
    table["Script"] = [](const Json& params) {
        return layerOf(programOf(params, false), readScriptSpec(params, false).outputs.size(), "source");
    };
    table["ScriptModule"] = [](const Json& params) {
        const std::string file = textParam(params, kModuleFile, textParam(params, "file"));
        const auto outputs = params.find("outputs");
        const std::size_t ports = outputs != params.end() && outputs->is_array() ? outputs->size() : 1;
        return layerOf(ScriptProgram::load(file, flagParam(params, "trainable")), ports, "file");
    };
}

void addScriptLosses(LossTable& table)
{
    table["ScriptLoss"] = scriptLoss;
}

} // namespace athanor
