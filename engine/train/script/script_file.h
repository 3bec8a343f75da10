// Any thread. Inside engine/train: files that torch.jit.save wrote.
#pragma once

#include <filesystem>

namespace torch::jit {
struct Module;
}

namespace athanor {

/// Loads a saved module into the processor's memory; its weights are float32 when they are to be trained. The file's
/// code is looked at before any of it runs. Throws a ScriptError in "file" that says what the file is instead.
torch::jit::Module loadScriptFile(const std::filesystem::path& file, bool trainable);

} // namespace athanor
