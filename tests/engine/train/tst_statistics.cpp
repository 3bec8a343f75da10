#include "engine/train/kernels/span_statistics.h"
#include "engine/train/tensor_statistics.h"

#include <torch/torch.h>

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using namespace athanor;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> normal(std::int64_t size, double mean, double deviation, unsigned seed = 1)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> distribution(mean, deviation);
    std::vector<float> values(static_cast<std::size_t>(size));
    for (auto& value : values)
        value = static_cast<float>(distribution(generator));
    return values;
}

torch::Tensor tensor(const std::vector<float>& values)
{
    return torch::tensor(values);
}

/// Relative to the deviation, of which a mean near zero is a fraction.
void compare(const TensorStatistics& ours, const torch::Tensor& values)
{
    const auto exact = values.detach().to(torch::kDouble).flatten();
    const double deviation = exact.std().item<double>();
    QVERIFY(std::abs(ours.mean - exact.mean().item<double>()) <= 1e-6 * deviation);
    QVERIFY(std::abs(ours.deviation - deviation) <= 1e-6 * deviation);
    QCOMPARE(ours.minimum, exact.min().item<double>());
    QCOMPARE(ours.maximum, exact.max().item<double>());
    QCOMPARE(ours.zeros, exact.eq(0).sum().item<double>() / static_cast<double>(exact.numel()));
    QCOMPARE(ours.nonFinite, 0.0);
}

} // namespace

class TestStatistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTorch_data()
    {
        QTest::addColumn<int>("size");
        QTest::addColumn<double>("mean");
        QTest::addColumn<double>("deviation");
        for (const int size : {2, 7, 8, 9, 15, 16, 17, 31, 1023, 1024, 1025, 1048, 65535, 65536, 65537, 300000})
            QTest::newRow(qPrintable(QString("%1 values").arg(size))) << size << 0.1 << 1.0;
        QTest::newRow("mean far off") << 200000 << 1000.0 << 1.0;
        QTest::newRow("tiny") << 5000 << 0.0 << 1e-20;
        QTest::newRow("huge") << 5000 << 0.0 << 1e25;
    }
    void agreesWithTorch()
    {
        QFETCH(int, size);
        QFETCH(double, mean);
        QFETCH(double, deviation);
        auto values = normal(size, mean, deviation);
        for (std::size_t i = 0; i < values.size(); i += 3)
            values[i] = i % 2 ? 0.0F : -0.0F;
        compare(tensorStatistics(tensor(values)), tensor(values));
    }

    void countsByHand()
    {
        const auto statistics = tensorStatistics(torch::tensor({1.0F, 0.0F, -3.0F, 0.0F, 2.0F}));
        QCOMPARE(statistics.mean, 0.0);
        QCOMPARE(statistics.deviation, std::sqrt(14.0 / 4.0));
        QCOMPARE(statistics.minimum, -3.0);
        QCOMPARE(statistics.maximum, 2.0);
        QCOMPARE(statistics.zeros, 0.4);
        QVERIFY(std::isnan(tensorStatistics(torch::ones({1})).deviation)); // as torch.std
    }

    void otherLayoutsAndTypes()
    {
        const auto base = tensor(normal(2 * 3 * 50 * 7, 1, 2)).view({2, 3, 50, 7});
        compare(tensorStatistics(base.permute({0, 2, 3, 1})), base);
        compare(tensorStatistics(base.select(1, 2)), base.select(1, 2));
        compare(tensorStatistics(base.narrow(2, 3, 20)), base.narrow(2, 3, 20));
        compare(tensorStatistics(torch::ones({3, 1}).mul(base[0][0][0]).expand({3, 7})), base[0][0][0].expand({3, 7}));
        const auto half = base.to(torch::kBFloat16);
        compare(tensorStatistics(half), half);
        compare(tensorStatistics(base.to(torch::kFloat).to(torch::kDouble)), base);
    }

    void nonFiniteValuesAsTorch_data()
    {
        QTest::addColumn<QList<float>>("extra");
        QTest::newRow("nan") << QList<float>{kNan};
        QTest::newRow("inf") << QList<float>{kInfinity};
        QTest::newRow("-inf") << QList<float>{-kInfinity};
        QTest::newRow("both") << QList<float>{kInfinity, -kInfinity, -kInfinity};
        QTest::newRow("all") << QList<float>{kInfinity, kNan, kNan};
    }
    void nonFiniteValuesAsTorch()
    {
        QFETCH(QList<float>, extra);
        for (const int size : {5, 100, 200000}) {
            auto values = normal(size, 0, 1);
            for (int i = 0; i < extra.size(); ++i)
                values[static_cast<std::size_t>((i * 7919 + 3) % size)] = extra[i];
            const auto exact = tensor(values);
            const auto ours = tensorStatistics(exact);
            const auto same = [](double a, const torch::Tensor& b) {
                const double value = b.item<double>();
                return (std::isnan(a) && std::isnan(value)) || a == value;
            };
            QVERIFY(same(ours.mean, exact.mean()));
            QVERIFY(std::isnan(ours.deviation) && std::isnan(exact.std().item<double>()));
            QVERIFY(same(ours.minimum, exact.min()));
            QVERIFY(same(ours.maximum, exact.max()));
            QCOMPARE(ours.nonFinite, exact.isfinite().logical_not().sum().item<double>());
        }
    }

    void theDevicePathSaysTheSame()
    {
        auto values = normal(20000, 2, 3);
        values[5] = 0;
        for (const bool broken : {false, true}) {
            if (broken)
                values[7] = kNan;
            const auto ours = tensorStatistics(tensor(values));
            const auto other = deviceStatistics(tensor(values));
            const double expected[] = {ours.mean, ours.deviation, ours.minimum, ours.maximum, ours.zeros, ours.nonFinite};
            for (int i = 0; i < 6; ++i) {
                const double value = other[i].item<double>();
                QVERIFY((std::isnan(value) && std::isnan(expected[i])) || std::abs(value - expected[i]) <= 1e-5 * std::abs(expected[i]));
            }
        }
    }

    void doesNotDependOnThreads()
    {
        const auto values = tensor(normal(1000000, 1, 1));
        const int before = torch::get_num_threads();
        torch::set_num_threads(1);
        const auto one = tensorStatistics(values);
        torch::set_num_threads(3);
        const auto three = tensorStatistics(values);
        torch::set_num_threads(before);
        QVERIFY(one.mean == three.mean && one.deviation == three.deviation);
    }

    void squaresAreAccurateInAllRanges()
    {
        for (const double scale : {1e-30, 1e-10, 1.0, 1e10, 1e30})
            for (const int size : {1, 8, 1000, 16384}) {
                const auto values = normal(size, 0, scale);
                double exact = 0;
                for (const float value : values)
                    exact += static_cast<double>(value) * value;
                QVERIFY(std::abs(sumOfSquares(values.data(), size) - exact) <= 1e-6 * exact);
            }
        QVERIFY(std::isnan(sumOfSquares(std::vector<float>{1, kNan, 2}.data(), 3)));
        QVERIFY(std::isinf(sumOfSquares(std::vector<float>{1, -kInfinity, 2}.data(), 3)));
        QCOMPARE(sumOfSquares(nullptr, 0), 0.0);
    }

    void changesAreMeasuredAsPyTorchRoundsThem()
    {
        const auto before = normal(5000, 0, 1, 1);
        auto after = before;
        const auto moves = normal(5000, 0, 1e-7, 2);
        double change = 0;
        double square = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            after[i] += moves[i];
            const float difference = after[i] - before[i];
            change += static_cast<double>(difference) * difference;
            square += static_cast<double>(before[i]) * before[i];
        }
        const auto sums = changeSquares(before.data(), after.data(), 5000);
        QVERIFY(std::abs(sums.change - change) <= 1e-6 * change);
        QVERIFY(std::abs(sums.before - square) <= 1e-6 * square);
        QCOMPARE(changeSquares(before.data(), before.data(), 5000).change, 0.0);
    }
};

QTEST_APPLESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
