// Any thread. Result<T>: a value or an Error, for everything that can fail because of the user, a file,
// data or hardware.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace athanor {

/// What kind of thing went wrong; decides the exit status of the command line (see docs of athanor-cli).
enum class ErrorCode {
    InvalidArgument, ///< a value the user gave is wrong
    NotFound,        ///< a file, run, node or series that is not there
    Unreadable,      ///< a file is there but damaged or of another format
    Unsupported,     ///< right in itself, but not possible here (device, version, precision)
    OutOfMemory,     ///< the device's memory does not hold what is asked
    Busy,            ///< another process holds what is needed
    Cancelled,       ///< the user stopped it
    Internal,        ///< our bug
};

/// An error for a person: what happened, where, what to try. `details` holds the long text of a library
/// (for the log and the "Details" button), never the only text.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string where; ///< a path such as `network/conv1/stride`, `training/optimizer/lr`, or a file name
    std::string hint;  ///< what to try, may be empty
    std::string details;

    /// "where: message (hint)" on one line.
    [[nodiscard]] std::string text() const;
};

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    /// The value; the caller has checked ok().
    T& value() & { return std::get<0>(m_state); }
    const T& value() const& { return std::get<0>(m_state); }
    T&& value() && { return std::get<0>(std::move(m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The error; the caller has checked !ok().
    const Error& error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

/// Result without a value.
struct Done {};
using Status = Result<Done>;

} // namespace athanor
