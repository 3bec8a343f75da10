// Any thread; each guard counts for the thread that makes it. what a script may not do, and
// how it is run without touching anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace torch::jit {
struct CompilationUnit;
}

namespace athanor {

/// Makes LibTorch run scripts as they are written, operation by operation, so that a run is the same bit for bit
/// every time: its profiling executor changes what it runs after the first calls. Prints go to the log. Once is
/// enough, more does no harm.
void prepareScripting();

/// Refuses operations that reach outside (files, other processes, the global seed) or that leave state which no
/// checkpoint holds: throws a ScriptError in `where`. `assignable` tells the attributes that a program may assign.
/// Gives every loop a way out (ScriptWatch).
void guardProgram(torch::jit::CompilationUnit& program, std::string_view source, const std::string& where,
                  const std::function<bool(const std::string& attribute)>& assignable);

/// While it lives, loops of scripts on this thread end with an exception once `stop` says so.
class ScriptWatch {
public:
    explicit ScriptWatch(std::function<bool()> stop);
    ~ScriptWatch();
    ScriptWatch(const ScriptWatch&) = delete;
    ScriptWatch& operator=(const ScriptWatch&) = delete;

private:
    std::function<bool()> m_stop;
    const std::function<bool()>* m_before;
};

inline constexpr std::uint64_t kTrialSeed = 67280421310721; ///< LibTorch's own default

/// Whether an operation of a program may draw random numbers.
bool drawsRandomNumbers(const torch::jit::CompilationUnit& program);

/// While it lives, operations on this thread draw random numbers from a generator of their own, so that a script which is
/// tried, or works on data, does not change the course of a run. Counts multiply-accumulates as well.
class ScriptTrial {
public:
    /// The same seed draws the same numbers.
    explicit ScriptTrial(std::uint64_t seed = kTrialSeed);
    ~ScriptTrial();
    ScriptTrial(const ScriptTrial&) = delete;
    ScriptTrial& operator=(const ScriptTrial&) = delete;
    [[nodiscard]] std::int64_t macs() const; ///< of matrix products and convolutions so far

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
