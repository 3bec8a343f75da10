// GUI thread. A window with a scripted session, a store, settings and samples of its own.
#pragma once

#include "tests/support/fake_session.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace athanor {

class WindowFixture {
public:
    explicit WindowFixture(FakeScript script = {}) { open(std::move(script)); }
    ~WindowFixture() { window->bridge().stopAndWait(std::chrono::seconds(5)); }

    /// A new window over the same store and settings, as at the next start of the program.
    void restart(FakeScript script = {})
    {
        window.reset();
        settings.reset();
        open(std::move(script));
    }

    template <typename Widget = QWidget>
    [[nodiscard]] Widget* child(const char* name) const
    {
        return window->findChild<Widget*>(QString::fromLatin1(name));
    }
    [[nodiscard]] QAction* action(const char* name) const { return child<QAction>(name); }
    void click(const char* name) const { QTest::mouseClick(child(name), Qt::LeftButton); }
    void click(QWidget* widget) const { QTest::mouseClick(widget, Qt::LeftButton); }

    void openSample(const char* name) const
    {
        window->openProject(samples + QStringLiteral("/%1.athanor").arg(QLatin1String(name)));
    }
    [[nodiscard]] std::int64_t step() const { return window->bridge().progress().step; }
    [[nodiscard]] std::filesystem::path storeFile() const
    {
        return folder.filePath("runs.sqlite").toStdString();
    }

    QTemporaryDir folder;
    QString samples = QStringLiteral(ATHANOR_SOURCE_DIR "/resources/samples");
    Theme theme;
    std::unique_ptr<Settings> settings;
    std::unique_ptr<MainWindow> window;

private:
    void open(FakeScript script)
    {
        settings = std::make_unique<Settings>(folder.filePath("settings.ini"));
        theme.setScheme(ColorScheme::Light);
        MainWindow::Setup setup{FakeSession::factory(std::move(script)), storeFile(), samples};
        window = std::make_unique<MainWindow>(theme, *settings, std::move(setup));
        // What the check says is the engine's matter; here it must only not take its time.
        window->document().setCheckFunction([](const Project&, const auto&) { return ProjectCheck{}; });
        window->resize(1280, 800);
        window->show();
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
    }
};

/// A run that goes on until it is stopped, slow enough to catch every step.
inline FakeScript endlessScript()
{
    FakeScript script;
    script.steps = 1'000'000;
    script.stepsPerSecond = 200;
    return script;
}

} // namespace athanor
