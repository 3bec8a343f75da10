#include "engine/graph/name_match.h"

#include <QtTest>

using namespace athanor;

class NameMatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nearest_data();
    void nearest();
    void globs();
};

void NameMatch::nearest_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("found");
    QTest::newRow("missing letter") << "kernl_size"
                                    << "kernel_size";
    QTest::newRow("swapped letters") << "strdie"
                                     << "stride";
    QTest::newRow("capitals") << "Padding"
                              << "padding";
    QTest::newRow("no underscore") << "kernelsize"
                                   << "kernel_size";
    QTest::newRow("exact") << "p"
                           << "p";
    QTest::newRow("too far") << "dilation"
                             << "";
    QTest::newRow("short and different") << "xy"
                                         << "";
    QTest::newRow("empty") << ""
                           << "";
}

void NameMatch::nearest()
{
    QFETCH(QString, name);
    QFETCH(QString, found);
    const std::vector<std::string> candidates{"kernel_size", "stride", "padding", "p"};
    QCOMPARE(QString::fromStdString(nearestName(name.toStdString(), candidates)), found);
    const QString hint = found.isEmpty() ? QString() : "did you mean '" + found + "'?";
    QCOMPARE(QString::fromStdString(didYouMean(name.toStdString(), candidates)), hint);
}

void NameMatch::globs()
{
    QVERIFY(matchesGlob("*.weight", "block1.conv.weight"));
    QVERIFY(matchesGlob("backbone*", "backbone.0.bias"));
    QVERIFY(matchesGlob("*", ""));
    QVERIFY(matchesGlob("fc?.bias", "fc1.bias"));
    QVERIFY(matchesGlob("fc[12].bias", "fc2.bias"));
    QVERIFY(!matchesGlob("fc[12].bias", "fc3.bias"));
    QVERIFY(!matchesGlob("fc.weight", "fcXweight"));
    QVERIFY(!matchesGlob("*.weight", "weights"));
    QVERIFY(!matchesGlob("", "a"));
}

QTEST_APPLESS_MAIN(NameMatch)
#include "tst_name_match.moc"
