// The window's entry: command line, log, theme, main window.
#include "engine/base/log.h"
#include "engine/store/run_store.h"
#include "engine/train/training_session.h"
#include "ui/shell/main_window.h"
#include "ui/shell/sample_gallery.h"
#include "ui/shell/screenshot_tour.h"
#include "ui/shell/settings.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>

#include <cstdio>

namespace {

using namespace athanor;

/// The log lies beside the store; a folder that cannot be made leaves the log to the terminal.
std::string logFile(const std::filesystem::path& store)
{
    std::error_code error;
    std::filesystem::create_directories(store.parent_path(), error);
    return error ? std::string() : (store.parent_path() / "athanor.log").string();
}

int takeScreenshots(QApplication& application, Theme& theme, const QString& folder)
{
    startLog(spdlog::level::warn);
    ScreenshotTour tour(theme, samplesFolder(), folder);
    QObject::connect(&tour, &ScreenshotTour::finished, &application,
                     [](bool complete) { QApplication::exit(complete ? 0 : 1); });
    tour.start();
    return QApplication::exec();
}

int showWindow(Theme& theme, const std::filesystem::path& store, const QString& project)
{
    startLog(spdlog::level::warn, logFile(store));
    Settings settings;
    theme.setScheme(settings.colorScheme());
    MainWindow window(theme, settings, {makeTrainingSession, store, samplesFolder()});
    window.show();
    if (!project.isEmpty())
        window.openProject(QFileInfo(project).absoluteFilePath());
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    QApplication::setApplicationName(QStringLiteral("athanor"));
    QApplication::setApplicationVersion(QStringLiteral(ATHANOR_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("athanor"));
    QApplication application(argc, argv);

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QApplication::translate("main", "Build, train and understand neural networks."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("project"),
                                 QApplication::translate("main", "Project file to open."),
                                 QStringLiteral("[PROJECT]"));
    const QCommandLineOption store(QStringLiteral("store"),
                                   QApplication::translate("main", "The file that keeps the runs."),
                                   QStringLiteral("FILE"));
    const QCommandLineOption screenshots(
        QStringLiteral("screenshots"),
        QApplication::translate("main", "Write pictures of every view to this folder, and quit."),
        QStringLiteral("DIR"));
    parser.addOptions({store, screenshots});
    if (!parser.parse(QApplication::arguments())) {
        std::fprintf(stderr, "athanor: %s\n", qPrintable(parser.errorText()));
        return 2;
    }
    parser.process(application); // --help and --version
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1) {
        std::fputs("athanor: only one project can be opened at a time\n", stderr);
        return 2;
    }

    Theme theme;
    if (parser.isSet(screenshots))
        return takeScreenshots(application, theme, parser.value(screenshots));
    const std::filesystem::path storeFile = parser.isSet(store)
                                                ? std::filesystem::path(parser.value(store).toStdString())
                                                : RunStore::defaultFile();
    return showWindow(theme, std::filesystem::absolute(storeFile), files.value(0));
}
