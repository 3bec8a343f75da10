// Runs athanor-cli in tests, in a folder of its own, on a small generated table.
#pragma once

#include <nlohmann/json.hpp>

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <QTemporaryDir>

#include <cmath>

namespace athanor::test {

struct CliResult {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out.toStdString()); }
};

class CliRunner {
public:
    CliRunner()
    {
        // Two noisy classes of 240 rows, by a formula, so that no random generator is involved.
        QFile table(path("table.csv"));
        if (!table.open(QIODevice::WriteOnly))
            qFatal("the temporary folder cannot be written");
        QByteArray text = "a,b,c,kind\n";
        for (int i = 0; i < 240; ++i) {
            const int label = i % 2;
            const double noise = std::sin(i * 12.9898) * 0.6;
            text += QByteArray::number(label * 2 - 1 + noise, 'f', 6) + "," + QByteArray::number(std::cos(i * 0.7), 'f', 6) +
                    "," + QByteArray::number(0.5 * label + std::sin(i * 3.1), 'f', 6) + "," + (label ? "yes" : "no") + "\n";
        }
        table.write(text);
    }

    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }

    /// Writes a project over the table; `training` is merged into a default training part.
    QString project(const QString& name, const nlohmann::json& training = nlohmann::json::object(), int workers = 0) const
    {
        nlohmann::json p = nlohmann::json::parse(R"({
            "athanor": 1,
            "data": {
                "nodes": [
                    {"id": "table", "kind": "CsvTable", "params": {"path": "table.csv", "target": "kind", "task": "classification"}},
                    {"id": "split", "kind": "Split", "params": {"train": 0.75, "val": 0.25, "seed": 3}},
                    {"id": "scale", "kind": "Standardize"},
                    {"id": "loader", "kind": "Loader", "params": {"batch_size": 16, "shuffle": true}}],
                "edges": [["table", "split"], ["split", "scale"], ["scale", "loader"]]},
            "network": {
                "nodes": [
                    {"id": "x", "kind": "Input", "params": {"field": "features"}},
                    {"id": "fc1", "kind": "Linear", "params": {"out_features": 16}},
                    {"id": "bn", "kind": "BatchNorm1d"},
                    {"id": "relu", "kind": "ReLU"},
                    {"id": "drop", "kind": "Dropout", "params": {"p": 0.1}},
                    {"id": "fc2", "kind": "Linear", "params": {"out_features": 2}},
                    {"id": "y", "kind": "Input", "params": {"field": "label"}},
                    {"id": "loss", "kind": "CrossEntropyLoss"}],
                "edges": [["x", "fc1"], ["fc1", "bn"], ["bn", "relu"], ["relu", "drop"], ["drop", "fc2"],
                          ["fc2", "loss:input"], ["y", "loss:target"]]},
            "training": {"epochs": 4, "seed": 5, "optimizer": {"kind": "Adam", "lr": 0.01}, "metrics": ["accuracy"]}})");
        p["name"] = name.toStdString();
        p["data"]["nodes"][3]["params"]["num_workers"] = workers;
        p["training"].merge_patch(training);
        const QString file = path(name + ".athanor");
        QFile out(file);
        if (!out.open(QIODevice::WriteOnly))
            qFatal("the temporary folder cannot be written");
        out.write(QByteArray::fromStdString(p.dump(1)));
        return file;
    }

    [[nodiscard]] CliResult run(const QStringList& arguments, int timeoutMs = 120000) const
    {
        QProcess process;
        start(process, arguments);
        CliResult result;
        if (!process.waitForFinished(timeoutMs)) {
            process.kill();
            process.waitForFinished();
            return result;
        }
        result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        result.out = process.readAllStandardOutput();
        result.err = process.readAllStandardError();
        return result;
    }

    void start(QProcess& process, const QStringList& arguments) const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("ATHANOR_STORE", path("runs.sqlite"));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder.path());
        process.start(ATHANOR_CLI, arguments);
        process.waitForStarted();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace athanor::test
