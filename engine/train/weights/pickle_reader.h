// Any thread, torch-free. Inside weights/: the machine behind PickleDocument, a stack that values are put on.
#pragma once

#include "engine/train/weights/pickle.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace athanor {

/// Throws that the pickle makes no sense.
[[noreturn]] void throwBadPickle();

/// Reads one operation after the other (pickletools of Python's library describes them). Operations:
/// pickle_reader.cpp; what calls of the white list stand for: pickle_objects.cpp.
class PickleReader {
public:
    PickleReader(std::string_view bytes, std::deque<PickleValue>& values) : m_bytes(bytes), m_values(values)
    {}

    const PickleValue* run();

private:
    using Kind = PickleValue::Kind;

    void step(std::uint8_t code);
    bool stepNumber(std::uint8_t code);
    bool stepText(std::uint8_t code);
    bool stepMemo(std::uint8_t code);
    bool stepContainer(std::uint8_t code);
    bool stepObject(std::uint8_t code);

    void pushGlobal(const std::string& module, const std::string& name);
    void reduce();
    PickleValue* call(const PickleValue& function, PickleValue& arguments);
    PickleValue* dictOf(const PickleValue& arguments);
    PickleValue* tensorOf(const PickleValue& arguments, bool typed);
    PickleValue* subclassed(const PickleValue& arguments);
    PickleValue* storageOf(const PickleValue& id);
    void setItems(const std::vector<PickleValue*>& pairs);
    void append(const std::vector<PickleValue*>& items);
    void pushLong(std::uint64_t size);

    std::string_view take(std::uint64_t size);
    template <typename T>
    T number()
    {
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    std::string_view line();

    void spend(std::size_t values);
    PickleValue* make(Kind kind, std::int64_t integer = 0, std::string text = {});
    void push(PickleValue* value) { m_stack.push_back(value); }
    [[nodiscard]] PickleValue* top() const;
    PickleValue* pop();
    std::vector<PickleValue*> popFrom(std::size_t start);
    std::vector<PickleValue*> popToMark();
    std::vector<PickleValue*> popCount(std::size_t count);
    void pushTuple(std::vector<PickleValue*> items);
    void remember(std::uint32_t index) { m_memo[index] = top(); }
    void recall(std::uint32_t index);

    std::string_view m_bytes; // what is left
    std::size_t m_spent = 0;  // values made, and those that a copy of a list refers to again
    std::deque<PickleValue>& m_values;
    std::vector<PickleValue*> m_stack;
    std::vector<std::size_t> m_marks; // heights of the stack
    std::unordered_map<std::uint32_t, PickleValue*> m_memo;
};

} // namespace athanor
