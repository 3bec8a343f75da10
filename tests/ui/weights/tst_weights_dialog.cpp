// The dialog that joins the tensors of a file with those of a network, driven by real mouse and key events.
#include "tests/ui/weights/weights_fixture.h"

#include "ui/theme/theme.h"
#include "ui/weights/weights_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace athanor;
using namespace athanor::test;

class WeightsDialogTest : public QObject {
    Q_OBJECT

    Theme m_theme;
    std::unique_ptr<WeightsDialog> m_dialog;

    void open(const std::string& file, const WeightsMap& byHand = {})
    {
        Project project;
        project.file = "/somewhere/work.athanor";
        project.training.weights = file;
        project.training.weightsMap = byHand;
        m_dialog = std::make_unique<WeightsDialog>(project, m_theme, nullptr, &inspect);
        m_dialog->show();
        m_dialog->activateWindow();
        QVERIFY(QTest::qWaitForWindowExposed(m_dialog.get()));
        QTRY_VERIFY(file.empty() || !m_dialog->isReading());
    }
    template <typename T> T* find(const char* name) { return m_dialog->findChild<T*>(QLatin1String(name)); }
    QTableView* table() { return find<QTableView>("weightsTable"); }
    QString cell(int row, int column) { return table()->model()->index(row, column).data().toString(); }
    QString column(int column)
    {
        QStringList texts;
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            texts << cell(row, column);
        return texts.join(QStringLiteral(" | "));
    }
    /// Opens the editor of a row by a double click.
    QComboBox* edit(int row)
    {
        const QPoint at = table()->visualRect(table()->model()->index(row, 2)).center();
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(table()->viewport(), Qt::LeftButton, {}, at);
        return table()->findChild<QComboBox*>(QStringLiteral("fromEditor"));
    }

private Q_SLOTS:
    void initTestCase() { m_theme.setScheme(ColorScheme::Light); }
    void cleanup() { m_dialog.reset(); }

    void saysWhatAFileWouldDo()
    {
        open("backbone.pt");
        QCOMPARE(column(0), QStringLiteral("conv1.weight | conv1.bias | norm.weight | head.weight | head.bias"));
        QCOMPARE(column(4), QStringLiteral("same name | same name | stays fresh | shape differs | stays fresh"));
        QCOMPARE(cell(3, 3), QStringLiteral("[1000, 8]"));
        const QString contents = find<QLabel>("weightsContents")->text();
        QVERIFY2(contents.contains(QStringLiteral("5 tensor")) && contents.contains(QStringLiteral("state_dict")) &&
                     contents.contains(QStringLiteral("optimizer")),
                 qPrintable(contents));
        QStringList leftOver;
        for (int i = 0; i < find<QListWidget>("leftOver")->count(); ++i)
            leftOver << find<QListWidget>("leftOver")->item(i)->text();
        QCOMPARE(leftOver.size(), 2);
        QCOMPARE(leftOver[0], QStringLiteral("bn.gamma  [8]  float16, saved on cuda:0"));
        QVERIFY(find<QPushButton>("acceptWeights")->isEnabled());
    }

    void namesAreJoinedByHand()
    {
        open("backbone.pt");
        QComboBox* box = edit(2);
        QVERIFY(box != nullptr);
        // Tensors of its shape only, the free one first; the empty entry stands for "as by name".
        QCOMPARE(box->itemText(0), QString());
        QCOMPARE(box->itemText(1), QStringLiteral("bn.gamma"));
        QCOMPARE(box->itemText(2), QStringLiteral("conv1.bias"));
        QCOMPARE(box->count(), 3);
        QTest::keyClicks(box->lineEdit(), QStringLiteral("bn.gamma"));
        QTest::keyClick(box->lineEdit(), Qt::Key_Return);
        QTRY_COMPARE(cell(2, 4), QStringLiteral("by hand"));
        QCOMPARE(cell(2, 2), QStringLiteral("bn.gamma"));
        QCOMPARE(find<QListWidget>("leftOver")->count(), 1);

        // A name that the file does not have is not taken.
        box = edit(2);
        QVERIFY(box != nullptr);
        QTest::keyClicks(box->lineEdit(), QStringLiteral("bn.nothing"));
        QTest::keyClick(box->lineEdit(), Qt::Key_Return);
        QCOMPARE(cell(2, 2), QStringLiteral("bn.gamma"));

        QTest::mouseClick(find<QPushButton>("acceptWeights"), Qt::LeftButton);
        QCOMPARE(m_dialog->result(), int(QDialog::Accepted));
        QCOMPARE(m_dialog->choice().file, std::filesystem::path("/somewhere/backbone.pt"));
        QVERIFY((m_dialog->choice().byHand == WeightsMap{{"norm.weight", "bn.gamma"}}));
    }

    void whatWasChosenByHandIsForgotten()
    {
        open("backbone.pt", {{"norm.weight", "bn.gamma"}, {"gone.weight", "bn.gamma"}});
        QCOMPARE(cell(2, 4), QStringLiteral("by hand"));
        QVERIFY(find<QLabel>("weightsContents")->text().contains(QStringLiteral("gone.weight")));
        QTest::mouseClick(find<QPushButton>("forgetByHand"), Qt::LeftButton);
        QCOMPARE(cell(2, 4), QStringLiteral("stays fresh"));
        QVERIFY(!find<QPushButton>("forgetByHand")->isEnabled());
    }

    void filters()
    {
        open("backbone.pt");
        QTest::mouseClick(find<QCheckBox>("onlyOpen"), Qt::LeftButton, {}, QPoint(8, find<QCheckBox>("onlyOpen")->height() / 2));
        QCOMPARE(column(0), QStringLiteral("norm.weight | head.weight | head.bias"));
        find<QLineEdit>("weightsFilter")->setFocus();
        QTest::keyClicks(find<QLineEdit>("weightsFilter"), QStringLiteral("HEAD"));
        QCOMPARE(column(0), QStringLiteral("head.weight | head.bias"));
    }

    void aDamagedFileIsExplainedAndAnotherTried()
    {
        open("broken.pt");
        QVERIFY(find<QLabel>("weightsSummary")->text().contains(QStringLiteral("damaged")));
        QVERIFY(find<QLabel>("weightsSummary")->text().contains(QStringLiteral("Save it again")));
        QVERIFY(!find<QPushButton>("acceptWeights")->isEnabled());
        auto* file = find<QLineEdit>("weightsFile");
        file->setFocus();
        file->selectAll();
        QTest::keyClicks(file, QStringLiteral("/elsewhere/backbone.pt"));
        QTRY_COMPARE(table()->model()->rowCount(), 5);
        QTest::mouseClick(find<QPushButton>("acceptWeights"), Qt::LeftButton);
        QCOMPARE(m_dialog->choice().file, std::filesystem::path("/elsewhere/backbone.pt"));
    }

    void aFileIsDropped()
    {
        open("");
        QVERIFY(!find<QPushButton>("acceptWeights")->isEnabled());
        QVERIFY(!find<QPushButton>("startFresh")->isEnabled());
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QStringLiteral("/somewhere/nets/backbone.pt"))});
        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_dialog.get(), &enter); // a widget takes only what it was asked for before
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_dialog.get(), &drop);
        QCOMPARE(find<QLineEdit>("weightsFile")->text(), QStringLiteral("nets/backbone.pt")); // below the project's folder
        QTRY_COMPARE(table()->model()->rowCount(), 5);
    }

    void freshAgain()
    {
        open("backbone.pt");
        QTest::mouseClick(find<QPushButton>("startFresh"), Qt::LeftButton);
        QCOMPARE(m_dialog->result(), int(QDialog::Accepted));
        QVERIFY(m_dialog->choice().file.empty() && m_dialog->choice().byHand.empty());
    }
};

QTEST_MAIN(WeightsDialogTest)
#include "tst_weights_dialog.moc"
