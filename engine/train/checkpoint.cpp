#include "engine/train/checkpoint.h"

#include "engine/base/log.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

namespace athanor {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr const char* kFormatKey = "athanor_checkpoint";

/// The seal of a file: the comment of the zip archive that it is, so that every reader of archives still takes it.
constexpr std::string_view kSealMark = "athanor-seal:";
constexpr std::size_t kSealSize = kSealMark.size() + 32; ///< mark, contentHash of all bytes before it
constexpr std::size_t kEndRecordSize = 22;               ///< the archive's last record, which ends in the comment's length

using Tensors = std::map<std::string, torch::Tensor>;

c10::IValue tensorDict(const Tensors& tensors)
{
    c10::Dict<std::string, torch::Tensor> dict;
    for (const auto& [name, tensor] : tensors)
        dict.insert(name, tensor.detach().cpu());
    return dict;
}

Tensors tensorsOf(const c10::IValue& value)
{
    Tensors tensors;
    for (const auto& entry : value.toGenericDict())
        tensors[entry.key().toStringRef()] = entry.value().toTensor();
    return tensors;
}

Error fileError(ErrorCode code, const std::string& what, const std::filesystem::path& file)
{
    return {code, what + ": " + std::strerror(errno) + ".", file.string(), "Check free space and permissions."};
}

Status writeAll(int descriptor, const std::vector<char>& bytes, const std::filesystem::path& file)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno != EINTR)
            return fileError(ErrorCode::Unreadable, "The checkpoint could not be written", file);
        done += written > 0 ? static_cast<std::size_t>(written) : 0;
    }
    if (::fsync(descriptor) != 0)
        return fileError(ErrorCode::Unreadable, "The checkpoint could not be written", file);
    return Done{};
}

/// The rename is only safe on disk once the folder is.
void syncFolder(const std::filesystem::path& folder)
{
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    ::fsync(descriptor);
    ::close(descriptor);
}

Status writeSafely(const std::vector<char>& bytes, const std::filesystem::path& file)
{
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    const std::filesystem::path temporary = file.string() + ".part";
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0)
        return fileError(ErrorCode::Unreadable, "The checkpoint could not be written", temporary);
    Status status = writeAll(descriptor, bytes, temporary);
    ::close(descriptor);
    if (status.ok() && ::rename(temporary.c_str(), file.c_str()) != 0)
        status = fileError(ErrorCode::Unreadable, "The checkpoint could not be put in place", file);
    if (!status.ok())
        ::unlink(temporary.c_str());
    else
        syncFolder(file.parent_path());
    return status;
}

c10::IValue dictOf(const Checkpoint& checkpoint)
{
    c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
    dict.insert(kFormatKey, kFormat);
    dict.insert("semantic_hash", checkpoint.semanticHash);
    dict.insert("step", checkpoint.step);
    dict.insert("epoch", checkpoint.epoch);
    dict.insert("batch", checkpoint.batch);
    dict.insert("seconds", checkpoint.seconds);
    dict.insert("optimizer_kind", checkpoint.optimizerKind);
    dict.insert("state_dict", tensorDict(checkpoint.state));
    dict.insert("optimizer", tensorDict(checkpoint.optimizer));
    dict.insert("generators", tensorDict(checkpoint.generators));
    if (!checkpoint.live.empty())
        dict.insert("live", tensorDict(checkpoint.live));
    if (!checkpoint.averaged.empty())
        dict.insert("averaged", tensorDict(checkpoint.averaged));
    dict.insert("progress", checkpoint.progress.dump());
    return dict;
}

Checkpoint checkpointOf(const c10::IValue& value)
{
    const auto dict = value.toGenericDict();
    Checkpoint checkpoint;
    checkpoint.semanticHash = dict.at("semantic_hash").toStringRef();
    checkpoint.step = dict.at("step").toInt();
    checkpoint.epoch = dict.at("epoch").toInt();
    checkpoint.batch = dict.at("batch").toInt();
    checkpoint.seconds = dict.at("seconds").toDouble();
    checkpoint.optimizerKind = dict.at("optimizer_kind").toStringRef();
    checkpoint.state = tensorsOf(dict.at("state_dict"));
    checkpoint.optimizer = tensorsOf(dict.at("optimizer"));
    checkpoint.generators = tensorsOf(dict.at("generators"));
    if (dict.contains("live"))
        checkpoint.live = tensorsOf(dict.at("live"));
    if (dict.contains("averaged"))
        checkpoint.averaged = tensorsOf(dict.at("averaged"));
    checkpoint.progress = Json::parse(dict.at("progress").toStringRef());
    return checkpoint;
}

/// The step of a checkpoint file's name, or -1.
std::int64_t stepOf(const std::filesystem::path& file)
{
    const std::string name = file.filename().string();
    if (!name.starts_with("step-") || file.extension() != ".pt")
        return -1;
    std::int64_t step = -1;
    const char* begin = name.data() + 5;
    const char* end = name.data() + name.size() - 3;
    const auto parsed = std::from_chars(begin, end, step);
    return parsed.ec == std::errc() && parsed.ptr == end ? step : -1;
}

/// What PyTorch's writer leaves is an archive without a comment.
void seal(std::vector<char>& bytes)
{
    if (bytes.size() < kEndRecordSize)
        throw std::runtime_error("LibTorch wrote no archive");
    bytes[bytes.size() - 2] = static_cast<char>(kSealSize);
    bytes[bytes.size() - 1] = 0;
    const std::string hash = contentHash(bytes.data(), bytes.size());
    bytes.insert(bytes.end(), kSealMark.begin(), kSealMark.end());
    bytes.insert(bytes.end(), hash.begin(), hash.end());
}

/// LibTorch's reader trusts the sizes that it finds in an archive, also outside of the file; so it gets to see only what
/// was written whole.
bool isSealed(const std::vector<char>& bytes)
{
    if (bytes.size() < kSealSize)
        return false;
    const std::size_t content = bytes.size() - kSealSize;
    const std::string_view found(bytes.data() + content, kSealSize);
    return found.starts_with(kSealMark) && found.substr(kSealMark.size()) == contentHash(bytes.data(), content);
}

} // namespace

Checkpoint detached(Checkpoint checkpoint)
{
    for (auto* tensors : {&checkpoint.state, &checkpoint.live, &checkpoint.averaged, &checkpoint.optimizer})
        for (auto& [name, tensor] : *tensors)
            tensor = tensor.detach().to(torch::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
    return checkpoint;
}

Status saveCheckpoint(const Checkpoint& checkpoint, const std::filesystem::path& file)
{
    std::vector<char> bytes;
    try {
        bytes = torch::pickle_save(dictOf(checkpoint));
        seal(bytes);
    } catch (...) {
        return errorFromCurrentException(file.string());
    }
    return writeSafely(bytes, file);
}

Result<Checkpoint> loadCheckpoint(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return Error{ErrorCode::NotFound, "There is no such checkpoint.", file.string()};
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    constexpr const char* kDamaged = "This file is damaged, or no checkpoint of Athanor.";
    if (!isSealed(bytes))
        return Error{ErrorCode::Unreadable, kDamaged, file.string()};
    try {
        const auto value = torch::pickle_load(bytes);
        if (!value.isGenericDict() || !value.toGenericDict().contains(kFormatKey))
            return Error{ErrorCode::Unreadable, "This file is no checkpoint of Athanor.", file.string()};
        if (value.toGenericDict().at(kFormatKey).toInt() > kFormat)
            return Error{ErrorCode::Unsupported, "This checkpoint was written by a newer Athanor.", file.string(),
                         "Update Athanor."};
        return checkpointOf(value);
    } catch (...) {
        Error error = errorFromCurrentException(file.string());
        error.code = ErrorCode::Unreadable;
        error.details = error.message + "\n" + error.details;
        error.message = kDamaged;
        error.hint.clear();
        return error;
    }
}

std::string stateHash(const Tensors& state)
{
    std::string all;
    for (const auto& [name, tensor] : state) {
        const auto values = tensor.detach().cpu().contiguous();
        all.append(name).append(c10::toString(values.scalar_type()));
        for (const auto extent : values.sizes())
            all.append(",").append(std::to_string(extent));
        all.append(contentHash(values.data_ptr(), values.nbytes()));
    }
    return contentHash(all.data(), all.size());
}

CheckpointFolder::CheckpointFolder(std::filesystem::path folder, int keep)
    : m_folder(std::move(folder))
    , m_keep(keep)
{
}

std::filesystem::path CheckpointFolder::fileFor(std::int64_t step) const
{
    std::string digits = std::to_string(step);
    digits.insert(0, digits.size() < 8 ? 8 - digits.size() : 0, '0');
    return m_folder / ("step-" + digits + ".pt");
}

void CheckpointFolder::prune(std::int64_t best, std::int64_t newest, std::chrono::milliseconds settled) const
{
    std::vector<std::int64_t> steps;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(m_folder, error))
        if (const auto step = stepOf(entry.path()); step >= 0 && step <= newest)
            steps.push_back(step);
    std::ranges::sort(steps, std::greater{});
    // Without a best one the newest stays in any case: a run must be resumable.
    const auto kept = static_cast<std::size_t>(best >= 0 ? m_keep : std::max(m_keep, 1));
    const auto now = std::filesystem::file_time_type::clock::now();
    std::size_t newer = 0; // that are settled
    for (const auto step : steps) {
        const auto file = fileFor(step);
        const bool isSettled = settled.count() == 0 || now - std::filesystem::last_write_time(file, error) >= settled;
        if (newer >= kept && step != best && !std::filesystem::remove(file, error))
            spdlog::warn("The old checkpoint {} could not be deleted.", file.string());
        newer += isSettled ? 1 : 0;
    }
}

} // namespace athanor
