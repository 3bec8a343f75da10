// Any thread, torch-free. The walls at which exceptions of LibTorch and std become Errors.
#pragma once

#include "engine/base/result.h"

#include <exception>
#include <string>
#include <utility>

namespace athanor {

/// An Error on its way to the nearest wall, for places deep inside code that throws anyway.
class PlacedError : public std::exception {
public:
    explicit PlacedError(Error error)
        : m_error(std::move(error))
    {
    }
    [[nodiscard]] const Error& error() const { return m_error; }
    [[nodiscard]] const char* what() const noexcept override { return m_error.message.c_str(); }

private:
    Error m_error;
};

/// Inside a catch block: what was thrown as an Error at `where`. LibTorch's one clear line becomes the
/// message; its long text with the backtrace goes to the log and into `details`. Memory that ran out is
/// OutOfMemory, an operation without a deterministic form Unsupported, each with what to try.
Error errorFromCurrentException(const std::string& where);

/// Runs a step of work behind a wall.
template <typename Body>
auto behindWall(const std::string& where, Body&& body) -> decltype(body())
{
    try {
        return body();
    } catch (...) {
        return errorFromCurrentException(where);
    }
}

} // namespace athanor
