#include "engine/train/weights/weights_errors.h"

#include "engine/base/json.h"
#include "engine/script/torch_errors.h"

namespace athanor {

const char* const kSaveStateDict =
    "In Python, save only the tensors: torch.save(model.state_dict(), \"weights.pt\").";

void throwDamaged(const std::string& what, const std::string& hint)
{
    throw PlacedError({ErrorCode::Unreadable,
                       "The file is damaged: " + what + ".",
                       {},
                       hint.empty() ? "Fetch or save it again." : hint,
                       {}});
}

void throwUnsupported(const std::string& message, const std::string& hint)
{
    throw PlacedError({ErrorCode::Unsupported, message, {}, hint, {}});
}

std::string spelled(const std::string& text)
{
    constexpr std::size_t kShown = 120;
    const bool cut = text.size() > kShown;
    std::string shown = Json(text.substr(0, kShown)).dump(-1, ' ', true, Json::error_handler_t::replace);
    if (cut)
        shown += "…";
    return shown;
}

} // namespace athanor
