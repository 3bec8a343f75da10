// Not a test: pictures of the dialogs for weights and for the time to stop at, in both themes, to look at.
//   weights_pictures FOLDER
#include "tests/ui/weights/weights_fixture.h"

#include "ui/plot/stop_time_dialog.h"
#include "ui/theme/theme.h"
#include "ui/weights/weights_dialog.h"

#include <QApplication>
#include <QDir>
#include <QTest>

using namespace athanor;
using namespace athanor::test;

namespace {

void grab(QWidget& widget, const QString& file)
{
    widget.show();
    QTest::qWait(300);
    if (!widget.grab().save(file))
        qFatal("%s cannot be written", qPrintable(file));
}

void take(const QDir& folder, Theme& theme, const QString& suffix)
{
    Project project;
    project.file = "/work/digits.athanor";
    for (const char* file : {"backbone.pt", "broken.pt", ""}) {
        project.training.weights = file;
        project.training.weightsMap = {{"norm.weight", "bn.gamma"}};
        WeightsDialog dialog(project, theme, nullptr, &inspect);
        const QString name = *file == '\0' ? QStringLiteral("none") : QString::fromLatin1(file).section(u'.', 0, 0);
        grab(dialog, folder.filePath(QStringLiteral("weights-%1-%2.png").arg(name, suffix)));
    }
    StopTimeDialog stop(QDateTime::currentDateTime().addSecs(7800), nullptr);
    grab(stop, folder.filePath(QStringLiteral("stop-time-%1.png").arg(suffix)));
}

} // namespace

int main(int argc, char** argv)
{
    const QApplication application(argc, argv);
    if (argc != 2)
        qFatal("usage: weights_pictures FOLDER");
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    folder.mkpath(QStringLiteral("."));
    Theme theme;
    for (const auto& [scheme, suffix] : {std::pair(ColorScheme::Light, "light"), std::pair(ColorScheme::Dark, "dark")}) {
        theme.setScheme(scheme);
        take(folder, theme, QString::fromLatin1(suffix));
    }
    return 0;
}
