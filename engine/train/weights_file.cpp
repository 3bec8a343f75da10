#include "engine/train/weights_file.h"

#include "engine/train/checkpoint.h"

namespace athanor {

Result<std::map<std::string, torch::Tensor>> loadWeightsFile(const std::filesystem::path& file)
{
    auto checkpoint = loadCheckpoint(file);
    if (!checkpoint.ok())
        return checkpoint.error();
    return std::move(checkpoint->state);
}

} // namespace athanor
