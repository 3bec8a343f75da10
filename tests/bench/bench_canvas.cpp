// How long a network of some thousand nodes takes to open, to pan over, to edit and to check. The canvas is drawn
// offscreen by the raster engine: QT_QPA_PLATFORM=offscreen bench_canvas [NODES]
#include "engine/graph/graph_checker.h"
#include "engine/graph/graph_edit.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/node_item.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace athanor;

namespace {

constexpr QSize kWindow(1280, 800);
constexpr int kFrames = 120;

constexpr int kTowers = 40; ///< side by side, so that a window full of nodes is in view at every zoom

/// Towers of residual blocks (two convolutions with normalization and activation, and a sum), joined at their ends.
Graph residualNetwork(int nodes)
{
    std::vector<Node> list{{"image", "Input", Json{{"field", "image"}}}, {"label", "Input", Json{{"field", "label"}}}};
    std::vector<Edge> edges;
    NodeId last = "image";
    const auto add = [&](const std::string& id, const char* kind, Json params = Json::object()) {
        list.push_back({id, kind, std::move(params)});
        edges.push_back({{last, {}}, {id, {}}});
        last = id;
    };
    const Json conv{{"out_channels", 16}, {"kernel_size", 3}, {"padding", 1}};
    add("stem", "Conv2d", conv);
    list.push_back({"join", "Add"});
    const int perTower = std::max(1, (nodes - 10) / kTowers / 7);
    for (int block = 0; block < perTower * kTowers; ++block) {
        if (block % perTower == 0)
            last = "stem";
        const std::string number = std::to_string(block);
        const NodeId shortcut = last;
        add("conv_a" + number, "Conv2d", conv);
        add("bn_a" + number, "BatchNorm2d");
        add("relu_a" + number, "ReLU");
        add("conv_b" + number, "Conv2d", conv);
        add("bn_b" + number, "BatchNorm2d");
        add("sum" + number, "Add");
        edges.push_back({{shortcut, {}}, {last, {}}});
        add("relu_b" + number, "ReLU");
        if (block % perTower == perTower - 1)
            edges.push_back({{last, {}}, {"join", {}}});
    }
    last = "join";
    add("flat", "Flatten");
    add("fc", "Linear", {{"out_features", 10}});
    list.push_back({"loss", "CrossEntropyLoss"});
    edges.push_back({{last, {}}, {"loss", "input"}});
    edges.push_back({{"label", {}}, {"loss", "target"}});
    auto graph = buildGraph(std::move(list), std::move(edges));
    if (!graph)
        std::abort();
    return *std::move(graph);
}

FieldTypes fields()
{
    FieldTypes types;
    types.known = true;
    types.fields["image"] = TensorType{{kBatch, 3, 32, 32}};
    types.fields["label"] = TensorType{{kBatch}, ElementType::Index, 10};
    return types;
}

void report(const char* what, double milliseconds)
{
    std::printf("%-58s %9.2f ms\n", what, milliseconds);
}

template <typename Run>
double medianOf(int times, Run run)
{
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        QElapsedTimer clock;
        clock.start();
        run();
        all.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::nth_element(all.begin(), all.begin() + times / 2, all.end());
    return all[static_cast<std::size_t>(times) / 2];
}

/// Of checks by a checker that knows the network before the edit; `edit(i)` is the i-th edit.
template <typename EditOf>
void benchEdits(const char* what, Graph network, EditOf editOf)
{
    const FieldTypes types = fields();
    GraphChecker checker;
    checker.check(network, types);
    std::vector<double> all;
    for (int i = 0; i < 41; ++i) {
        if (!apply(network, editOf(i)))
            std::abort();
        QElapsedTimer clock;
        clock.start();
        checker.check(network, types);
        all.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::nth_element(all.begin(), all.begin() + 20, all.end());
    report(what, all[20]);
}

void benchCheck(const Graph& network)
{
    const FieldTypes types = fields();
    report("check of the whole network", medianOf(9, [&] { (void)checkNetwork(network, types); }));
    benchEdits("check after one parameter changed, a sum behind it", network, [](int i) {
        return GraphEdit{edit::SetParameter{"conv_b5", "out_channels", Json(i % 2 ? 16 : 8)}};
    });
    benchEdits("check after the first convolution changed: all follows", network, [](int i) {
        return GraphEdit{edit::SetParameter{"stem", "padding", Json(i % 2 ? 1 : 2)}};
    });
    benchEdits("check after an edge was drawn or taken away", network, [](int i) {
        const Edge edge{{"conv_a7", ""}, {"sum7", ""}};
        return i % 2 ? GraphEdit{edit::Disconnect{edge}} : GraphEdit{edit::Connect{edge, std::nullopt}};
    });
    benchEdits("check after a node was added", network, [](int i) {
        return GraphEdit{edit::AddNode{{"added" + std::to_string(i), "ReLU"}, {}, {}}};
    });
}

/// Repaints the viewport as a scroll does, into an image that is kept.
class Frames {
public:
    explicit Frames(GraphView& view) : m_view(view), m_image(kWindow, QImage::Format_ARGB32_Premultiplied) {}
    void draw()
    {
        QPainter painter(&m_image);
        m_view.viewport()->render(&painter, {}, {}, QWidget::RenderFlags());
    }
    double pan()
    {
        QScrollBar& bar = *m_view.horizontalScrollBar();
        return medianOf(kFrames, [&] {
            bar.setValue(bar.value() + 16);
            draw();
        });
    }

private:
    GraphView& m_view;
    QImage m_image;
};

void benchCanvas(const Graph& network)
{
    Theme theme;
    theme.setScheme(ColorScheme::Light);
    ProjectDocument document;
    Selection selection;
    const FieldTypes types = fields();
    document.setCheckFunction([&](const Project& project, const std::function<bool()>&) {
        ProjectCheck check;
        check.network = checkNetwork(project.network, types);
        check.problems = check.network.problems;
        return check;
    });
    selection.follow(document);
    GraphScene scene(document, selection, GraphPart::Network, theme);
    GraphView view(scene);
    view.resize(kWindow);
    view.show();
    Project project;
    project.network = network;
    Frames frames(view);
    QElapsedTimer clock;
    clock.start();
    document.setProject(project);
    frames.draw();
    report("open: laid out, all items made, first frame drawn", static_cast<double>(clock.nsecsElapsed()) / 1e6);
    while (document.isChecking())
        QApplication::processEvents(QEventLoop::AllEvents, 20);
    report("shapes and badges anew after a check", medianOf(5, [&] { Q_EMIT document.checked(); }));
    for (const double zoom : {1.0, 0.5, 0.3}) {
        view.setZoom(zoom);
        view.centerOn(scene.nodesRect().center());
        char text[64];
        std::snprintf(text, sizeof text, "a frame of panning at %.0f %%", zoom * 100);
        report(text, frames.pan());
    }
    view.fit();
    report("a frame with all of it in view", medianOf(9, [&] { frames.draw(); }));
    report("one node added", medianOf(9, [&] { scene.editor().add(*layerCatalog().find("ReLU"), {0, -400}); }));
    report("one node added behind another, with room made",
           medianOf(5, [&] { scene.editor().addBehind(*layerCatalog().find("ReLU"), "conv_a5", scene.flow()); }));
    report("undone", medianOf(5, [&] { document.undoStack()->undo(); }));
    report("all selected", medianOf(5, [&] { scene.selectAll(); selection.clear(); }));
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const Graph network = residualNetwork(argc > 1 ? std::max(20, std::atoi(argv[1])) : 5000);
    std::printf("%zu nodes, %zu edges\n", network.nodes().size(), network.edges().size());
    benchCheck(network);
    benchCanvas(network);
    return 0;
}
