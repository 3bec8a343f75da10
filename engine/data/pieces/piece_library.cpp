#include "engine/data/pieces/piece_library.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>

namespace athanor {
namespace {

constexpr const char* kFile = "libathanor_pieces.so";

struct Library {
    void* (*train)(const char* const*, const std::size_t*, std::size_t, std::size_t, char*, std::size_t) = nullptr;
    void (*free)(void*) = nullptr;
    int (*count)(const void*) = nullptr;
    const char* (*name)(const void*, int) = nullptr;
    std::size_t (*encode)(const void*, const char*, std::size_t, int*, std::size_t) = nullptr;
    std::string error; ///< empty: loaded
};

template <typename Function>
void find(void* handle, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(handle, name));
}

Library load()
{
    Library library;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    library.error = "sanitizers cannot load it"; // they refuse RTLD_DEEPBIND
#else
    // Its names go to itself first, and are seen by nobody else.
    void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle == nullptr) {
        library.error = dlerror();
        return library;
    }
    find(handle, "athanorPiecesTrain", library.train);
    find(handle, "athanorPiecesFree", library.free);
    find(handle, "athanorPiecesCount", library.count);
    find(handle, "athanorPiecesName", library.name);
    find(handle, "athanorPiecesEncode", library.encode);
    if (!library.train || !library.free || !library.count || !library.name || !library.encode)
        library.error = std::string(kFile) + " is of another version";
#endif
    return library;
}

const Library& pieces()
{
    static const Library kLibrary = load();
    return kLibrary;
}

} // namespace

Result<std::unique_ptr<PieceModel>> PieceModel::train(const std::vector<std::string>& texts, std::size_t vocabulary)
{
    if (!pieces().error.empty())
        return Error{ErrorCode::Unsupported, "SentencePiece cannot be used here", "method",
                     "Use word or character, or install the program anew", pieces().error};
    std::vector<const char*> lines;
    std::vector<std::size_t> sizes;
    for (const std::string& text : texts)
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.size(), text.find('\n', at));
            if (end > at) {
                lines.push_back(text.data() + at);
                sizes.push_back(end - at);
            }
            at = end + 1;
        }
    std::array<char, 512> reason{};
    void* processor = pieces().train(lines.data(), sizes.data(), lines.size(), vocabulary, reason.data(), reason.size());
    if (processor == nullptr)
        return Error{ErrorCode::InvalidArgument, "SentencePiece finds no vocabulary in these texts", "max_tokens",
                     "Ask for more tokens than there are different characters, or use another method", reason.data()};
    return std::unique_ptr<PieceModel>(new PieceModel(processor));
}

PieceModel::~PieceModel()
{
    pieces().free(m_processor);
}

std::vector<std::string> PieceModel::vocabulary() const
{
    std::vector<std::string> names;
    for (int i = 0; i < pieces().count(m_processor); ++i)
        names.emplace_back(pieces().name(m_processor, i));
    return names;
}

void PieceModel::encode(std::string_view text, std::size_t most, std::vector<std::int64_t>& tokens) const
{
    std::vector<int> found(std::min(most, text.size() + 1)); // no more pieces than bytes, and a blank before them
    const std::size_t count = pieces().encode(m_processor, text.data(), text.size(), found.data(), found.size());
    tokens.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
}

} // namespace athanor
