#include "engine/script/torch_errors.h"

#include "engine/base/log.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>

namespace athanor {
namespace {

/// The first line of a message, without the "file:line" trailers that LibTorch puts below it.
std::string firstParagraph(const std::string& text)
{
    const auto end = text.find("\nException raised from");
    std::string shortText = end == std::string::npos ? text : text.substr(0, end);
    while (!shortText.empty() && (shortText.back() == '\n' || shortText.back() == ' '))
        shortText.pop_back();
    return shortText;
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

Error outOfMemory(const std::string& where, const std::string& details)
{
    return {ErrorCode::OutOfMemory, "The memory does not hold what this step needs.", where,
            "Use a smaller batch_size, a smaller network, or precision bf16.", details};
}

Error torchError(const c10::Error& error, const std::string& where)
{
    const std::string text = firstParagraph(error.what_without_backtrace());
    spdlog::debug("{}: {}", where, error.what());
    if (dynamic_cast<const c10::OutOfMemoryError*>(&error) || contains(text, "can't allocate memory") ||
        contains(text, "not enough memory"))
        return outOfMemory(where, error.what());
    if (contains(text, "does not have a deterministic implementation"))
        return {ErrorCode::Unsupported, text.substr(0, text.find(',')) + ".", where,
                "Set training.deterministic to false.", error.what()};
    Error result{ErrorCode::InvalidArgument, text, where, {}, error.what()};
    if (contains(text, "Expected more than 1 value per channel"))
        result.hint = "A batch of one sample cannot be normalized: set the Loader's drop_last, or another batch_size.";
    else if (contains(text, "out of bounds"))
        result.hint = "A label is not below the number of outputs: check the labels and the last layer's size.";
    return result;
}

} // namespace

Error errorFromCurrentException(const std::string& where)
{
    try {
        throw;
    } catch (const PlacedError& error) {
        Error placed = error.error();
        if (placed.where.empty())
            placed.where = where; // a layer does not know its node
        return placed;
    } catch (const c10::Error& error) {
        return torchError(error, where);
    } catch (const std::bad_alloc& error) {
        return outOfMemory(where, error.what());
    } catch (const std::exception& error) {
        return {ErrorCode::Internal, firstParagraph(error.what()), where, {}, error.what()};
    } catch (...) {
        return {ErrorCode::Internal, "Something was thrown that is no exception.", where};
    }
}

} // namespace athanor
