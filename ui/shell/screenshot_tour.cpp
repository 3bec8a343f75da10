#include "ui/shell/screenshot_tour.h"

#include "engine/base/log.h"
#include "engine/train/training_session.h"
#include "ui/bridge/run_list_model.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/overlay_board.h"
#include "ui/data/preview_panel.h"
#include "ui/graph/build_view.h"
#include "ui/graph/canvas_picture.h"
#include "ui/plot/overlay_plot.h"
#include "ui/shell/main_window.h"
#include "ui/shell/runs_page.h"
#include "ui/shell/settings.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QLineEdit>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>

#include <utility>

namespace athanor {
namespace {

constexpr QSize kWindowSize(1280, 800);
constexpr int kTickMilliseconds = 50;
constexpr int kSettleTicks = 8;       ///< until plots are drawn and layouts done
constexpr int kPatienceTicks = 2'400; ///< two minutes for a step, on a slow machine

} // namespace

ScreenshotTour::ScreenshotTour(Theme& theme, QString samplesFolder, QString targetFolder, QObject* parent)
    : QObject(parent), m_theme(theme), m_samplesFolder(std::move(samplesFolder)),
      m_targetFolder(std::move(targetFolder)), m_scratch(std::make_unique<QTemporaryDir>())
{
    m_timer.setInterval(kTickMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &ScreenshotTour::advance);
}

ScreenshotTour::~ScreenshotTour() = default;

void ScreenshotTour::start()
{
    m_theme.setScheme(ColorScheme::Light);
    m_settings = std::make_unique<Settings>(m_scratch->filePath(QStringLiteral("settings.ini")));
    MainWindow::Setup setup{makeTrainingSession,
                            m_scratch->filePath(QStringLiteral("runs.sqlite")).toStdString(),
                            m_samplesFolder};
    m_window = std::make_unique<MainWindow>(m_theme, *m_settings, std::move(setup));
    m_window->resize(kWindowSize);
    m_window->show();
    if (!QDir().mkpath(m_targetFolder))
        m_complete = false;
    planWelcome();
    planTraining();
    planBuild();
    planTemplates();
    planRuns();
    planDiagnosis();
    m_timer.start();
}

void ScreenshotTour::planWelcome()
{
    capture(QStringLiteral("welcome"), [this] { return m_window.get(); });
}

void ScreenshotTour::planTraining()
{
    openSample("two-spirals");
    m_steps.emplace_back([this] {
        m_window->startRun();
        return true;
    });
    m_steps.emplace_back([this] { return m_window->bridge().hasRun() && !m_window->bridge().isActive(); });
    capture(QStringLiteral("train"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        static_cast<QTabWidget*>(child("bottomTabs"))->setCurrentIndex(1);
        static_cast<QToolButton*>(child("logDetail"))->setChecked(true);
        return true;
    });
    capture(QStringLiteral("log"), [this] { return child("bottomTabs"); });
    m_steps.emplace_back([this] {
        m_window->openPalette();
        static_cast<QLineEdit*>(child("paletteInput"))->setText(QStringLiteral("loss"));
        return true;
    });
    capture(QStringLiteral("palette"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        child("commandPalette")->hide();
        static_cast<QTabWidget*>(child("bottomTabs"))->setCurrentIndex(0);
        return true;
    });
}

void ScreenshotTour::planBuild()
{
    openSample("digits");
    m_steps.emplace_back([this] {
        m_window->setMode(Mode::Build);
        return !m_window->document().isChecking();
    });
    capture(QStringLiteral("build-network"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        m_window->goTo(QStringLiteral("network/conv1/kernel_size"));
        return true;
    });
    capture(QStringLiteral("inspector"), [this] { return child("inspectorDock"); });
    m_steps.emplace_back([this] {
        m_window->selection().clear();
        m_window->buildView()->showPart(GraphPart::Data);
        return true;
    });
    capture(QStringLiteral("build-data"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        child("bottomDock")->show();
        static_cast<QTabWidget*>(child("bottomTabs"))->setCurrentIndex(3); // Samples
        m_window->selection().select(GraphPart::Data, {"norm"});
        return true;
    });
    m_steps.emplace_back([this] { 
        const PreviewSource& source = m_window->findChild<PreviewPanel*>()->source();
        return source.preview() != nullptr && !source.isOpening();
    });
    capture(QStringLiteral("samples"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        static_cast<QTabWidget*>(child("bottomTabs"))->setCurrentIndex(0);
        return true;
    });
}

void ScreenshotTour::planTemplates()
{
    for (const char* name : {"lenet-5", "u-net", "resnet-18"}) {
        openSample(name);
        pictureNetwork(QString::fromLatin1(name));
    }
    m_steps.emplace_back([this] { return m_window->document().openGroup("layer2_0"); });
    pictureNetwork(QStringLiteral("resnet-18-open"));
}

void ScreenshotTour::planRuns()
{
    openSample("iris");
    m_steps.emplace_back([this] {
        m_window->startRun();
        return true;
    });
    m_steps.emplace_back([this] { return m_window->bridge().hasRun() && !m_window->bridge().isActive(); });
    m_steps.emplace_back([this] {
        m_window->setMode(Mode::Runs);
        return m_window->runs().rowCount() > 1 && !m_window->runs().metricNames().isEmpty();
    });
    capture(QStringLiteral("runs"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        std::vector<RunId> runs;
        for (int row = 0; row < m_window->runs().rowCount(); ++row)
            runs.push_back(m_window->runs().run(row)->id);
        m_window->runsPage()->compareRuns(runs);
        return true;
    });
    m_steps.emplace_back([this] {
        const auto plots = m_window->runsPage()->comparePage()->overlay()->plots();
        return !plots.empty() && plots.front()->curveCount() > 0;
    });
    wait(kSettleTicks);
    capture(QStringLiteral("compare"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        m_window->runsPage()->comparePage()->setTab(ComparePage::NetworkTab);
        return true;
    });
    wait(kSettleTicks);
    capture(QStringLiteral("compare-network"), [this] { return m_window.get(); });
    m_steps.emplace_back([this] {
        m_window->runsPage()->openRun(m_window->runs().run(m_window->runs().rowCount() - 1)->id);
        return true;
    });
    wait(kSettleTicks);
    capture(QStringLiteral("stored-run"), [this] { return m_window.get(); });
}

// A learning rate that is too high, and no clipping: the loss of a regression is infinite within a few steps.
void ScreenshotTour::planDiagnosis()
{
    openSample("wine-quality");
    m_steps.emplace_back([this] {
        ProjectDocument& document = m_window->document();
        const Json optimizer{{"kind", "SGD"}, {"lr", 0.5}};
        m_complete &= document.setValue(QStringLiteral("training.optimizer"), optimizer, {}).ok();
        m_complete &= document.setValue(QStringLiteral("training.clip_grad_norm"), Json(nullptr), {}).ok();
        m_window->startRun();
        return true;
    });
    m_steps.emplace_back([this] { return m_window->findings().count(Severity::Error) > 0; });
    m_steps.emplace_back([this] {
        m_window->bridge().post(command::Stop{});
        m_window->setMode(Mode::Diagnose);
        return !m_window->bridge().isActive();
    });
    capture(QStringLiteral("diagnose"), [this] { return m_window.get(); });
}

void ScreenshotTour::openSample(const char* name)
{
    m_steps.emplace_back(
        [this, file = m_samplesFolder + QStringLiteral("/%1.athanor").arg(QLatin1String(name))] {
            m_window->openProject(file);
            return m_window->document().filePath() == file;
        });
}

// The whole network at a readable size, however long it is.
void ScreenshotTour::pictureNetwork(const QString& name)
{
    m_steps.emplace_back([this] { return !m_window->document().isChecking(); });
    wait(kSettleTicks);
    m_steps.emplace_back([this, name] {
        for (const auto& [colors, end] :
             {std::pair{PictureColors::Light, "light"}, std::pair{PictureColors::Dark, "dark"}}) {
            const QString file = QStringLiteral("%1/%2-%3.png").arg(m_targetFolder, name, QLatin1String(end));
            const CanvasPicture picture(m_window->document(), GraphPart::Network, colors);
            m_complete &= picture.image(1).save(file);
        }
        return true;
    });
}

void ScreenshotTour::wait(int ticks)
{
    m_steps.emplace_back([this, ticks] { return m_ticksOfStep >= ticks; });
}

void ScreenshotTour::capture(const QString& view, std::function<QWidget*()> target)
{
    for (const auto& [scheme, name] :
         {std::pair{ColorScheme::Light, "light"}, std::pair{ColorScheme::Dark, "dark"}}) {
        m_steps.emplace_back([this, scheme = scheme] {
            m_theme.setScheme(scheme);
            return true;
        });
        wait(kSettleTicks);
        const QString file = QStringLiteral("%1/%2-%3.png").arg(m_targetFolder, view, QLatin1String(name));
        m_steps.emplace_back([this, target, file] {
            m_complete &= target()->grab().save(file);
            return true;
        });
    }
    m_steps.emplace_back([this] {
        m_theme.setScheme(ColorScheme::Light);
        return true;
    });
}

void ScreenshotTour::advance()
{
    if (m_next < m_steps.size() && ++m_ticksOfStep <= kPatienceTicks) {
        if (m_steps[m_next]()) {
            ++m_next;
            m_ticksOfStep = 0;
        }
        return;
    }
    m_timer.stop();
    if (m_next < m_steps.size()) {
        spdlog::error("The tour of screenshots waited in vain at its step {}.", m_next);
        m_complete = false;
    }
    m_window.reset();
    Q_EMIT finished(m_complete);
}

QWidget* ScreenshotTour::child(const char* objectName) const
{
    return m_window->findChild<QWidget*>(QString::fromLatin1(objectName));
}

} // namespace athanor
