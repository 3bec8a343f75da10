#include "engine/base/expression.h"

#include <QtTest>

#include <cmath>

using namespace athanor;

namespace {

const std::vector<std::string> kNames{"step", "epoch", "val/loss"};

double valueOf(const std::string& text, double step = 3, double epoch = 2, double loss = 0.5)
{
    const auto expression = Expression::parse(text, kNames);
    if (!expression.ok())
        throw std::runtime_error(expression.error().text());
    return expression->evaluate(std::vector<double>{step, epoch, loss});
}

Error errorOf(const std::string& text)
{
    const auto expression = Expression::parse(text, kNames);
    return expression.ok() ? Error{} : expression.error();
}

} // namespace

class TestExpression : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The right column is what Python 3 says.
    void asPython_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value");
        const auto row = [](const char* text, double value) { QTest::newRow(text) << QString(text) << value; };
        row("1 + 2 * 3", 7);
        row("(1 + 2) * 3", 9);
        row("2 ** 3 ** 2", 512);
        row("-2 ** 2", -4);
        row("2 ** -1", 0.5);
        row("8 / 4 / 2", 1);
        row("7 // 2", 3);
        row("-7 // 2", -4);
        row("-7 % 3", 2);
        row("7 % -3", -2);
        row("1e3 + .5", 1000.5);
        row("2 - -3", 5);
        row("1 < 2", 1);
        row("1 >= 2", 0);
        row("1 == 1 and not 2 == 3", 1);
        row("0 or 1 and 0", 0);
        row("10 if 1 > 2 else 20 if 2 > 1 else 30", 20);
        row("min(4, 2, 3)", 2);
        row("max(4, 2, 3) - max(1)", 3);
        row("pow(2, 10)", 1024);
        row("round(2.5) + round(3.5) + round(-0.4)", 6);
        row("floor(-1.5) + ceil(1.2)", 0);
        row("abs(-3) * sign(-2)", -3);
        row("sqrt(16) + exp(0) + log(1) + cos(0) + sin(0)", 6);
        row("step * epoch + 'val/loss'", 6.5);
        row("0.95 ** epoch", 0.95 * 0.95);
        row("cos(pi)", -1);
        row("log10(1000) + log2(8)", 6);
        row("isnan(nan) + isfinite(inf)", 1);
        row("\"val/loss\" < 1", 1);
    }
    void asPython()
    {
        QFETCH(QString, text);
        QFETCH(double, value);
        const double ours = valueOf(text.toStdString());
        QVERIFY2(std::abs(ours - value) < 1e-12, qPrintable(QString::number(ours)));
    }

    void nothingThrows()
    {
        QVERIFY(std::isinf(valueOf("1 / 0")));
        QVERIFY(std::isnan(valueOf("0 / 0")));
        QVERIFY(std::isnan(valueOf("sqrt(-1)")));
        QVERIFY(std::isnan(valueOf("1 % 0")));
    }

    void errorsTellWhatAndWhere()
    {
        QCOMPARE(errorOf("").message, std::string("the expression is empty (character 1)"));
        QCOMPARE(errorOf("1 +").message, std::string("the expression ends too early (character 4)"));
        QCOMPARE(errorOf("1 + stepp").message, std::string("nothing is called 'stepp' (character 5)"));
        QCOMPARE(errorOf("1 + stepp").hint, std::string("there are step, epoch, val/loss"));
        QCOMPARE(errorOf("system(1)").message, std::string("there is no function 'system' (character 1)"));
        QCOMPARE(errorOf("pow(1)").message, std::string("pow takes 2 arguments, has 1 (character 1)"));
        QCOMPARE(errorOf("1 2").message, std::string("'2' is not expected here (character 3)"));
        QCOMPARE(errorOf("(1").message, std::string("')' is missing (character 3)"));
        QCOMPARE(errorOf("1 < 2 < 3").message, std::string("comparisons cannot be chained (character 8)"));
        QCOMPARE(errorOf("1 if 2").message, std::string("'else' is missing (character 7)"));
        QCOMPARE(errorOf("'val/loss").message, std::string("the closing quote is missing (character 1)"));
        QCOMPARE(errorOf("step.__class__").message, std::string("'.' is not expected here (character 5)"));
        QVERIFY(!errorOf("$").message.empty() && !errorOf("1 ** ** 2").message.empty() && !errorOf("min()").message.empty());
    }

    void depthAndLengthHaveLimits()
    {
        QVERIFY(!errorOf(std::string(100'000, '(')).message.empty());
        QVERIFY(!errorOf(std::string(5'000, '(') + "1" + std::string(5'000, ')')).message.empty());
        QVERIFY(!errorOf(std::string(9'000, '-') + "1").message.empty());
        std::string sum = "1";
        for (int i = 0; i < 4'000; ++i)
            sum += "+1";
        QCOMPARE(valueOf(sum), 4001.0);
    }

    void whatItUses()
    {
        const auto expression = Expression::parse("min(step, 3)", kNames);
        QVERIFY(expression->uses("step") && !expression->uses("epoch"));
    }
};

QTEST_APPLESS_MAIN(TestExpression)
#include "tst_expression.moc"
