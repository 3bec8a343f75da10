// Arrays; bytes that start as a zip archive are read as .npz.
#include "fuzz_file.h"

#include "engine/data/sources/npy_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const athanor::FuzzFile input(data, size);
    if (size > 1 && data[0] == 'P' && data[1] == 'K') {
        const auto array = athanor::readNpz(input.path(), "x");
        if (!array && array.error().message.empty())
            abort();
        return 0;
    }
    athanor::openAndRead("NumpyFile", {{"fields", {{"label", input.path()}}}});
    athanor::openAndRead("NumpyFile", {{"fields", {{"image", input.path()}}}});
    return 0;
}
