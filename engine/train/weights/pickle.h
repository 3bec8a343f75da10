// Any thread, torch-free. A strict reader of Python's pickle: only what files of tensors need, and no code is
// ever run.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// A value of a pickle. Values refer to each other freely, in circles too; a PickleDocument owns them all.
struct PickleValue {
    enum class Kind {
        None,
        Bool,
        Int,
        Real, ///< its value is of no interest here
        Text,
        Tuple,
        List,
        Dict,
        Global,  ///< a class or function of the white list, by name
        Object,  ///< something harmless that is no tensor: a NumPy number, a set, a date
        Storage, ///< items: its type (Global), its device (Text)
        Tensor, ///< items: its Storage, sizes, strides (tuples of Int ≥ 0), its type (Global) if it has one
    };
    Kind kind = Kind::None;
    std::int64_t integer = 0; ///< Bool, Int; Storage: its elements; Tensor: offset in its storage, in elements
    std::string text;         ///< Text; Global: "module.name"; Object: its class; Storage: key of its record
    std::vector<PickleValue*> items; ///< Tuple, List; Dict: key, value, key, value, … in order

    /// The value of a Dict's text key, the last one when there are several; nullptr when there is none.
    [[nodiscard]] const PickleValue* find(std::string_view key) const;
};

class PickleDocument {
public:
    /// Reads protocols 2 to 5. Throws a PlacedError: damaged, or Unsupported for any class that is not on the
    /// white list, naming it. The memory it takes is bounded by the length of the pickle.
    explicit PickleDocument(std::string_view bytes);
    [[nodiscard]] const PickleValue& root() const { return *m_root; }

private:
    std::deque<PickleValue> m_values; // keeps its addresses as it grows and moves
    const PickleValue* m_root;
};

} // namespace athanor
