// Pictures of the board and the panel in both themes, for looking at: plot_shots FOLDER.
#include "engine/graph/graph_edit.h"
#include "tests/support/fake_session.h"
#include "ui/bridge/project_document.h"
#include "ui/bridge/session_bridge.h"
#include "ui/plot/metric_plot.h"
#include "ui/plot/metrics_board.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/series_tree.h"
#include "ui/plot/step_cursor.h"
#include "ui/plot/training_controls.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QScrollBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QVBoxLayout>

#include <cmath>
#include <random>

using namespace athanor;
using namespace std::chrono_literals;

namespace {

double noise(std::int64_t step, int seed)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(step * 7919 + seed * 104'729));
    return std::uniform_real_distribution<double>(-1, 1)(random);
}

/// The series that a small convolutional network has.
std::vector<FakeSeries> convolutionalSeries()
{
    std::vector<FakeSeries> series;
    const auto add = [&](const std::string& name, const char* unit, SeriesRole role, std::int64_t every, auto value) {
        series.push_back({{name, unit, role}, value, every});
    };
    const auto loss = [](std::int64_t step) {
        return 0.05 + 2.2 * std::exp(-static_cast<double>(step) / 250) * (1 + 0.15 * noise(step, 1)) + 0.06 * std::abs(noise(step, 2));
    };
    add("train/loss", "", SeriesRole::Essential, 1, loss);
    add("val/loss", "", SeriesRole::Essential, 125, [loss](std::int64_t step) { return 0.08 + loss(step); });
    add("train/accuracy", "", SeriesRole::Essential, 1, [](std::int64_t step) {
        return 1 - 0.9 * std::exp(-static_cast<double>(step) / 200) - 0.04 * std::abs(noise(step, 3));
    });
    add("val/accuracy", "", SeriesRole::Essential, 125,
        [](std::int64_t step) { return 0.98 - 0.9 * std::exp(-static_cast<double>(step) / 200); });
    add("lr", "", SeriesRole::Essential, 1, [](std::int64_t step) { return 1e-3 * std::pow(0.7, static_cast<double>(step / 125)); });
    add("grad_norm", "", SeriesRole::Probe, 1, [loss](std::int64_t step) { return 3 * loss(step); });
    int seed = 10;
    for (const char* name : {"conv1.weight", "conv1.bias", "bn1.weight", "bn1.bias", "conv2.weight", "conv2.bias", "bn2.weight",
                             "bn2.bias", "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}) {
        const int own = seed++;
        const double scale = std::pow(2.0, own % 5);
        add(std::string("grad_norm/") + name, "", SeriesRole::Probe, 1,
            [=](std::int64_t step) { return scale * loss(step) * (1 + 0.3 * noise(step, own)); });
        add(std::string("update_ratio/") + name, "", SeriesRole::Probe, 1,
            [=](std::int64_t step) { return 1e-3 * scale * loss(step) * (1 + 0.3 * noise(step, own + 50)); });
    }
    for (const char* node : {"conv1", "bn1", "relu1", "conv2", "bn2", "relu2", "fc1", "fc2"}) {
        const int own = seed++;
        const std::string path = std::string("activation/") + node;
        add(path + "/mean", "", SeriesRole::Probe, 1, [=](std::int64_t step) { return 0.1 * (own % 4) + 0.02 * noise(step, own); });
        add(path + "/std", "", SeriesRole::Probe, 1, [=](std::int64_t step) { return 0.8 + 0.1 * (own % 3) + 0.03 * noise(step, own); });
        add(path + "/zeros", "%", SeriesRole::Probe, 1, [=](std::int64_t step) { return 5.0 * (own % 7) + noise(step, own); });
    }
    for (int channel = 0; channel < 32; ++channel) {
        add("bn_running_mean/bn1/" + std::to_string(channel), "", SeriesRole::Probe, 1, [=](std::int64_t step) {
            return 0.2 * std::sin(channel) * (1 - std::exp(-static_cast<double>(step) / 80));
        });
        add("bn_running_var/bn1/" + std::to_string(channel), "", SeriesRole::Probe, 1, [=](std::int64_t step) {
            return 1 + 0.4 * std::cos(channel) * (1 - std::exp(-static_cast<double>(step) / 80));
        });
    }
    add("time/step", "ms", SeriesRole::Machine, 1, [](std::int64_t step) { return 41 + 3 * noise(step, 900); });
    add("time/data_wait", "ms", SeriesRole::Machine, 1, [](std::int64_t step) { return 1.5 + noise(step, 901); });
    add("throughput/samples", "1/s", SeriesRole::Machine, 1, [](std::int64_t step) { return 1500 + 60 * noise(step, 902); });
    return series;
}

FakeScript longScript()
{
    FakeScript script;
    script.steps = 5'000;
    script.stepsPerEpoch = 125;
    script.batchSize = 64;
    script.stepsPerSecond = 400;
    script.series = convolutionalSeries();
    script.bursts = {{"train/loss", 300, 303, std::numeric_limits<double>::quiet_NaN()},
                     {"grad_norm/conv1.weight", 420, 420, 0}};
    return script;
}

class Shooter {
public:
    explicit Shooter(const QString& folder) : m_folder(folder), m_settings(m_temporary.filePath("s.ini"), QSettings::IniFormat)
    {
        QDir().mkpath(folder);
        m_bridge.setStoreFile(m_temporary.filePath("runs.sqlite").toStdString());
        m_window.resize(1280, 800);
        m_window.setObjectName("window");
    }

    int shoot()
    {
        m_theme.setScheme(ColorScheme::Light);
        auto* layout = new QVBoxLayout(&m_window);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(0);
        m_controls = new TrainingControls(m_theme, m_bridge);
        m_board = new MetricsBoard(m_theme, m_bridge, m_selection, m_settings);
        m_controls->setCanStart(true);
        layout->addWidget(m_controls);
        layout->addWidget(m_board, 1);
        m_window.show();
        both("empty-no-project");
        m_board->setProjectOpen(true);
        both("empty");
        m_controls->showError({ErrorCode::InvalidArgument, "The kernel is larger than its input: 5 × 5 over 3 × 3.",
                               "network/conv2/kernel_size", "Make kernel_size 3, or leave out pool1.", "details"});
        both("error");
        Project project;
        project.name = "digits";
        project.network = std::move(buildGraph({Node{"conv1", "Conv2d"}, Node{"bn1", "BatchNorm2d"}}, {})).value();
        if (!m_bridge.start(project, {}).ok())
            return 1;
        QTest::qWait(1'200);
        m_bridge.post(command::SetLearningRate{0.0005});
        QTest::qWait(1'500);
        both("board");
        running();
        return 0;
    }

private:
    void running()
    {
        MetricPlot* loss = m_board->plots().front();
        loss->toggleSmoothing();
        loss->setLogarithmic(true);
        m_selection.select(GraphPart::Network, {"conv1"});
        m_board->stepCursor()->setStep(300);
        QTest::qWait(300);
        both("board-cursor-smooth-log");
        m_board->stepCursor()->setStep({});
        m_selection.clear();
        auto* bar = m_board->findChild<PlotGrid*>()->verticalScrollBar();
        bar->setValue(bar->maximum() / 2);
        QTest::qWait(300);
        both("board-middle");
        bar->setValue(bar->maximum());
        QTest::qWait(300);
        both("board-end");
        bar->setValue(0);
        loss->showSteps(280, 330);
        m_bridge.post(command::Pause{});
        QTest::qWait(500);
        both("board-zoomed-paused");
        m_window.resize(2560, 1440);
        QTest::qWait(400);
        both("board-2560");
    }

    void both(const QString& name)
    {
        for (const bool dark : {false, true}) {
            m_theme.setScheme(dark ? ColorScheme::Dark : ColorScheme::Light);
            QTest::qWait(200);
            m_window.grab().save(QStringLiteral("%1/%2-%3.png").arg(m_folder, name, dark ? "dark" : "light"));
        }
        m_theme.setScheme(ColorScheme::Light);
    }

    QString m_folder;
    QTemporaryDir m_temporary;
    QSettings m_settings;
    Theme m_theme;
    SessionBridge m_bridge{FakeSession::factory(longScript())};
    Selection m_selection;
    QWidget m_window;
    TrainingControls* m_controls = nullptr;
    MetricsBoard* m_board = nullptr;
};

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    return Shooter(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("shots")).shoot();
}
