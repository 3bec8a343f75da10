#include "engine/preflight/memory.h"

#include "engine/base/log.h"
#include "engine/preflight/result_json.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace athanor {

namespace fs = std::filesystem;

namespace {

/// Raised whenever a rule or a limit changes, so that what an older version found is not taken for new.
constexpr int kRulesVersion = 1;
constexpr std::size_t kMostRemembered = 100;
/// File systems count time in ticks of up to 10 ms: within them a file can change twice and keep its times.
constexpr std::chrono::milliseconds kTick{50};

struct Stamp {
    std::string text;
    std::int64_t changed = 0; ///< ns since 1970; ctime, which no program can set
};

std::optional<Stamp> stampOf(const fs::path& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return std::nullopt;
    const std::int64_t changed = std::int64_t{status.st_ctim.tv_sec} * 1000000000 + status.st_ctim.tv_nsec;
    const std::int64_t modified = std::int64_t{status.st_mtim.tv_sec} * 1000000000 + status.st_mtim.tv_nsec;
    std::ostringstream text;
    text << status.st_dev << ' ' << status.st_ino << ' ' << status.st_size << ' ' << modified << ' '
         << changed;
    return Stamp{text.str(), changed};
}

std::int64_t nowNanoseconds()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// Gathers the stamps of files and whole folders as one text.
class Stamps {
public:
    void add(const fs::path& path)
    {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            addOne(path);
            return;
        }
        std::vector<fs::path> files{path};
        constexpr auto kOptions =
            fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
        constexpr int kDeepest = 32; // links may lead round in circles
        for (fs::recursive_directory_iterator entry(path, kOptions, error), end; !error && entry != end;
             entry.increment(error)) {
            files.push_back(entry->path());
            if (entry.depth() > kDeepest)
                entry.disable_recursion_pending();
        }
        std::ranges::sort(files);
        for (const fs::path& file : files)
            addOne(file);
    }

    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] std::int64_t newest() const { return m_newest; }

private:
    void addOne(const fs::path& file)
    {
        const auto stamp = stampOf(file);
        m_text += file.string() + ' ' + (stamp ? stamp->text : "gone") + '\n';
        m_newest = std::max(m_newest, stamp ? stamp->changed : 0);
    }

    std::string m_text;
    std::int64_t m_newest = 0;
};

/// Every text in a node's parameters that names something that is there.
void addNamedFiles(const Json& value, const fs::path& folder, Stamps& stamps)
{
    if (value.is_structured()) {
        for (const Json& entry : value)
            addNamedFiles(entry, folder, stamps);
        return;
    }
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
        return;
    const fs::path path = folder / value.get<std::string>();
    std::error_code error;
    if (fs::exists(path, error))
        stamps.add(path);
}

/// The folder-less name under which the own files of samples are stamped together.
std::string samplesStamp(const std::vector<std::string>& files)
{
    Stamps stamps;
    for (const std::string& file : files)
        stamps.add(file);
    return contentHash(stamps.text().data(), stamps.text().size());
}

std::vector<std::string> sampleFiles(const OpenedData& data)
{
    std::vector<std::string> files;
    for (const auto& part : data.parts) {
        if (!part)
            continue;
        for (const std::int64_t index : part->samples) {
            std::string file = part->dataset->filePath(index);
            if (file.empty())
                break; // a data set has them for all samples or for none
            files.push_back(std::move(file));
        }
    }
    return files;
}

fs::path fileOf(const fs::path& memory, const PreflightKey& key)
{
    return memory / (key.text() + ".json");
}

void forgetOldest(const fs::path& memory)
{
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(memory, error))
        if (entry.path().extension() == ".json")
            files.emplace_back(entry.last_write_time(error), entry.path());
    if (files.size() <= kMostRemembered)
        return;
    std::ranges::sort(files);
    for (std::size_t i = 0; i < files.size() - kMostRemembered; ++i)
        fs::remove(files[i].second, error);
}

} // namespace

std::filesystem::path preflightMemory()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache != '\0')
        return fs::path(cache) / "athanor" / "preflight";
    const char* home = std::getenv("HOME");
    return (home != nullptr && *home != '\0' ? fs::path(home) / ".cache" : fs::temp_directory_path()) /
           "athanor" / "preflight";
}

PreflightKey::PreflightKey(const Project& project)
{
    Stamps stamps;
    for (const Node& node : project.data.nodes())
        addNamedFiles(node.params, project.folder(), stamps);
    const auto place = [&](const std::string& path) {
        return fs::absolute(project.folder() / path).lexically_normal().string();
    };
    std::string all = std::to_string(kRulesVersion) + '\n' + semanticHash(project.data, place) + '\n' +
                      semanticHash(project.network, place) + '\n' + std::to_string(project.training.seed) +
                      '\n' + stamps.text();
    m_text = contentHash(all.data(), all.size());
    m_safe = nowNanoseconds() - stamps.newest() > std::chrono::nanoseconds(kTick).count();
}

std::optional<PreflightResult> recallPreflight(const fs::path& memory, const PreflightKey& key)
{
    std::ifstream in(fileOf(memory, key), std::ios::binary);
    if (!in)
        return std::nullopt;
    try {
        const Json stored = Json::parse(in);
        const auto files = stored.at("files").get<std::vector<std::string>>();
        if (!files.empty() && stored.at("files_stamp") != samplesStamp(files))
            return std::nullopt;
        PreflightResult result = resultFromJson(stored.at("result"));
        result.remembered = true;
        return result;
    } catch (const std::exception& error) {
        spdlog::debug("What the pre-flight check remembered cannot be read: {}", error.what());
        return std::nullopt;
    }
}

void rememberPreflight(const fs::path& memory, const PreflightKey& key, const OpenedData& data,
                       const PreflightResult& result)
{
    if (!key.isSafe())
        return;
    try {
        const std::vector<std::string> files = sampleFiles(data);
        const Json stored = {
            {"files", files}, {"files_stamp", samplesStamp(files)}, {"result", resultJson(result)}};
        fs::create_directories(memory);
        const fs::path file = fileOf(memory, key);
        const fs::path part = file.string() + "." + std::to_string(::getpid()) + ".part";
        std::ofstream out(part, std::ios::binary);
        out << stored.dump(-1, ' ', false, Json::error_handler_t::replace);
        out.close();
        if (!out) {
            fs::remove(part);
            return;
        }
        fs::rename(part, file);
        forgetOldest(memory);
    } catch (const std::exception& error) {
        spdlog::debug("The pre-flight check could not be remembered: {}", error.what());
    }
}

} // namespace athanor
