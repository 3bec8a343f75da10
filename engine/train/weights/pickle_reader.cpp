#include "engine/train/weights/pickle_reader.h"

#include "engine/train/weights/weights_errors.h"

#include <bit>

namespace athanor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie in the file");

/// Of one file; PyTorch's need about twenty a tensor.
constexpr std::size_t kMostValues = 16'000'000;

} // namespace

void throwBadPickle()
{
    throwDamaged("its list of tensors (data.pkl) makes no sense");
}

const PickleValue* PickleReader::run()
{
    for (auto code = number<std::uint8_t>(); code != '.'; code = number<std::uint8_t>())
        step(code);
    return pop();
}

std::string_view PickleReader::take(std::uint64_t size)
{
    if (size > m_bytes.size())
        throwDamaged("its list of tensors (data.pkl) ends too early");
    const auto part = m_bytes.substr(0, size);
    m_bytes.remove_prefix(size);
    return part;
}

std::string_view PickleReader::line()
{
    const auto end = m_bytes.find('\n');
    if (end == std::string_view::npos)
        throwBadPickle();
    const auto part = take(end);
    take(1);
    return part;
}

void PickleReader::spend(std::size_t values)
{
    m_spent += values;
    if (m_spent > kMostValues)
        throwUnsupported("The file lists more than 16 million values beside its tensors.", kSaveStateDict);
}

PickleValue* PickleReader::make(Kind kind, std::int64_t integer, std::string text)
{
    spend(1);
    m_values.push_back({kind, integer, std::move(text), {}});
    return &m_values.back();
}

PickleValue* PickleReader::top() const
{
    if (m_stack.empty() || (!m_marks.empty() && m_marks.back() >= m_stack.size()))
        throwBadPickle();
    return m_stack.back();
}

PickleValue* PickleReader::pop()
{
    PickleValue* value = top();
    m_stack.pop_back();
    return value;
}

std::vector<PickleValue*> PickleReader::popFrom(std::size_t start)
{
    const auto first = m_stack.begin() + static_cast<std::ptrdiff_t>(start);
    std::vector<PickleValue*> items(first, m_stack.end());
    m_stack.erase(first, m_stack.end());
    return items;
}

std::vector<PickleValue*> PickleReader::popToMark()
{
    if (m_marks.empty())
        throwBadPickle();
    const auto start = m_marks.back();
    m_marks.pop_back();
    return popFrom(start);
}

std::vector<PickleValue*> PickleReader::popCount(std::size_t count)
{
    const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
    if (m_stack.size() - floor < count)
        throwBadPickle();
    return popFrom(m_stack.size() - count);
}

void PickleReader::pushTuple(std::vector<PickleValue*> items)
{
    PickleValue* tuple = make(Kind::Tuple);
    tuple->items = std::move(items);
    push(tuple);
}

void PickleReader::recall(std::uint32_t index)
{
    const auto found = m_memo.find(index);
    if (found == m_memo.end())
        throwBadPickle();
    push(found->second);
}

void PickleReader::step(std::uint8_t code)
{
    switch (code) {
    case 0x80: // PROTO
        if (const auto protocol = number<std::uint8_t>(); protocol < 2 || protocol > 5)
            throwBadPickle();
        return;
    case 0x95: // FRAME
        number<std::uint64_t>();
        return;
    case '0': // POP
        pop();
        return;
    case '1': // POP_MARK
        popToMark();
        return;
    case '2': // DUP
        return push(top());
    case 'Q': // BINPERSID
        return push(storageOf(*pop()));
    default:
        if (!stepNumber(code) && !stepText(code) && !stepMemo(code) && !stepContainer(code) &&
            !stepObject(code))
            throwBadPickle();
    }
}

bool PickleReader::stepNumber(std::uint8_t code)
{
    switch (code) {
    case 'N':
        push(make(Kind::None));
        return true;
    case 0x88: // NEWTRUE
    case 0x89: // NEWFALSE
        push(make(Kind::Bool, code == 0x88 ? 1 : 0));
        return true;
    case 'J': // BININT
        push(make(Kind::Int, number<std::int32_t>()));
        return true;
    case 'K': // BININT1
        push(make(Kind::Int, number<std::uint8_t>()));
        return true;
    case 'M': // BININT2
        push(make(Kind::Int, number<std::uint16_t>()));
        return true;
    case 0x8a: // LONG1
        pushLong(number<std::uint8_t>());
        return true;
    case 0x8b: // LONG4
        pushLong(number<std::uint32_t>());
        return true;
    case 'G': // BINFLOAT
        take(sizeof(double));
        push(make(Kind::Real));
        return true;
    default:
        return false;
    }
}

/// Two's complement of any length; what does not fit 64 bits is no size and no offset.
void PickleReader::pushLong(std::uint64_t size)
{
    const auto part = take(size);
    if (part.size() > sizeof(std::int64_t))
        return push(make(Kind::Object, 0, "builtins.int"));
    std::int64_t value = !part.empty() && static_cast<signed char>(part.back()) < 0 ? -1 : 0;
    if (!part.empty())
        std::memcpy(&value, part.data(), part.size());
    push(make(Kind::Int, value));
}

bool PickleReader::stepText(std::uint8_t code)
{
    switch (code) {
    case 'U':  // SHORT_BINSTRING
    case 0x8c: // SHORT_BINUNICODE
        push(make(Kind::Text, 0, std::string(take(number<std::uint8_t>()))));
        return true;
    case 'T': // BINSTRING
    case 'X': // BINUNICODE
        push(make(Kind::Text, 0, std::string(take(number<std::uint32_t>()))));
        return true;
    case 0x8d: // BINUNICODE8
        push(make(Kind::Text, 0, std::string(take(number<std::uint64_t>()))));
        return true;
    case 'C': // SHORT_BINBYTES
        take(number<std::uint8_t>());
        push(make(Kind::Object, 0, "builtins.bytes"));
        return true;
    case 'B': // BINBYTES
        take(number<std::uint32_t>());
        push(make(Kind::Object, 0, "builtins.bytes"));
        return true;
    case 0x8e: // BINBYTES8
    case 0x96: // BYTEARRAY8
        take(number<std::uint64_t>());
        push(make(Kind::Object, 0, "builtins.bytes"));
        return true;
    default:
        return false;
    }
}

bool PickleReader::stepMemo(std::uint8_t code)
{
    switch (code) {
    case 'q': // BINPUT
        remember(number<std::uint8_t>());
        return true;
    case 'r': // LONG_BINPUT
        remember(number<std::uint32_t>());
        return true;
    case 0x94: // MEMOIZE
        remember(static_cast<std::uint32_t>(m_memo.size()));
        return true;
    case 'h': // BINGET
        recall(number<std::uint8_t>());
        return true;
    case 'j': // LONG_BINGET
        recall(number<std::uint32_t>());
        return true;
    default:
        return false;
    }
}

bool PickleReader::stepContainer(std::uint8_t code)
{
    switch (code) {
    case '(': // MARK
        m_marks.push_back(m_stack.size());
        return true;
    case ')': // EMPTY_TUPLE
        pushTuple({});
        return true;
    case 't': // TUPLE
        pushTuple(popToMark());
        return true;
    case 0x85: // TUPLE1
    case 0x86: // TUPLE2
    case 0x87: // TUPLE3
        pushTuple(popCount(code - 0x84U));
        return true;
    case ']': // EMPTY_LIST
        push(make(Kind::List));
        return true;
    case '}': // EMPTY_DICT
        push(make(Kind::Dict));
        return true;
    case 'a': // APPEND
        append(popCount(1));
        return true;
    case 'e':  // APPENDS
    case 0x90: // ADDITEMS
        append(popToMark());
        return true;
    case 's': // SETITEM
        setItems(popCount(2));
        return true;
    case 'u': // SETITEMS
        setItems(popToMark());
        return true;
    default:
        return false;
    }
}

bool PickleReader::stepObject(std::uint8_t code)
{
    switch (code) {
    case 'c': { // GLOBAL
        const std::string module(line());
        pushGlobal(module, std::string(line()));
        return true;
    }
    case 0x93: { // STACK_GLOBAL
        const PickleValue* name = pop();
        const PickleValue* module = pop();
        if (name->kind != Kind::Text || module->kind != Kind::Text)
            throwBadPickle();
        pushGlobal(module->text, name->text);
        return true;
    }
    case 'R':  // REDUCE
    case 0x81: // NEWOBJ
        reduce();
        return true;
    case 0x92: // NEWOBJ_EX: (class, arguments, keyword arguments)
        pop();
        reduce();
        return true;
    case 'b': // BUILD: attributes, which hold no weights (OrderedDict's _metadata)
        pop();
        if (const Kind kind = top()->kind; kind != Kind::Dict && kind != Kind::Object && kind != Kind::Tensor)
            throwBadPickle();
        return true;
    case 0x8f: // EMPTY_SET
        push(make(Kind::Object, 0, "builtins.set"));
        return true;
    case 0x91: // FROZENSET
        popToMark();
        push(make(Kind::Object, 0, "builtins.frozenset"));
        return true;
    default:
        return false;
    }
}

} // namespace athanor
