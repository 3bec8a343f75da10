// Any thread (immutable once made; running is thread-safe). Inside engine/data: a function of tensors that a user wrote in
// TorchScript.
#pragma once

#include "engine/base/result.h"
#include "engine/data/batch.h"
#include "engine/data/dataset.h"
#include "engine/graph/script_signature.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace athanor {

/// Draws its random numbers from a seed that is given, computes in one thread, and has no state: the same arguments and
/// seed give the same results on every worker.
class SampleProgram {
public:
    /// The place of every error is `source`. Fails when it is no TorchScript, or returns something else than tensors.
    static Result<std::shared_ptr<const SampleProgram>> compile(const std::string& source);
    ~SampleProgram();

    [[nodiscard]] const std::vector<ScriptArgument>& arguments() const; ///< behind self
    [[nodiscard]] int results() const;                                  ///< tensors that it returns
    [[nodiscard]] bool drawsRandomNumbers() const;

    /// One argument: a tensor, or a list of tensors where the source says List[Tensor].
    using Argument = std::vector<torch::Tensor>;
    /// Fails when an operation refuses the arguments, or after `limit`.
    [[nodiscard]] Result<std::vector<torch::Tensor>> run(const std::vector<Argument>& arguments, std::uint64_t seed,
                                                         std::chrono::milliseconds limit) const;

private:
    struct Impl;
    explicit SampleProgram(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// How long a program may take for one sample or batch, and for a made-up one while the data is opened.
inline constexpr std::chrono::milliseconds kProgramLimit{30'000};
inline constexpr std::chrono::milliseconds kTrialLimit{2'000};

/// How a tensor is kept as a sample's field: uint8, float32 or int64; other types become the nearest of these.
Element elementOf(const torch::Tensor& tensor);
/// Contiguous, of the type that elementOf() says.
torch::Tensor asElement(const torch::Tensor& tensor);
/// A copy of a field's numbers, which a program may change in place.
torch::Tensor tensorOf(const Value& value);

} // namespace athanor
