// Any thread, torch-free. Inside weights/: what is wrong with a file, thrown to the wall that knows its name.
#pragma once

#include <string>

namespace athanor {

/// Throws a PlacedError of Unreadable: "The file is damaged: `what`." `hint` replaces the usual advice.
[[noreturn]] void throwDamaged(const std::string& what, const std::string& hint = {});

/// Throws a PlacedError of Unsupported: the file is whole, but not of a kind that is read; `hint` says what
/// to do.
[[noreturn]] void throwUnsupported(const std::string& message, const std::string& hint);

/// A text of a file as it may stand in a message: short, in quotes, control and odd characters escaped.
std::string spelled(const std::string& text);

/// The advice to keep only the tensors of a file.
extern const char* const kSaveStateDict;

} // namespace athanor
