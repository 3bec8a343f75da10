#include "engine/train/weights/pickle_globals.h"
#include "engine/train/weights/pickle_reader.h"
#include "engine/train/weights/weights_errors.h"

#include <algorithm>

namespace athanor {
namespace {

constexpr std::size_t kMostDimensions = 64; ///< of a tensor, as in PyTorch

bool isListOfSizes(const PickleValue& value)
{
    const auto isSize = [](const PickleValue* item) {
        return item->kind == PickleValue::Kind::Int && item->integer >= 0;
    };
    return (value.kind == PickleValue::Kind::Tuple || value.kind == PickleValue::Kind::List) &&
           value.items.size() <= kMostDimensions && std::ranges::all_of(value.items, isSize);
}

bool isPlain(const std::string& text)
{
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

} // namespace

void PickleReader::pushGlobal(const std::string& module, const std::string& name)
{
    const std::string full = module + "." + name;
    if (pickleGlobal(full) == PickleGlobal::Refused)
        throwUnsupported((m_stack.empty() ? "The file holds a whole Python object of the class "
                                          : "Beside tensors the file holds a Python object, ") +
                             spelled(full) + (m_stack.empty() ? ", not a dictionary of tensors." : "."),
                         std::string("No code of a file is ever run, so objects cannot be read. ") +
                             kSaveStateDict);
    push(make(Kind::Global, 0, full));
}

void PickleReader::reduce()
{
    PickleValue* arguments = pop();
    const PickleValue* function = pop();
    if (function->kind != Kind::Global || arguments->kind != Kind::Tuple)
        throwBadPickle();
    push(call(*function, *arguments));
}

PickleValue* PickleReader::call(const PickleValue& function, PickleValue& arguments)
{
    switch (pickleGlobal(function.text)) {
    case PickleGlobal::Dict:
        return dictOf(arguments);
    case PickleGlobal::Tensor:
        return tensorOf(arguments, false);
    case PickleGlobal::TypedTensor:
        return tensorOf(arguments, true);
    case PickleGlobal::SubclassedTensor:
        return subclassed(arguments);
    case PickleGlobal::Parameter:
    case PickleGlobal::Tagged:
        if (arguments.items.empty())
            throwBadPickle();
        return arguments.items.front();
    case PickleGlobal::Harmless:
        return make(Kind::Object, 0, function.text);
    case PickleGlobal::Refused:
        break;
    }
    throwBadPickle();
}

/// OrderedDict(), or OrderedDict([[key, value], …]); a defaultdict's argument is the class of its defaults.
PickleValue* PickleReader::dictOf(const PickleValue& arguments)
{
    PickleValue* dict = make(Kind::Dict);
    if (arguments.items.empty() || arguments.items.front()->kind != Kind::List)
        return dict;
    for (const PickleValue* pair : arguments.items.front()->items) {
        if (pair->items.size() != 2 || (pair->kind != Kind::List && pair->kind != Kind::Tuple))
            throwBadPickle();
        spend(pair->items.size());
        dict->items.insert(dict->items.end(), pair->items.begin(), pair->items.end());
    }
    return dict;
}

/// (storage, offset, sizes, strides, requires_grad, hooks[, type, …])
PickleValue* PickleReader::tensorOf(const PickleValue& arguments, bool typed)
{
    const auto& items = arguments.items;
    if (items.size() < (typed ? 7U : 4U) || items[0]->kind != Kind::Storage || items[1]->kind != Kind::Int ||
        items[1]->integer < 0 || !isListOfSizes(*items[2]) || !isListOfSizes(*items[3]) ||
        items[2]->items.size() != items[3]->items.size() || (typed && items[6]->kind != Kind::Global))
        throwBadPickle();
    PickleValue* tensor = make(Kind::Tensor, items[1]->integer);
    tensor->items = {items[0], items[2], items[3]};
    if (typed)
        tensor->items.push_back(items[6]);
    return tensor;
}

PickleValue* PickleReader::subclassed(const PickleValue& arguments)
{
    const auto& items = arguments.items;
    if (items.size() < 3 || items[0]->kind != Kind::Global || items[2]->kind != Kind::Tuple ||
        pickleGlobal(items[0]->text) == PickleGlobal::SubclassedTensor) // nested: a stack has an end
        throwBadPickle();
    return call(*items[0], *items[2]);
}

/// ('storage', type, key, device, elements)
PickleValue* PickleReader::storageOf(const PickleValue& id)
{
    const auto& items = id.items;
    if (id.kind != Kind::Tuple || items.size() < 5 || items[0]->text != "storage" ||
        items[1]->kind != Kind::Global || items[2]->kind != Kind::Text || items[3]->kind != Kind::Text ||
        items[4]->kind != Kind::Int || items[4]->integer < 0 || !isPlain(items[3]->text))
        throwBadPickle();
    PickleValue* storage = make(Kind::Storage, items[4]->integer, items[2]->text);
    storage->items = {items[1], items[3]};
    return storage;
}

void PickleReader::setItems(const std::vector<PickleValue*>& pairs)
{
    PickleValue* into = top();
    if (pairs.size() % 2 != 0 || (into->kind != Kind::Dict && into->kind != Kind::Object))
        throwBadPickle();
    if (into->kind == Kind::Dict)
        into->items.insert(into->items.end(), pairs.begin(), pairs.end());
}

void PickleReader::append(const std::vector<PickleValue*>& items)
{
    PickleValue* into = top();
    if (into->kind != Kind::List && into->kind != Kind::Object)
        throwBadPickle();
    if (into->kind == Kind::List)
        into->items.insert(into->items.end(), items.begin(), items.end());
}

const PickleValue* PickleValue::find(std::string_view key) const
{
    for (std::size_t i = items.size(); kind == Kind::Dict && i >= 2; i -= 2)
        if (items[i - 2]->kind == Kind::Text && items[i - 2]->text == key)
            return items[i - 1];
    return nullptr;
}

PickleDocument::PickleDocument(std::string_view bytes) : m_root(PickleReader(bytes, m_values).run()) {}

} // namespace athanor
