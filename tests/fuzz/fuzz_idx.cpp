// Files of images and of labels (IDX, plain or gzip); the first byte says which of the two the rest is.
#include "fuzz_file.h"

#include <array>

namespace {

constexpr std::array<std::uint8_t, 20> kImages = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4};
constexpr std::array<std::uint8_t, 9> kLabels = {0, 0, 8, 1, 0, 0, 0, 1, 7};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const bool images = data[0] % 2 == 0;
    const athanor::FuzzFile input(data + 1, size - 1);
    const athanor::FuzzFile other(images ? kLabels.data() : kImages.data(),
                                  images ? kLabels.size() : kImages.size());
    athanor::openAndRead("MnistIdx", {{"images", images ? input.path() : other.path()},
                                      {"labels", images ? other.path() : input.path()},
                                      {"transposed", data[0] % 4 > 1}});
    return 0;
}
