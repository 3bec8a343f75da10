#include "engine/train/script/script_file.h"

#include "engine/graph/script_limits.h"
#include "engine/script/script_errors.h"
#include "engine/script/script_guard.h"

#include <torch/torch.h>

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/import.h>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <regex>
#include <set>

namespace athanor {
namespace {

namespace jit = torch::jit;
constexpr std::uintmax_t kLargestFile = std::uintmax_t(8) << 30;
constexpr std::size_t kLargestCode = std::size_t(64) << 20;

ScriptError fileError(const std::string& message, const std::string& hint, const std::string& details = {})
{
    return ScriptError({{}, message, hint}, "file", details);
}

constexpr const char* kHowToSave = "save it in Python with torch.jit.script(model).save(\"model.pt\")";

/// Loading runs what __setstate__ says, so code that could touch files is refused by its text, before that.
void checkCode(caffe2::serialize::PyTorchStreamReader& reader, const std::vector<std::string>& records)
{
    static const std::regex kForbidden(R"(\.\s*(save|from_file|rpc_async|rpc_sync|rpc_remote)\s*\()");
    std::size_t total = 0;
    for (const std::string& record : records) {
        if (!record.starts_with("code/") || !record.ends_with(".py"))
            continue;
        const auto [data, size] = reader.getRecord(record);
        total += size;
        if (total > kLargestCode)
            throw fileError("the program in the file is larger than 64 MB", "save a smaller module");
        const auto* text = static_cast<const char*>(data.get());
        if (const auto excess = nestingExcessOf({text, size}))
            throw fileError("the program in the file cannot be compiled: " + excess->message,
                            "save a simpler module");
        std::cmatch match;
        if (std::regex_search(text, text + size, match, kForbidden))
            throw fileError(
                fmt::format("the program in the file uses {}, which reaches out of it", match[1].str()),
                "a module here may only compute");
    }
}

/// Throws for everything that is not a saved module.
void checkContainer(const std::filesystem::path& file)
{
    std::error_code failed;
    if (!std::filesystem::exists(file, failed))
        throw fileError(fmt::format("there is no file {}", file.string()),
                        "choose the .pt file that holds the module");
    if (!std::filesystem::is_regular_file(file, failed))
        throw fileError(fmt::format("{} is not a file", file.string()),
                        "choose the .pt file that holds the module");
    const auto size = std::filesystem::file_size(file, failed);
    if (failed || size == 0)
        throw fileError(fmt::format("{} is empty", file.string()), kHowToSave);
    if (size > kLargestFile)
        throw fileError("the file is larger than 8 GB", "use a smaller module");
    std::vector<std::string> records;
    try {
        caffe2::serialize::PyTorchStreamReader reader(file.string());
        records = reader.getAllRecords();
        checkCode(reader, records);
    } catch (const PlacedError&) {
        throw;
    } catch (const std::exception& error) {
        throw fileError(fmt::format("{} is damaged, or no TorchScript file", file.string()), kHowToSave,
                        error.what());
    }
    const auto has = [&](const std::string& name) {
        return std::ranges::find(records, name) != records.end();
    };
    if (!has("constants.pkl"))
        throw fileError(
            has("data.pkl") ? "the file holds weights or a pickled model (torch.save), but no program"
                            : "the file is no TorchScript module",
            has("data.pkl") ? "draw the network and set training.weights, or save the module with "
                              "torch.jit.script(model).save(\"model.pt\")"
                            : kHowToSave);
}

void checkWeights(jit::Module& module, bool trainable)
{
    for (const auto& parameter : module.named_parameters(true)) {
        if (trainable && parameter.value.scalar_type() != torch::kFloat)
            throw fileError(fmt::format("its weight {} is {}, but only float32 can be trained",
                                        parameter.name, c10::toString(parameter.value.scalar_type())),
                            "call model.float() before saving, or leave it frozen");
        torch::Tensor(parameter.value).set_requires_grad(trainable && parameter.value.is_floating_point());
    }
}

} // namespace

jit::Module loadScriptFile(const std::filesystem::path& file, bool trainable)
{
    prepareScripting();
    checkContainer(file);
    try {
        const auto unit = std::make_shared<jit::CompilationUnit>();
        jit::Module module = jit::import_ir_module(unit, file.string(), torch::Device(torch::kCPU));
        if (!module.find_method("forward"))
            throw fileError("the module in the file has no forward", kHowToSave);
        std::set<std::string> buffers;
        for (const jit::Module& part : module.modules())
            for (const auto& buffer : part.named_buffers(false))
                buffers.insert(buffer.name);
        guardProgram(*unit, {}, "file", [&](const std::string& name) { return buffers.contains(name); });
        checkWeights(module, trainable);
        return module;
    } catch (const PlacedError&) {
        throw;
    } catch (const std::exception& error) {
        const SourceProblem problem = problemOfMessage(error.what(), {});
        throw fileError(fmt::format("{} cannot be loaded: {}", file.string(), problem.message), kHowToSave,
                        error.what());
    }
}

} // namespace athanor
