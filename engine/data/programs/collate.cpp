#include "engine/data/programs/collate.h"

#include <torch/torch.h>

#include <algorithm>
#include <set>

namespace athanor {
namespace {

std::string namesOf(const std::vector<FieldLayout>& layouts)
{
    std::string names;
    for (const FieldLayout& layout : layouts)
        names.append(names.empty() ? "" : ", ").append(layout.name);
    return names;
}

Status checkArguments(const SampleProgram& program, const std::vector<FieldLayout>& layouts)
{
    if (program.arguments().empty())
        return invalid("forward takes no field", "def forward(self, image: List[Tensor]) -> Tensor:", "source");
    for (const ScriptArgument& argument : program.arguments()) {
        if (argument.value != ScriptValue::TensorList)
            return invalid("the argument " + argument.name + " is no List[Tensor]",
                           "Each argument gets the tensors of all samples of a batch: write " + argument.name + ": List[Tensor]",
                           "source");
        if (std::ranges::find(layouts, argument.name, &FieldLayout::name) == layouts.end())
            return invalid("there is no field " + argument.name + " that arrives here",
                           "Name the arguments after the fields: " + namesOf(layouts), "source");
    }
    return Done{};
}

Result<std::vector<std::string>> outputsOf(const Json& params, const SampleProgram& program)
{
    std::vector<std::string> names;
    if (const Json& written = params.at("outputs"); written.is_array())
        names = written.get<std::vector<std::string>>();
    if (names.empty())
        for (const ScriptArgument& argument : program.arguments())
            names.push_back(argument.name);
    if (names.size() != static_cast<std::size_t>(program.results()))
        return invalid("forward returns " + std::to_string(program.results()) + " tensors, but " + std::to_string(names.size()) +
                           " fields are named",
                       "Name one field for each in outputs; without names the arguments' are taken", "outputs");
    if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
        return invalid("a field is named twice", "Give each output a name of its own", "outputs");
    return names;
}

} // namespace

Result<std::shared_ptr<const Collate>> Collate::make(const Json& params, const std::vector<FieldLayout>& layouts)
{
    auto program = SampleProgram::compile(params.at("source").get<std::string>());
    if (!program)
        return program.error();
    if (const Status status = checkArguments(**program, layouts); !status)
        return status.error();
    auto outputs = outputsOf(params, **program);
    if (!outputs)
        return outputs.error();
    std::shared_ptr<const Collate> made(new Collate(std::move(*program), std::move(*outputs)));
    for (const FieldLayout& layout : layouts)
        if (!made->takes(layout.name) && std::ranges::find(made->m_outputs, layout.name) != made->m_outputs.end())
            return invalid("the output " + layout.name + " would hide a field of that name",
                           "Take it as an argument too, or give the output another name", "outputs");
    return made;
}

bool Collate::takes(const std::string& field) const
{
    return std::ranges::find(m_program->arguments(), field, &ScriptArgument::name) != m_program->arguments().end();
}

Status Collate::apply(const Samples& samples, DataBatch& batch, SampleRandom& random) const
{
    std::vector<SampleProgram::Argument> arguments;
    for (const ScriptArgument& argument : m_program->arguments())
        arguments.push_back(samples.at(argument.name));
    auto made = m_program->run(arguments, random.next(), kProgramLimit);
    if (!made)
        return made.error();
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        torch::Tensor tensor = asElement((*made)[i]);
        if (tensor.dim() == 0 || tensor.size(0) != batch.size())
            return invalid(m_outputs[i] + " has the shape " + shapeText(tensor.sizes().vec()) + " for " +
                               std::to_string(batch.size()) + " samples",
                           "Return one row for each sample, such as torch.stack(image)", "source");
        batch.fields[m_outputs[i]] = elementOf(tensor) == Element::UInt8 ? tensor.to(torch::kFloat32) : tensor;
    }
    return Done{};
}

} // namespace athanor
