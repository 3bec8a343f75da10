// GUI thread. Walks through every view in both themes and writes pictures of them; for the documentation.
#pragma once

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

class QTemporaryDir;
class QWidget;

namespace athanor {

class MainWindow;
class Settings;
class Theme;

/// Trains samples for real, so that there are curves to see, in a store and with settings of its own that
/// are gone afterwards. Does one small thing per tick, so that the window lives as usual in between.
class ScreenshotTour : public QObject {
    Q_OBJECT
public:
    /// `theme` outlives the tour.
    ScreenshotTour(Theme& theme, QString samplesFolder, QString targetFolder, QObject* parent = nullptr);
    ~ScreenshotTour() override;
    void start();

Q_SIGNALS:
    void finished(bool complete); ///< false: something did not come about, or a file could not be written

private:
    using Step = std::function<bool()>; ///< true: done, go on; false: ask again at the next tick

    void planWelcome();
    void planBuild();
    void planTemplates();
    void planTraining();
    void planRuns();
    void planDiagnosis();
    void openSample(const char* name);
    void pictureNetwork(const QString& name);
    void capture(const QString& view, std::function<QWidget*()> target);
    void wait(int ticks);
    void advance();
    [[nodiscard]] QWidget* child(const char* objectName) const;

    Theme& m_theme;
    QString m_samplesFolder;
    QString m_targetFolder;
    std::unique_ptr<QTemporaryDir> m_scratch;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    std::vector<Step> m_steps;
    std::size_t m_next = 0;
    int m_ticksOfStep = 0;
    bool m_complete = true;
    QTimer m_timer;
};

} // namespace athanor
