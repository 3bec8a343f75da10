#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <memory>

using namespace athanor;

class BaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resultHoldsValueOrError();
    void resultOfMoveOnlyValue();
    void errorText();
    void numbersInJson();
    void numbersFromJson();
    void contentHashes();
    void clockRuns();
};

void BaseTest::resultHoldsValueOrError()
{
    Result<int> good = 7;
    QVERIFY(good.ok() && good);
    QCOMPARE(*good, 7);
    *good = 8;
    QCOMPARE(good.value(), 8);
    const Result<int> bad = Error{ErrorCode::NotFound, "is not there", "a/b", "look elsewhere", {}};
    QVERIFY(!bad.ok() && !bad);
    QCOMPARE(bad.error().code, ErrorCode::NotFound);
    const Status done = Done{};
    QVERIFY(done.ok());
    // A value that is an error's look-alike stays a value.
    const Result<std::string> text = std::string("error");
    QCOMPARE(text->size(), std::size_t(5));
}

void BaseTest::resultOfMoveOnlyValue()
{
    Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
    const std::unique_ptr<int> taken = std::move(result).value();
    QCOMPARE(*taken, 3);
}

void BaseTest::errorText()
{
    QCOMPARE((Error{ErrorCode::Internal, "broke", "", "", ""}).text(), std::string("broke"));
    QCOMPARE((Error{ErrorCode::Internal, "broke", "network/conv1", "", "long text of a library"}).text(),
             std::string("network/conv1: broke"));
    QCOMPARE((Error{ErrorCode::Internal, "broke", "network/conv1", "mend it", ""}).text(),
             std::string("network/conv1: broke (mend it)"));
}

void BaseTest::numbersInJson()
{
    const double infinity = std::numeric_limits<double>::infinity();
    QCOMPARE(jsonNumber(0.1).dump(), std::string("0.1"));
    QCOMPARE(jsonNumber(-0.0).dump(), std::string("-0.0"));
    QCOMPARE(jsonNumber(5e-324).dump(), std::string("5e-324"));
    QCOMPARE(jsonNumber(infinity), Json("inf"));
    QCOMPARE(jsonNumber(-infinity), Json("-inf"));
    QCOMPARE(jsonNumber(std::nan("")), Json("nan"));
}

void BaseTest::numbersFromJson()
{
    double value = 1;
    QVERIFY(numberFromJson(Json(3), value) && value == 3);
    QVERIFY(numberFromJson(Json("nan"), value) && std::isnan(value));
    QVERIFY(numberFromJson(Json("inf"), value) && value == std::numeric_limits<double>::infinity());
    QVERIFY(numberFromJson(Json("-inf"), value) && value == -std::numeric_limits<double>::infinity());
    value = 42;
    for (const Json& other : {Json("3"), Json("NaN"), Json(true), Json(), Json::array({1})})
        QVERIFY(!numberFromJson(other, value));
    QCOMPARE(value, 42.0);
}

void BaseTest::contentHashes()
{
    // XXH3, 128 bits, of nothing and of "a": from the xxhsum program (-H2).
    QCOMPARE(contentHash("", 0), std::string("99aa06d3014798d86001c324468d497f"));
    QCOMPARE(contentHash("a", 1), std::string("a96faf705af16834e6c632b61e964e1f"));
    QVERIFY(contentHash("a", 1) != contentHash("b", 1));
}

void BaseTest::clockRuns()
{
    const SystemClock clock;
    const auto before = clock.now();
    QVERIFY(clock.now() >= before);
    const std::int64_t year2020 = 1577836800000;
    QVERIFY(clock.wallMilliseconds() > year2020);
}

QTEST_APPLESS_MAIN(BaseTest)
#include "tst_base.moc"
