#include "engine/store/series_blocks.h"

#include "tests/engine/store/store_testing.h"

#include <cmath>
#include <limits>
#include <random>

using namespace athanor;
using athanor::testing::sameBits;

namespace {

using Limits = std::numeric_limits<std::int64_t>;

// Every kind of double there is: NaNs with payload and sign, signalling, infinities, zeros, denormals, ends.
std::vector<double> difficultValues()
{
    std::vector<double> out{0.0, -0.0, 1.0, -1.5, 1e308, -1e308, std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::min(), std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
    for (const std::uint64_t bits : {0x7ff8000000000001ULL, 0xfff8000000000000ULL, 0xfff8deadbeef0123ULL,
                                     0x7ff0000000000001ULL, 0x0000000000000001ULL, 0x800fffffffffffffULL})
        out.push_back(std::bit_cast<double>(bits));
    return out;
}

std::vector<std::int64_t> counted(std::size_t count, std::int64_t first, std::int64_t stride)
{
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(first + static_cast<std::int64_t>(i) * stride);
    return out;
}

void comesBack(const std::vector<std::int64_t>& steps, const std::vector<double>& values)
{
    const auto unpacked = unpackBlock(packBlock(steps, values));
    VERIFY_OK(unpacked);
    QCOMPARE(unpacked->steps, steps);
    QVERIFY(sameBits(unpacked->values, values));
}

} // namespace

class TestSeriesBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesComeBackBitForBit()
    {
        const auto values = difficultValues();
        comesBack(counted(values.size(), 1, 1), values);
    }

    void stepsComeBack_data()
    {
        QTest::addColumn<std::vector<std::int64_t>>("steps");
        QTest::addColumn<bool>("isRegular");
        QTest::newRow("one") << std::vector<std::int64_t>{7} << true;
        QTest::newRow("two") << std::vector<std::int64_t>{7, 500} << true;
        QTest::newRow("every step") << counted(512, 1, 1) << true;
        QTest::newRow("every hundredth") << counted(512, 100, 100) << true;
        QTest::newRow("the same step") << counted(5, 3, 0) << true;
        QTest::newRow("gaps") << std::vector<std::int64_t>{1, 2, 4, 4, 300, 70'000} << false;
        QTest::newRow("negative") << std::vector<std::int64_t>{-9, -3, 0, 1} << false;
        QTest::newRow("the ends") << std::vector<std::int64_t>{Limits::min(), -1, 0, Limits::max()} << false;
        QTest::newRow("the widest stride") << std::vector<std::int64_t>{Limits::min(), Limits::max()} << true;
    }
    void stepsComeBack()
    {
        QFETCH(std::vector<std::int64_t>, steps);
        QFETCH(bool, isRegular);
        comesBack(steps, std::vector<double>(steps.size(), 0.5));
        const auto block = packBlock(steps, std::vector<double>(steps.size(), 0.5));
        QCOMPARE(block.stride.has_value(), isRegular);
        QCOMPARE(block.steps.empty(), isRegular);
    }

    void randomBlocksComeBack()
    {
        std::mt19937_64 random(11);
        for (int round = 0; round < 300; ++round) {
            std::vector<std::int64_t> steps;
            std::vector<double> values;
            auto step = static_cast<std::int64_t>(random() >> 32);
            for (std::size_t count = 1 + random() % 600; count > 0; --count) {
                steps.push_back(step);
                values.push_back(std::bit_cast<double>(random()));
                step += static_cast<std::int64_t>(random() >> (34 + random() % 30));
            }
            comesBack(steps, values);
        }
    }

    void theFormIsAsDocumented()
    {
        // By hand from docs/run-store.md: 1.0 is 0x3ff0000000000000; differences 1 and 300 = 0b10'0101100.
        const auto block = packBlock(std::vector<std::int64_t>{5, 6, 306}, std::vector<double>{1.0, -0.0, 1.0});
        QCOMPARE(block.count, std::int64_t(3));
        QCOMPARE(block.firstStep, std::int64_t(5));
        QCOMPARE(block.lastStep, std::int64_t(306));
        QCOMPARE(QByteArray::fromStdString(block.steps).toHex(), QByteArray("01ac02"));
        QCOMPARE(QByteArray::fromStdString(block.values).toHex(),
                 QByteArray("000000000000f03f"
                            "0000000000000080"
                            "000000000000f03f"));
        // python3 -c "import zlib; print(zlib.crc32(bytes.fromhex('01ac02' '000000000000f03f'
        //                                                         '0000000000000080' '000000000000f03f')))"
        QCOMPARE(block.crc32, 448891439U);
    }

    void damageIsSeen()
    {
        const auto good = packBlock(std::vector<std::int64_t>{1, 2, 9, 10}, std::vector<double>{1, 2, 3, 4});
        QVERIFY(unpackBlock(good).ok());
        const auto isSeen = [&](auto change) {
            PackedBlock block = good;
            change(block);
            const auto unpacked = unpackBlock(block);
            return !unpacked.ok() && unpacked.error().code == ErrorCode::Unreadable;
        };
        for (std::size_t byte = 0; byte < good.values.size(); ++byte)
            QVERIFY(isSeen([&](PackedBlock& block) { block.values[byte] ^= 0x10; }));
        for (std::size_t byte = 0; byte < good.steps.size(); ++byte)
            QVERIFY(isSeen([&](PackedBlock& block) { block.steps[byte] ^= 0x01; }));
        QVERIFY(isSeen([](PackedBlock& block) { block.values.resize(24); }));
        QVERIFY(isSeen([](PackedBlock& block) { block.values.resize(31); }));
        QVERIFY(isSeen([](PackedBlock& block) { block.steps.pop_back(); }));
        QVERIFY(isSeen([](PackedBlock& block) { block.steps.push_back(1); }));
        QVERIFY(isSeen([](PackedBlock& block) { block.count = 0; }));
        QVERIFY(isSeen([](PackedBlock& block) { block.count = -1; }));
        QVERIFY(isSeen([](PackedBlock& block) { block.count = Limits::max(); }));
        QVERIFY(isSeen([](PackedBlock& block) { block.firstStep = 0; }));
        QVERIFY(isSeen([](PackedBlock& block) { block.lastStep = 11; }));
        QVERIFY(isSeen([](PackedBlock& block) { block.stride = 1; }));
        QVERIFY(isSeen([](PackedBlock& block) { block.crc32 ^= 1; }));
    }
};

QTEST_APPLESS_MAIN(TestSeriesBlocks)
#include "tst_series_blocks.moc"
