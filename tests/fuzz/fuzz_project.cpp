// Project files: read, checked, and written again; what was written must read as the same.
#include "engine/graph/graph_check.h"
#include "engine/project/project.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace athanor;
    const Result<LoadedProject> loaded = parseProject({reinterpret_cast<const char*>(data), size});
    if (!loaded) {
        if (loaded.error().message.empty())
            abort();
        return 0;
    }
    static_cast<void>(checkData(loaded->project.data));
    const std::string text = projectText(loaded->project);
    const Result<LoadedProject> again = parseProject(text);
    if (!again || projectText(again->project) != text)
        abort();
    return 0;
}
