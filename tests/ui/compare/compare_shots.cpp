// Pictures of the comparison in both themes, for looking at: compare_shots FOLDER.
#include "tests/ui/compare/compared_runs.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/graph_difference_view.h"
#include "ui/compare/overlay_board.h"
#include "ui/plot/overlay_plot.h"
#include "ui/plot/plot_canvas.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace athanor;

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    if (argc != 2)
        return 2;
    const QDir out(QString::fromLocal8Bit(argv[1]));
    QTemporaryDir folder;
    const auto file = std::filesystem::path(folder.filePath("runs.sqlite").toStdString());
    RunStore store = testing::openStore(file);
    const std::vector<RunId> runs = testing::makeComparedRuns(store, 2000);
    Theme theme;
    for (const auto& [scheme, name] :
         {std::pair{ColorScheme::Light, "light"}, std::pair{ColorScheme::Dark, "dark"}}) {
        theme.setScheme(scheme);
        QSettings settings(folder.filePath(QString::fromLatin1(name) + ".ini"), QSettings::IniFormat);
        ComparePage page(theme, settings);
        page.resize(1240, 760);
        page.show();
        QSignalSpy shown(&page, &ComparePage::shown);
        page.compare(file, runs);
        shown.wait();
        const auto shoot = [&](const QString& view) {
            QTest::qWait(400);
            page.grab().save(
                out.filePath(QStringLiteral("compare-%1-%2.png").arg(view, QLatin1String(name))));
        };
        shoot("curves");
        page.overlay()->groupBy(QStringLiteral("training.optimizer.kind"));
        page.findChild<QComboBox*>(QStringLiteral("overlayAxis"))->setCurrentIndex(2);
        shoot("groups");
        page.setTab(ComparePage::SettingsTab);
        shoot("settings");
        page.setTab(ComparePage::NetworkTab);
        page.networkView()->findChild<QComboBox*>(QStringLiteral("differenceAfter"))->setCurrentIndex(5);
        shoot("network");
        page.setTab(ComparePage::DataTab);
        page.dataView()->findChild<QComboBox*>(QStringLiteral("differenceAfter"))->setCurrentIndex(5);
        shoot("data");
        page.setTab(ComparePage::FindingsTab);
        shoot("findings");
        page.setTab(ComparePage::ParametersTab);
        shoot("parameters");
        if (scheme == ColorScheme::Light) {
            QSignalSpy written(&page, &ComparePage::reportWritten);
            page.writeReport(out.filePath(QStringLiteral("report.html")));
            written.wait();
        }
    }
    // Forty dense curves at once.
    OverlayPlot plot(theme);
    plot.resize(1000, 500);
    std::vector<OverlayCurve> curves;
    for (int run = 0; run < 40; ++run) {
        OverlayCurve curve{QString::number(run),
                           QStringLiteral("run %1").arg(run),
                           theme.seriesColor(run),
                           Qt::SolidLine,
                           {},
                           {},
                           {}};
        for (int step = 1; step <= 20'000; ++step) {
            curve.curve.x.push_back(step);
            curve.curve.y.push_back(testing::comparedLoss(run % 12, step / 8) + 0.05 * run +
                                    0.02 * std::sin(step * 1.3));
        }
        curves.push_back(std::move(curve));
    }
    plot.setTitle(QStringLiteral("train/loss"));
    plot.setCurves(std::move(curves));
    plot.show();
    QTest::qWait(100);
    plot.refresh();
    QTest::qWait(200);
    plot.grab().save(out.filePath(QStringLiteral("compare-dense.png")));
    return 0;
}
