// The table of very many runs and the overlay of many: QT_QPA_PLATFORM=offscreen bench_runs [RUNS [OVERLAID [STEPS]]]
#include "engine/compare/overlay.h"
#include "ui/bridge/run_list_model.h"
#include "ui/plot/overlay_plot.h"
#include "ui/plot/plot_canvas.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QHeaderView>
#include <QTableView>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace athanor;

namespace {

constexpr int kPointsOfARun = 500; ///< of each of two series, in the runs of the table
constexpr int kFrames = 60;

std::string projectOf(int run)
{
    return R"({"athanor": 1, "name": "digits", "data": {"nodes": [{"id": "loader", "kind": "Loader", "params": {"batch_size": )" +
           std::to_string(16 << run % 4) +
           R"(}}], "edges": []}, "network": {"nodes": [{"id": "conv1", "kind": "Conv2d", "params": {"out_channels": )" +
           std::to_string(8 + run % 5) +
           R"(, "kernel_size": 3}}, {"id": "fc", "kind": "Linear", "params": {"out_features": 10}}], "edges": []},
           "training": {"epochs": 3, "seed": )" +
           std::to_string(run) + R"(, "optimizer": {"kind": ")" + (run % 2 == 0 ? "Adam" : "SGD") +
           R"(", "lr": )" + Json(std::pow(10.0, -1 - run % 4)).dump() + "}}}";
}

double lossAt(int run, int step)
{
    return 0.1 + 2.0 * std::exp(-step / (100.0 + run % 37)) + 0.02 * std::sin(step * (1.3 + run % 11));
}

void addRun(RunStore& store, int run, int steps)
{
    NewRun fresh;
    fresh.name = "run " + std::to_string(run);
    fresh.project = "digits";
    fresh.projectText = projectOf(run);
    const RunId id = store.startRun(fresh).value();
    const std::vector<SeriesInfo> series{{"train/loss", "", SeriesRole::Essential},
                                         {"val/accuracy", "", SeriesRole::Essential}};
    std::vector<Sample> samples;
    for (int step = 1; step <= steps; ++step) {
        samples.push_back({0, step, lossAt(run, step)});
        if (steps == kPointsOfARun)
            samples.push_back({1, step, 1 - lossAt(run, step) / 3});
    }
    RunStore::Flush flush;
    flush.newSeries = series;
    flush.samples = samples;
    flush.steps = steps;
    if (!store.flush(id, flush) || !store.finishRun(id, RunStatus::Finished))
        std::abort();
}

double milliseconds(const QElapsedTimer& timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

double residentMegabytes()
{
    std::ifstream statm("/proc/self/statm");
    long whole = 0;
    long resident = 0;
    statm >> whole >> resident;
    return static_cast<double>(resident) * 4096 / 1e6;
}

void benchTable(const std::filesystem::path& file)
{
    QElapsedTimer timer;
    RunListModel model;
    RunListFilter filter;
    filter.setSourceModel(&model);
    QTableView view;
    view.setModel(&filter);
    view.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view.setSortingEnabled(true);
    view.sortByColumn(RunListModel::Started, Qt::DescendingOrder);
    view.resize(1280, 800);
    view.show();
    QEventLoop loop;
    QObject::connect(&model, &QAbstractItemModel::modelReset, &loop, &QEventLoop::quit);
    const double before = residentMegabytes();
    timer.start();
    model.setStoreFile(file);
    loop.exec();
    view.grab();
    std::printf("table opens            %8.1f ms  (%d runs)\n", milliseconds(timer), model.rowCount());
    QObject::connect(&model, &RunListModel::refreshed, &loop, &QEventLoop::quit);
    if (model.isReading())
        loop.exec();
    std::printf("all metrics, settings  %8.1f ms  in the background; %.0f MB\n", milliseconds(timer),
                residentMegabytes() - before);
    for (const char* text : {"lr < 1e-3 and batch_size >= 64 and val/accuracy > 0.9", "digits 12"}) {
        timer.restart();
        if (!filter.setText(QString::fromLatin1(text)))
            std::abort();
        view.grab();
        std::printf("filter                 %8.1f ms  %s: %d runs\n", milliseconds(timer), text,
                    filter.rowCount());
    }
    if (!filter.setText({}))
        std::abort();
    for (const int column :
         {static_cast<int>(RunListModel::Name), static_cast<int>(RunListModel::FixedColumns)}) {
        timer.restart();
        view.sortByColumn(column, Qt::AscendingOrder);
        view.grab();
        std::printf("sort                   %8.1f ms  by %s\n", milliseconds(timer),
                    qPrintable(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()));
    }
    std::vector<RunId> half;
    const int runs = model.rowCount();
    for (int row = 0; row < model.rowCount(); row += 2)
        half.push_back(model.run(row)->id);
    for (const char* what : {"delete every second run", "undo"}) {
        timer.restart();
        if (*what == 'd')
            model.deleteRuns(half);
        else
            model.undoStack()->undo();
        const int expected = *what == 'd' ? runs - static_cast<int>(half.size()) : runs;
        while (model.rowCount() != expected)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        view.grab();
        std::printf("change                 %8.1f ms  %s: %d runs\n", milliseconds(timer), what,
                    filter.rowCount());
    }
    timer.restart();
    const auto names = model.factNames().size();
    std::printf("names for completion   %8.1f ms  %d names\n", milliseconds(timer), static_cast<int>(names));
}

void benchOverlay(const std::filesystem::path& file, int runs, int steps)
{
    const RunStore store = RunStore::open(file).value();
    QElapsedTimer timer;
    timer.start();
    Comparison comparison;
    std::vector<SeriesPoints> points;
    for (int run = 1; run <= runs; ++run) {
        ComparedRun compared;
        compared.info = store.run(run).value();
        comparison.runs.push_back(std::move(compared));
        points.push_back(store.points(run, "train/loss").value());
    }
    const double read = milliseconds(timer);
    const auto groups = groupRuns(comparison, {});
    const auto lines = overlayLines(comparison, points, groups, {});
    Theme theme;
    OverlayPlot plot(theme);
    plot.resize(1200, 700);
    plot.show();
    std::vector<OverlayCurve> curves;
    for (const OverlayLine& line : lines)
        curves.push_back({QString::number(line.group),
                          QString::fromStdString(groups[line.group].label),
                          theme.seriesColor(static_cast<int>(line.group)),
                          Qt::SolidLine,
                          line.curve,
                          {},
                          {}});
    plot.setCurves(std::move(curves));
    plot.refresh();
    plot.grab();
    std::printf("overlay, first picture %8.1f ms  (%d runs × %d steps; %.1f ms of them reading)\n",
                milliseconds(timer), runs, steps, read);
    std::vector<double> frames;
    for (int frame = 0; frame < kFrames; ++frame) {
        if (frame == 0)
            Q_EMIT plot.canvas()->rangeSelected(steps * 0.1, steps * 0.6, Qt::Horizontal);
        else
            Q_EMIT plot.canvas()->panned(0.01, 0);
        timer.restart();
        plot.refresh();
        plot.canvas()->replot(QCustomPlot::rpImmediateRefresh);
        frames.push_back(milliseconds(timer));
    }
    std::sort(frames.begin(), frames.end());
    std::printf("overlay, panning       %8.1f ms  a frame (median of %d; the slowest %.1f ms)\n",
                frames[frames.size() / 2], kFrames, frames.back());
}

} // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    const int runs = argc > 1 ? std::atoi(argv[1]) : 10'000;
    const int overlaid = argc > 2 ? std::atoi(argv[2]) : 100;
    const int steps = argc > 3 ? std::atoi(argv[3]) : 100'000;
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("runs.sqlite").toStdString();
    QElapsedTimer timer;
    timer.start();
    {
        RunStore store = RunStore::open(file).value();
        for (int run = 0; run < runs; ++run)
            addRun(store, run, run < overlaid ? steps : kPointsOfARun);
    }
    const double points =
        static_cast<double>(overlaid) * steps + static_cast<double>(runs - overlaid) * 2 * kPointsOfARun;
    std::printf("made %d runs, %.0f million points, %.0f MB in %.1f s\n", runs, points / 1e6,
                static_cast<double>(std::filesystem::file_size(file)) / 1e6, milliseconds(timer) / 1000);
    benchTable(file);
    benchOverlay(file, overlaid, steps);
    return 0;
}
