#include "engine/train/script/script_state.h"

#include "engine/script/script_errors.h"

#include <torch/torch.h>

#include <torch/csrc/jit/api/function_impl.h>

#include <set>

namespace athanor {
namespace {

namespace jit = torch::jit;

void mirror(const jit::Module& code, torch::nn::Module& state, std::set<const void*>& seen)
{
    for (const auto& parameter : code.named_parameters(false))
        if (seen.insert(parameter.value.unsafeGetTensorImpl()).second)
            state.register_parameter(parameter.name, parameter.value, parameter.value.requires_grad());
    for (const auto& buffer : code.named_buffers(false))
        if (buffer.value.defined() && seen.insert(buffer.value.unsafeGetTensorImpl()).second)
            state.register_buffer(buffer.name, buffer.value);
    for (const auto& child : code.named_children()) {
        const auto part = std::make_shared<torch::nn::Module>();
        mirror(child.value, *part, seen);
        if (!part->parameters().empty() || !part->buffers().empty())
            state.register_module(child.name, part);
    }
}

void collectAssigned(const jit::Block& block, std::set<std::string>& names)
{
    for (const jit::Node* node : block.nodes()) {
        if (node->kind() == c10::prim::SetAttr)
            names.insert(node->s(c10::attr::name));
        for (const jit::Block* inner : node->blocks())
            collectAssigned(*inner, names);
    }
}

} // namespace

ScriptState::ScriptState(jit::Module code, ScriptMode mode) : m_code(std::move(code)), m_mode(mode)
{
    std::set<const void*> seen;
    mirror(m_code, *this, seen);
    findAssigned();
    train(is_training());
}

void ScriptState::findAssigned()
{
    std::set<std::string> names;
    for (jit::Function* function : m_code._ivalue()->compilation_unit()->get_functions())
        if (const jit::GraphFunction* body = jit::tryToGraphFunction(*function))
            collectAssigned(*body->graph()->block(), names);
    if (names.empty())
        return;
    for (const jit::Module& part : m_code.modules())
        for (const auto& buffer : part.named_buffers(false))
            if (names.contains(buffer.name))
                m_assigned.push_back({part, buffer.name, buffer.value});
}

void ScriptState::train(bool on)
{
    const bool trains = on && m_mode != ScriptMode::Frozen;
    m_code.train(trains);
    torch::nn::Module::train(on);
}

c10::IValue ScriptState::run(std::vector<c10::IValue> arguments)
{
    for (Assigned& buffer : m_assigned)
        buffer.owner.setattr(buffer.name, buffer.tensor.clone());
    const auto takeBack = [&](bool keep) {
        const torch::NoGradGuard noGrad;
        for (Assigned& buffer : m_assigned) {
            const torch::Tensor value = buffer.owner.attr(buffer.name).toTensor();
            buffer.owner.setattr(buffer.name, buffer.tensor);
            if (!keep)
                continue;
            if (value.sizes() != buffer.tensor.sizes())
                throw ScriptError(
                    {{}, "self." + buffer.name + " changes its shape, which a buffer may not", {}}, "source");
            buffer.tensor.copy_(value);
        }
    };
    c10::IValue result;
    try {
        result = m_code.get_method("forward")(std::move(arguments));
    } catch (...) {
        takeBack(false);
        throw;
    }
    takeBack(true);
    return result;
}

} // namespace athanor
