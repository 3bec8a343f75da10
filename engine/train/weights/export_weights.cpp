#include "engine/train/weights/export_weights.h"

#include "engine/project/text_file.h"
#include "engine/train/checkpoint.h"
#include "engine/script/torch_errors.h"
#include "engine/train/weights/weights_source.h"
#include "engine/train/weights/weights_writer.h"

#include <torch/torch.h>

#include <cstring>

namespace athanor {
namespace {

using State = std::map<std::string, torch::Tensor>;

bool sameBits(const torch::Tensor& a, const torch::Tensor& b)
{
    if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type())
        return false;
    const auto left = a.contiguous(), right = b.contiguous();
    return left.nbytes() == 0 || std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) == 0;
}

Status checkWritten(const State& state, const std::filesystem::path& file)
{
    const auto written = loadWeightsFile(file);
    if (!written.ok())
        return written.error();
    const Error differs{ErrorCode::Internal,
                        "What was read back from the file is not what was written.",
                        file.string(),
                        "Check the disk, and report this.",
                        {}};
    if (written.value().size() != state.size())
        return differs;
    for (const auto& [name, tensor] : state) {
        const auto found = written.value().find(name);
        if (found == written.value().end() || !sameBits(found->second, tensor))
            return differs;
    }
    return Done{};
}

} // namespace

Result<std::size_t> exportWeights(const std::filesystem::path& checkpoint, WeightsTarget target,
                                  const std::filesystem::path& file, WeightsChoice choice)
{
    auto loaded = loadCheckpoint(checkpoint);
    if (!loaded.ok())
        return loaded.error();
    if (choice == WeightsChoice::Averaged && loaded->averaged.empty())
        return Error{ErrorCode::NotFound, "This checkpoint has no averaged weights.", checkpoint.string(),
                     "Train with training.averaging, or export the trained ones."};
    const State& state = choice == WeightsChoice::Averaged ? loaded->averaged : loaded->state;
    return behindWall(file.string(), [&]() -> Result<std::size_t> {
        const auto bytes =
            target == WeightsTarget::StateDict ? stateDictBytes(state) : safetensorsBytes(state);
        if (auto status = replaceTextFile(file, bytes); !status.ok())
            return status.error();
        if (auto status = checkWritten(state, file); !status.ok())
            return status.error();
        return state.size();
    });
}

} // namespace athanor
