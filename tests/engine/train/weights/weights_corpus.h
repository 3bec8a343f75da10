// Tests only. The files that tests/baseline/make_weights_files.py writes, made once a test program.
#pragma once

#include "engine/base/json.h"

#include <QProcess>
#include <QTemporaryDir>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace athanor::test {

class WeightsCorpus {
public:
    WeightsCorpus()
    {
        QProcess python;
        python.start("/usr/bin/python3",
                     {QStringLiteral(ATHANOR_SOURCE_DIR "/tests/baseline/make_weights_files.py"), m_folder.path()});
        if (!python.waitForFinished(240'000) || python.exitCode() != 0)
            throw std::runtime_error("make_weights_files.py failed: " + python.readAllStandardError().toStdString());
        m_expected = Json::parse(bytes("expected.json"));
    }
    [[nodiscard]] std::filesystem::path file(const std::string& name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    [[nodiscard]] std::string bytes(const std::string& name) const
    {
        std::ifstream stream(file(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    /// By file: entry, tensors [[name, shape, type, device, sha256]].
    [[nodiscard]] const Json& expected() const { return m_expected; }

private:
    QTemporaryDir m_folder;
    Json m_expected;
};

inline void writeBytes(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

} // namespace athanor::test
