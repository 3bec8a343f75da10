#include "engine/graph/groups.h"
#include "ui/graph/kind_search.h"
#include "ui/graph/kind_shelf.h"

#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace athanor;

namespace {

QStringList names(const std::vector<const NodeKind*>& kinds)
{
    QStringList list;
    for (const NodeKind* kind : kinds) {
        list << QString::fromStdString(kind->kind);
    }
    return list;
}

} // namespace

class KindSearchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingInTheCatalogsOrder();
    void theNameComesFirst_data();
    void theNameComesFirst();
    void titleAndHelpAreSearched();
    void filters();
    void nothingFound();
    void shelfRemembers();
};

void KindSearchTest::everythingInTheCatalogsOrder()
{
    const auto all = searchKinds(layerCatalog(), QStringLiteral("  "));
    QCOMPARE(all.size(), layerCatalog().kinds().size() - 1); // groups are placed by the names of their definitions
    QVERIFY(!names(all).contains(QString::fromLatin1(kGroupKind)));
    QVERIFY(all.front() == &layerCatalog().kinds().front());
}

void KindSearchTest::theNameComesFirst_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("kind");
    QTest::newRow("begin of the name") << "conv2" << "Conv2d";
    QTest::newRow("capital letters do not matter") << "RELU" << "ReLU";
    QTest::newRow("some letters") << "mp2" << "MaxPool2d";
    QTest::newRow("words") << "crossent" << "CrossEntropyLoss";
    QTest::newRow("whole name before a longer one") << "Linear" << "Linear";
}

void KindSearchTest::theNameComesFirst()
{
    QFETCH(QString, typed);
    QFETCH(QString, kind);
    const QStringList found = names(searchKinds(layerCatalog(), typed));
    QVERIFY2(!found.isEmpty(), qPrintable(typed));
    QCOMPARE(found.front(), kind);
}

void KindSearchTest::titleAndHelpAreSearched()
{
    // A word that stands in no kind's name.
    const NodeKind* linear = layerCatalog().find("Linear");
    const QString title = QString::fromStdString(linear->title);
    QVERIFY(names(searchKinds(layerCatalog(), title)).contains(QStringLiteral("Linear")));
    const QStringList pooling = names(searchKinds(layerCatalog(), QStringLiteral("pooling")));
    QVERIFY(pooling.contains(QStringLiteral("MaxPool2d")) && pooling.contains(QStringLiteral("AvgPool2d")));
}

void KindSearchTest::filters()
{
    const auto losses = searchKinds(layerCatalog(), {}, [](const NodeKind& kind) { return kind.isLoss(); });
    QVERIFY(!losses.empty() && losses.size() < layerCatalog().kinds().size());
    for (const NodeKind* kind : losses) {
        QVERIFY(kind->isLoss());
    }
    QVERIFY(searchKinds(layerCatalog(), QStringLiteral("Conv2d"), [](const NodeKind& kind) { return kind.isLoss(); }).empty());
}

void KindSearchTest::nothingFound()
{
    QVERIFY(searchKinds(layerCatalog(), QStringLiteral("qqqq")).empty());
}

void KindSearchTest::shelfRemembers()
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("settings.ini"));
    {
        QSettings store(file, QSettings::IniFormat);
        KindShelf shelf;
        shelf.setStore(store);
        QSignalSpy changed(&shelf, &KindShelf::changed);
        for (const char* kind : {"A", "B", "C", "D", "E", "F", "G", "C"}) {
            shelf.addRecent(GraphPart::Network, QString::fromLatin1(kind));
        }
        shelf.setFavourite(GraphPart::Network, QStringLiteral("Conv2d"), true);
        shelf.setFavourite(GraphPart::Network, QStringLiteral("ReLU"), true);
        shelf.setFavourite(GraphPart::Network, QStringLiteral("Conv2d"), false);
        QCOMPARE(changed.count(), 11);
    }
    QSettings store(file, QSettings::IniFormat);
    KindShelf shelf;
    shelf.setStore(store);
    QCOMPARE(shelf.recent(GraphPart::Network), (QStringList{"C", "G", "F", "E", "D", "B"}));
    QCOMPARE(shelf.favourites(GraphPart::Network), QStringList{"ReLU"});
    QVERIFY(shelf.recent(GraphPart::Data).isEmpty() && shelf.favourites(GraphPart::Data).isEmpty());
}

QTEST_GUILESS_MAIN(KindSearchTest)
#include "tst_kind_search.moc"
