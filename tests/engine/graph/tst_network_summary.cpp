#include "engine/graph/network_summary.h"
#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

FieldTypes digits()
{
    return {{{"image", floats({1, 28, 28})}, {"label", classIndices(10)}}, true};
}

Graph network()
{
    return graphOf({node("image", "Input", {{"field", "image"}}),
                    node("conv", "Conv2d", {{"out_channels", 8}, {"kernel_size", 3}}), node("relu", "ReLU"),
                    node("flat", "Flatten"), node("fc", "Linear", {{"out_features", 10}}),
                    node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                   {"image -> conv", "conv -> relu", "relu -> flat", "flat -> fc", "fc -> loss:input",
                    "label -> loss:target"});
}

NetworkSummary summaryOf(const Graph& graph, std::int64_t batch)
{
    return summarize(graph, checkNetwork(graph, digits()), batch);
}

} // namespace

class NetworkSummaryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsByHand()
    {
        const NetworkSummary summary = summaryOf(network(), 32);
        QCOMPARE(summary.rows.size(), std::size_t(7));
        const auto row = std::find_if(summary.rows.begin(), summary.rows.end(),
                                      [](const SummaryRow& one) { return one.node == "conv"; });
        QCOMPARE(row->kind, std::string("Conv2d"));
        QCOMPARE(row->input, std::string("N×1×28×28"));
        QCOMPARE(row->output, std::string("N×8×26×26"));
        QCOMPARE(row->parameters, std::int64_t{8 * 9 + 8});
        QCOMPARE(row->macs, std::int64_t{8 * 9 * 26 * 26});
        QCOMPARE(row->fieldText(), std::string("3×3"));
        QCOMPARE(*row->bytes, std::int64_t{0}); // ReLU keeps its own output
        QCOMPARE(summary.parameters, std::int64_t{80 + 5408 * 10 + 10});
        QCOMPARE(summary.macs, std::int64_t{8 * 9 * 676 + 54080});
        QCOMPARE(summary.bytes, std::int64_t{32 * (784 * 4 + 5408 * 4 + 40 + 8)});
    }

    void textAndMarkdown()
    {
        const std::string text = summaryText(summaryOf(network(), 1));
        const auto lines = QString::fromStdString(text).split(u'\n');
        QVERIFY(lines[0].startsWith(QStringLiteral("Layer (kind)")));
        const QString conv = *std::find_if(lines.begin(), lines.end(), [](const QString& line) { return line.startsWith("conv"); });
        QCOMPARE(conv.simplified(), QStringLiteral("conv (Conv2d) N×1×28×28 N×8×26×26 80 48,672 3×3 0 B"));
        QCOMPARE(conv.size(), lines[0].size()); // the last column is flush
        QVERIFY(text.find("Parameters: 54,170 (212 KiB in fp32)") != std::string::npos);
        QVERIFY(text.find("MACs: 102,752 a sample, 102,752 a batch of 1") != std::string::npos);
        QVERIFY(text.find("Activations kept for the backward pass: 24.2 KiB at batch 1") != std::string::npos);
        const std::string markdown = summaryMarkdown(summaryOf(network(), 1));
        QVERIFY(markdown.find("| conv (Conv2d) | N×1×28×28 | N×8×26×26 | 80 | 48,672 | 3×3 | 0 B |\n") != std::string::npos);
        QVERIFY(markdown.find("|---|---|---|---:|---:|---:|---:|\n") != std::string::npos);
    }

    void json()
    {
        const Json summary = summaryJson(summaryOf(network(), 4));
        QVERIFY(summary["batch"] == 4);
        const auto& layers = summary["layers"];
        const auto conv = std::find_if(layers.begin(), layers.end(), [](const Json& layer) { return layer["node"] == "conv"; });
        QVERIFY((*conv)["receptive_field"][1] == Json({{"size", 3.0}, {"jump", 1.0}, {"start", 1.0}}));
        const auto loss = std::find_if(layers.begin(), layers.end(), [](const Json& layer) { return layer["node"] == "loss"; });
        QVERIFY((*loss)["receptive_field"].is_null());
        QVERIFY((*loss)["memory"] == 4 * 40);
        QVERIFY(summary["parameter_memory"] == 54170 * 4);
    }

    void whatIsNotKnownIsAQuestionMark()
    {
        const Graph graph = graphOf({node("image", "Input", {{"field", "image"}}), node("odd", "Zzyzx"),
                                     node("fc", "Linear", {{"out_features", 10}})},
                                    {"image -> odd", "odd -> fc"});
        const std::string text = summaryText(summaryOf(graph, 1));
        QVERIFY(text.find("odd (Zzyzx)") != std::string::npos && text.find("?") != std::string::npos);
    }

    void numbers()
    {
        QCOMPARE(groupedNumber(0), std::string("0"));
        QCOMPARE(groupedNumber(999), std::string("999"));
        QCOMPARE(groupedNumber(1000), std::string("1,000"));
        QCOMPARE(groupedNumber(-1234567), std::string("-1,234,567"));
        QCOMPARE(bytesText(512), std::string("512 B"));
        QCOMPARE(bytesText(1536), std::string("1.50 KiB"));
        QCOMPARE(bytesText(25 * 1024 * 1024), std::string("25.0 MiB"));
        QCOMPARE(bytesText(std::int64_t{3} << 40), std::string("3.00 TiB"));
    }
};

QTEST_APPLESS_MAIN(NetworkSummaryTest)
#include "tst_network_summary.moc"
