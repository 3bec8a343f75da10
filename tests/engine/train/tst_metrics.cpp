#include "golden.h"

#include "engine/project/project.h"
#include "engine/train/metrics.h"

#include <torch/torch.h>

#include <QtTest>

#include <cmath>

using namespace athanor;

namespace {

LossNode lossNode(LossTask task, bool oneHot = false, bool probabilities = false)
{
    LossNode node;
    node.task = task;
    node.oneHot = oneHot;
    node.probabilities = probabilities;
    return node;
}

double valueOf(Metric& metric, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches)
{
    metric.reset();
    for (const auto& [input, target] : batches)
        metric.add({{}, input, target});
    return metric.value().item<double>();
}

} // namespace

class TestMetrics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// tests/baseline/make_metric_cases.py: scikit-learn's numbers, and torchmetrics' definitions where it has none.
    void asScikitLearn_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("batch");
        int index = 0;
        for (const auto& one : goldenCases("metric_cases.json")) {
            const std::string name = one["name"].get<std::string>();
            QTest::newRow((name + ", in one").c_str()) << index << 1000;
            QTest::newRow((name + ", in batches").c_str()) << index++ << 7;
        }
    }
    void asScikitLearn()
    {
        QFETCH(int, index);
        QFETCH(int, batch);
        const Json one = goldenCases("metric_cases.json")[static_cast<std::size_t>(index)];
        const std::string task = one["task"].get<std::string>();
        LossNode loss = lossNode(task == "classes" ? LossTask::Classes : task == "binary" ? LossTask::Binary : LossTask::Values, false,
                                 one.value("probabilities", false));
        const std::int64_t columns = task == "classes" ? one["classes"].get<int>() : task == "binary" ? 1 : one["columns"].get<int>();
        const auto scores = floatsOf(one["scores"]).view({-1, columns});
        auto target = task == "classes" ? torch::tensor(one["target"].get<std::vector<std::int64_t>>())
                                        : floatsOf(one["target"]).view({-1, columns});
        for (const auto& [name, expected] : one["values"].items()) {
            auto metric = makeMetric(name, loss);
            QVERIFY2(metric, name.c_str());
            for (std::int64_t first = 0; first < scores.size(0); first += batch)
                metric->add({{}, scores.slice(0, first, first + batch), target.slice(0, first, first + batch)});
            const double ours = metric->value().item<double>(), theirs = expected.get<double>();
            QVERIFY2(std::abs(ours - theirs) <= 1e-6 * std::max(1.0, std::abs(theirs)),
                     qPrintable(QString("%1 is %2, not %3").arg(QString::fromStdString(name)).arg(ours, 0, 'g', 12).arg(theirs, 0, 'g', 12)));
        }
        if (!one.contains("confusion"))
            return;
        auto metric = makeMetric("confusion_matrix", loss);
        QVERIFY(!metric->value().defined() && metric->report().empty());
        metric->add({{}, scores, target});
        QString matrix = QString::fromStdString(one["confusion"].dump()).replace(",", ", ");
        QVERIFY2(QString::fromStdString(metric->report()).endsWith(matrix), metric->report().c_str());
    }

    void everyNameIsAMetricOfItsTask()
    {
        for (const auto& name : metricNames()) {
            const bool classes = metricTask(name) == MetricTask::Classes;
            QCOMPARE(makeMetric(name, lossNode(LossTask::Classes)) != nullptr, classes);
            QCOMPARE(makeMetric(name, lossNode(LossTask::Binary)) != nullptr, classes);
            QCOMPARE(makeMetric(name, lossNode(LossTask::Values, true)) != nullptr, classes);
            QCOMPARE(makeMetric(name, lossNode(LossTask::Values)) != nullptr, !classes);
            QVERIFY(makeMetric(name, lossNode(LossTask::Other)) == nullptr);
        }
        QVERIFY(makeMetric("top0_accuracy", lossNode(LossTask::Classes)) == nullptr);
    }

    void tokensAndPixelsCountOneByOne()
    {
        LossNode loss = lossNode(LossTask::Classes);
        loss.ignoreIndex = 0;
        // Two sequences of three tokens over three classes, N×C×T; the last token of the second is padding.
        const auto scores = torch::tensor({0.F, 0.F, 5.F, 9.F, 0.F, 0.F, 0.F, 9.F, 0.F,
                                           0.F, 0.F, 9.F, 9.F, 9.F, 0.F, 0.F, 0.F, 0.F}).view({2, 3, 3});
        const auto target = torch::tensor({1, 2, 1, 1, 2, 0}).view({2, 3});
        // Predicted: 1 2 0, then 1 1 and the padding.
        QCOMPARE(valueOf(*makeMetric("token_accuracy", loss), {{scores, target}}), 0.6);
        const auto logp = scores.log_softmax(1).to(torch::kDouble);
        double sum = 0;
        for (int n = 0; n < 2; ++n)
            for (int t = 0; t < 3; ++t)
                if (const auto c = target[n][t].item<int>(); c != 0)
                    sum -= logp[n][c][t].item<double>();
        QVERIFY(std::abs(valueOf(*makeMetric("perplexity", loss), {{scores, target}}) - std::exp(sum / 5)) < 1e-4);
    }

    void accuracyOfClasses()
    {
        auto metric = makeMetric("accuracy", lossNode(LossTask::Classes));
        const auto scores = torch::tensor({1.0F, 5.0F, 2.0F, 0.0F, 0.0F, 0.0F, 3.0F, 1.0F, 3.0F}).view({3, 3});
        // Predictions 1, 0 (the first of equals), 0.
        QCOMPARE(valueOf(*metric, {{scores, torch::tensor({1, 0, 2})}}), 2.0 / 3);
        QCOMPARE(valueOf(*metric, {{scores, torch::tensor({1, 0, 2})}, {scores.slice(0, 0, 1), torch::tensor({1})}}), 0.75);
        QCOMPARE(valueOf(*metric, {{scores, torch::tensor({1, -100, 2})}}), 0.5); // ignore_index does not count
        QVERIFY(std::isnan(valueOf(*metric, {})));
        // The same by the general way: scores that are not contiguous, probabilities as targets, pixels.
        QCOMPARE(valueOf(*metric, {{scores.t().contiguous().t(), torch::tensor({1, 0, 2})}}), 2.0 / 3);
        QCOMPARE(valueOf(*metric, {{scores, torch::one_hot(torch::tensor({1, 2, 2}), 3).to(torch::kFloat)}}), 1.0 / 3);
        const auto maps = torch::tensor({1.0F, -1.0F, 0.0F, 0.0F}).view({1, 2, 1, 2});
        QCOMPARE(valueOf(*metric, {{maps, torch::tensor({0, 0}).view({1, 1, 2})}}), 0.5);
        const auto broken = torch::tensor({1.0F, std::nanf(""), 2.0F}).view({1, 3});
        QCOMPARE(valueOf(*metric, {{broken, torch::tensor({1})}}), broken.argmax(1).item<int>() == 1 ? 1.0 : 0.0);
    }

    void accuracyOfBinaryAndOneHotTargets()
    {
        const auto scores = torch::tensor({-0.3F, 0.2F, 0.7F, 0.4F}).view({4, 1});
        const auto truth = torch::tensor({0.0F, 1.0F, 1.0F, 0.0F}).view({4, 1});
        QCOMPARE(valueOf(*makeMetric("accuracy", lossNode(LossTask::Binary)), {{scores, truth}}), 0.75);
        QCOMPARE(valueOf(*makeMetric("accuracy", lossNode(LossTask::Binary, false, true)), {{scores, truth}}), 0.75);
        QCOMPARE(valueOf(*makeMetric("accuracy", lossNode(LossTask::Binary, false, true)), {{scores + 0.2, truth}}), 0.5);
        const auto hot = torch::tensor({0.0F, 1.0F, 1.0F, 0.0F}).view({2, 2});
        QCOMPARE(valueOf(*makeMetric("accuracy", lossNode(LossTask::Values, true)), {{torch::eye(2), hot}}), 0.0);
    }

    void f1IsTheMeanOverTheClassesThatOccur()
    {
        auto metric = makeMetric("f1", lossNode(LossTask::Classes));
        // True 0 0 1 1 3, predicted 0 1 1 1 0 of four classes: F1 of 0: 2/4, of 1: 4/5, of 3: 0; 2 does not occur.
        const auto scores = torch::one_hot(torch::tensor({0, 1, 1, 1, 0}), 4).to(torch::kFloat);
        const double expected = (0.5 + 0.8 + 0.0) / 3;
        QVERIFY(std::abs(valueOf(*metric, {{scores, torch::tensor({0, 0, 1, 1, 3})}}) - expected) < 1e-12);
        const double split = valueOf(*metric, {{scores.slice(0, 0, 2), torch::tensor({0, 0})}, {scores.slice(0, 2), torch::tensor({1, 1, 3})}});
        QVERIFY(std::abs(split - expected) < 1e-12);
    }

    void errorsOfValues()
    {
        const LossNode loss = lossNode(LossTask::Values);
        const auto predicted = torch::tensor({1.0F, 2.0F, 4.0F, 8.0F}).view({4, 1});
        const auto truth = torch::tensor({1.0F, 3.0F, 3.0F, 5.0F}).view({4, 1});
        const auto halves = [&](Metric& metric) {
            return valueOf(metric, {{predicted.slice(0, 0, 3), truth.slice(0, 0, 3)}, {predicted.slice(0, 3), truth.slice(0, 3)}});
        };
        QCOMPARE(halves(*makeMetric("mae", loss)), 1.25);
        QCOMPARE(halves(*makeMetric("mse", loss)), 2.75);
        QCOMPARE(halves(*makeMetric("rmse", loss)), std::sqrt(2.75));
        // Of the whole part, not a mean over batches: 1 − 11 / 8.
        QVERIFY(std::abs(halves(*makeMetric("r2", loss)) - (1 - 11.0 / 8)) < 1e-12);
    }

    void r2OfSeveralAndOfConstantColumns()
    {
        auto metric = makeMetric("r2", lossNode(LossTask::Values));
        const auto truth = torch::tensor({0.0F, 10.0F, 1.0F, 10.0F, 2.0F, 10.0F}).view({3, 2});
        auto predicted = truth.clone();
        QCOMPARE(valueOf(*metric, {{predicted, truth}}), 1.0);
        predicted[0][0] = 1.0F; // 1 − 1/2
        predicted[0][1] = 9.0F; // a constant column that is missed
        QVERIFY(std::abs(valueOf(*metric, {{predicted, truth}}) - 0.25) < 1e-12);
        const auto far = truth + 1e6;
        QVERIFY(std::abs(valueOf(*metric, {{far, far}}) - 1) < 1e-12);
    }

    void metricsFitTheirLosses()
    {
        QVERIFY(!makeMetric("accuracy", lossNode(LossTask::Values)));
        QVERIFY(!makeMetric("mae", lossNode(LossTask::Classes)));
        QVERIFY(!makeMetric("r2", lossNode(LossTask::Values, true)));
        QVERIFY(!makeMetric("no such thing", lossNode(LossTask::Values)));
        QVERIFY(isStepMetric("accuracy") && !isStepMetric("r2") && !isStepMetric("f1"));
    }
};

QTEST_APPLESS_MAIN(TestMetrics)
#include "tst_metrics.moc"
