// Tables; the first byte chooses how they are read.
#include "fuzz_file.h"

#include <array>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    static constexpr std::array kMissing = {"error", "mean", "drop", "constant"};
    const unsigned choice = data[0];
    athanor::Json params = {{"missing", kMissing[choice % 4]},
                            {"categories", choice & 4U ? "index" : "one_hot"},
                            {"task", choice & 8U ? "regression" : "classification"},
                            {"quote", choice & 16U ? "'" : "\""},
                            {"target", choice & 32U ? athanor::Json(-1) : athanor::Json()}};
    if (choice & 64U)
        params["types"] = {{"0", "category"}};
    if (choice & 128U)
        params["types"]["1"] = "date";
    const athanor::FuzzFile input(data + 1, size - 1);
    params["path"] = input.path();
    athanor::openAndRead("CsvTable", params);
    return 0;
}
