#include "app/cli/child_run.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace athanor::cli {
namespace {

std::string textOf(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::string lastLine(std::string text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    const auto start = text.find_last_of("\r\n");
    return start == std::string::npos ? text : text.substr(start + 1);
}

/// In the child: only calls that are safe between fork and exec.
[[noreturn]] void becomeChild(char* const* arguments, int out, int error, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != parent)
        _exit(127); // it has ended in between
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    execv("/proc/self/exe", arguments);
    _exit(127);
}

} // namespace

Result<ChildRun> ChildRun::start(const std::vector<std::string>& arguments)
{
    std::string pattern = (std::filesystem::temp_directory_path() / "athanor-sweep-XXXXXX").string();
    const auto failed = [](const char* what) {
        return Error{ErrorCode::Internal, std::string(what) + ": " + std::strerror(errno), "sweep", {}, {}};
    };
    if (mkdtemp(pattern.data()) == nullptr)
        return failed("A folder for the output of a trial could not be made");
    const std::filesystem::path folder = pattern;
    const int out = open((folder / "out").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const int error = open((folder / "err").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    std::vector<std::string> words{"athanor-cli"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = out < 0 || error < 0 ? -1 : fork();
    if (pid == 0)
        becomeChild(pointers.data(), out, error, parent);
    if (out >= 0)
        close(out);
    if (error >= 0)
        close(error);
    if (pid < 0) {
        const Error told = failed("A trial could not be started");
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
        return told;
    }
    return ChildRun(pid, folder);
}

ChildRun::ChildRun(ChildRun&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1))
    , m_folder(std::exchange(other.m_folder, {}))
{
}

ChildRun& ChildRun::operator=(ChildRun&& other) noexcept
{
    std::swap(m_pid, other.m_pid);
    std::swap(m_folder, other.m_folder);
    return *this;
}

ChildRun::~ChildRun()
{
    if (m_pid > 0) {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    std::error_code ignored;
    if (!m_folder.empty())
        std::filesystem::remove_all(m_folder, ignored);
}

std::optional<ChildEnd> ChildRun::poll()
{
    int status = 0;
    if (m_pid <= 0 || waitpid(m_pid, &status, WNOHANG) != m_pid)
        return std::nullopt;
    m_pid = -1;
    ChildEnd end;
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const Json result = Json::parse(textOf(m_folder / "out"), nullptr, false);
    end.result = result.is_discarded() ? Json() : result;
    end.complaint = lastLine(textOf(m_folder / "err"));
    return end;
}

void ChildRun::interrupt() const
{
    if (m_pid > 0)
        kill(m_pid, SIGINT);
}

} // namespace athanor::cli
