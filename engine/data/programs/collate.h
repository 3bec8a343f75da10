// Any thread (immutable once made). Inside engine/data: how a user puts the samples of a batch together.
#pragma once

#include "engine/base/json.h"
#include "engine/data/programs/sample_program.h"
#include "engine/data/sample_random.h"

#include <map>

namespace athanor {

/// The argument collate_fn of PyTorch's DataLoader, in TorchScript: `def forward(self, image: List[Tensor], label:
/// List[Tensor]) -> Tuple[Tensor, Tensor]`. Each argument is a field's tensors of all samples of a batch, unpadded; what is
/// returned are fields of the batch.
class Collate {
public:
    /// Of complete parameters; `layouts` are the fields of the samples that arrive. The place of errors is the parameter.
    static Result<std::shared_ptr<const Collate>> make(const Json& params, const std::vector<FieldLayout>& layouts);

    [[nodiscard]] bool takes(const std::string& field) const;
    [[nodiscard]] const std::vector<std::string>& outputs() const { return m_outputs; }

    /// The samples of a batch, by field; those that takes() says.
    using Samples = std::map<std::string, std::vector<torch::Tensor>>;
    /// Adds outputs() to the batch; each has one row per sample, else it is an error.
    Status apply(const Samples& samples, DataBatch& batch, SampleRandom& random) const;

private:
    Collate(std::shared_ptr<const SampleProgram> program, std::vector<std::string> outputs)
        : m_program(std::move(program)), m_outputs(std::move(outputs))
    {}

    std::shared_ptr<const SampleProgram> m_program;
    std::vector<std::string> m_outputs;
};

} // namespace athanor
