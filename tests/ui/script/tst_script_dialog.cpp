// The script editor, driven by real mouse and key events.
#include "ui/script/declarations_panel.h"
#include "ui/script/script_dialog.h"
#include "ui/script/script_editor.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <QtTest>

using namespace athanor;

namespace {

constexpr const char* kSource = "def forward(self, x: Tensor) -> Tensor:\n    return x\n";

} // namespace

class ScriptDialogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_theme.setScheme(ColorScheme::Light);
        open({"Script", {{"source", kSource}}});
    }
    void cleanup() { m_dialog.reset(); }

    void typedSourceIsCheckedAndItsPortsFollow()
    {
        QTRY_VERIFY(!m_dialog->isChecking());
        QVERIFY(ports().contains(QStringLiteral("N×3×4")));
        type("def forward(self, x: Tensor, gain: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:\n");
        keys("return x.flatten(1), x.sum(2)");
        QVERIFY(ports().contains(QStringLiteral("gain?"))); // at once, before any check
        QVERIFY(ports().contains(QStringLiteral("output2")));
        QTRY_VERIFY(!m_dialog->isChecking());
        QCOMPARE(problems(), QString());
        QVERIFY2(ports().contains(QStringLiteral("N×12")) && ports().contains(QStringLiteral("N×3")),
                 qPrintable(ports()));
        QCOMPARE(problems(), QString());
        QCOMPARE(source(),
                 QStringLiteral(
                     "def forward(self, x: Tensor, gain: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:\n"
                     "    return x.flatten(1), x.sum(2)"));
    }

    void aMistakeIsListedAndReached()
    {
        type("def forward(self, x: Tensor) -> Tensor:\n");
        keys("y = x * 2\nreturn x + zz\n");
        QTRY_VERIFY(!m_dialog->isChecking());
        auto* list = m_dialog->findChild<QListWidget*>(QStringLiteral("problems"));
        QCOMPARE(list->count(), 1);
        QVERIFY2(list->item(0)->text().startsWith(QStringLiteral("Line 3, column 16: unknown name zz")),
                 qPrintable(list->item(0)->text()));
        const QRect row = list->visualItemRect(list->item(0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(editor()->cursor().line, 3);
        QCOMPARE(editor()->cursor().column, 16);
        QTest::keyClick(text(), Qt::Key_Delete);
        QTest::keyClick(text(), Qt::Key_Delete);
        keys("y");
        QTRY_VERIFY(!m_dialog->isChecking());
        QCOMPARE(list->count(), 0);
        QVERIFY(m_dialog->findChild<QLabel*>(QStringLiteral("state"))
                    ->text()
                    .startsWith(QStringLiteral("Compiles and runs")));
    }

    void completionByKeyboard()
    {
        type("def forward(self, x: Tensor) -> Tensor:\n");
        keys("return torch.sigmo");
        QVERIFY(editor()->isCompleting());
        QTest::keyClick(text(), Qt::Key_Tab);
        QVERIFY(!editor()->isCompleting());
        QVERIFY(source().contains(QStringLiteral("torch.sigmoid")));
        keys("(x.");
        QVERIFY(editor()->isCompleting());
        QTest::keyClick(text(), Qt::Key_Escape); // closes the list, not the window
        QVERIFY(!editor()->isCompleting());
        QVERIFY(m_dialog->isVisible());
        keys("t");
        QTest::keyClick(text(), Qt::Key_Escape);
        QTest::keyClick(text(), Qt::Key_Space, Qt::ControlModifier);
        QVERIFY(editor()->isCompleting());
    }

    void indentsBehindAColon()
    {
        type("def forward(self, x: Tensor) -> Tensor:\n");
        keys("for i in range(3):\n");
        QCOMPARE(editor()->cursor().column, 9);
        keys("x = x + 1\n");
        QCOMPARE(editor()->cursor().column, 9);
        QTest::keyClick(text(), Qt::Key_Backspace);
        QCOMPARE(editor()->cursor().column, 5);
        keys("return x");
        QTRY_VERIFY(!m_dialog->isChecking());
        QCOMPARE(problems(), QString());
    }

    void controlEnterApplies()
    {
        QSignalSpy accepted(m_dialog.get(), &QDialog::accepted);
        keys("# a comment\n");
        QTest::keyClick(text(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(accepted.size(), 1);
        QCOMPARE(m_dialog->draft().params["source"].get<std::string>(),
                 std::string("# a comment\n") + kSource);
        QVERIFY(m_dialog->isChanged());
    }

    void escapeClosesWhatIsUnchanged()
    {
        QSignalSpy rejected(m_dialog.get(), &QDialog::rejected);
        QVERIFY(!m_dialog->isChanged());
        QTest::keyClick(text(), Qt::Key_Escape);
        QCOMPARE(rejected.size(), 1);
        QVERIFY(!m_dialog->isVisible());
    }

    void escapeAsksWhenChanged()
    {
        keys("#");
        answer(QStringLiteral("Go on editing"));
        QTest::keyClick(text(), Qt::Key_Escape);
        QVERIFY(m_dialog->isVisible());
        answer(QStringLiteral("Discard"));
        QTest::keyClick(text(), Qt::Key_Escape);
        QVERIFY(!m_dialog->isVisible());
        QCOMPARE(m_dialog->result(), int(QDialog::Rejected));
    }

    void declaredParametersAreUsed()
    {
        type("def forward(self, x: Tensor) -> Tensor:\n");
        keys("return torch.matmul(x, self.w)");
        QTRY_VERIFY(!m_dialog->isChecking());
        QCOMPARE(m_dialog->findChild<QListWidget*>(QStringLiteral("problems"))->count(), 1);
        auto* table = m_dialog->findChild<QTableWidget*>(QStringLiteral("tensorTable"));
        QTest::mouseClick(m_dialog->findChild<QToolButton*>(QStringLiteral("tensorTableadd")),
                          Qt::LeftButton);
        fillCell(table, 0, 0, "w");
        fillCell(table, 0, 1, "x.size(2), 7");
        fillCell(table, 0, 2, "normal(std=0.1)");
        QTRY_VERIFY(!m_dialog->isChecking());
        QCOMPARE(problems(), QString());
        QVERIFY2(ports().contains(QStringLiteral("N×3×7")), qPrintable(ports()));
        const Json expected = Json::array(
            {{{"name", "w"}, {"shape", {"x.size(2)", 7}}, {"init", {{"kind", "normal"}, {"std", 0.1}}}}});
        QVERIFY(m_dialog->draft().params["parameters"] == expected);
        QVERIFY(m_dialog->findChild<QLabel*>(QStringLiteral("state"))
                    ->text()
                    .contains(QStringLiteral("28 parameters")));
        table->setCurrentCell(0, 0);
        QTest::mouseClick(m_dialog->findChild<QToolButton*>(QStringLiteral("tensorTableclose")),
                          Qt::LeftButton);
        QVERIFY(!m_dialog->draft().params.contains("parameters"));
    }

    void templatesReplaceTheSourceAndCanBeUndone()
    {
        auto* menu = m_dialog->findChild<QPushButton*>(QStringLiteral("templates"))->menu();
        QVERIFY(menu->actions().size() >= 3);
        menu->actions().at(1)->trigger(); // the sequence
        QTRY_VERIFY(!m_dialog->isChecking());
        QCOMPARE(problems(), QString());
        QVERIFY(ports().contains(QStringLiteral("steps")) && ports().contains(QStringLiteral("N×3×32")));
        QTest::keyClick(text(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(source(), QString::fromLatin1(kSource));
    }

    void anEndlessLoopDoesNotHoldTheWindow()
    {
        type("def forward(self, x: Tensor) -> Tensor:\n");
        keys("while x.size(1) > 0:\nx = x + 1\n");
        QTest::qWait(400); // the loop is running
        QElapsedTimer timer;
        timer.start();
        keys("# more");
        m_dialog.reset();
        QVERIFY2(timer.elapsed() < 1500, "closing must not wait for the loop");
    }

    void followsTheTheme()
    {
        const QImage light = m_dialog->grab().toImage();
        m_theme.setScheme(ColorScheme::Dark);
        QTest::qWait(20);
        const QImage dark = m_dialog->grab().toImage();
        const QPoint paper =
            editor()->mapTo(m_dialog.get(), QPoint(editor()->width() - 40, editor()->height() - 40));
        QVERIFY(light.pixelColor(paper).lightness() > 200);
        QVERIFY(dark.pixelColor(paper).lightness() < 70);
    }

private:
    void open(ScriptDraft draft)
    {
        m_dialog =
            std::make_unique<ScriptDialog>(QStringLiteral("cell"), std::move(draft),
                                           ScriptInputs{{"x", TensorType{{kBatch, 3, 4}}}}, m_theme, nullptr);
        m_dialog->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_dialog.get()));
    }
    [[nodiscard]] ScriptEditor* editor() const { return m_dialog->findChild<ScriptEditor*>(); }
    [[nodiscard]] QWidget* text() const
    {
        return m_dialog->findChild<QWidget*>(QStringLiteral("sourceText"));
    }
    [[nodiscard]] QString source() const { return editor()->text(); }
    /// As listed, one per line.
    [[nodiscard]] QString problems() const
    {
        const auto* list = m_dialog->findChild<QListWidget*>(QStringLiteral("problems"));
        QStringList texts;
        for (int i = 0; i < list->count(); ++i) {
            texts << list->item(i)->text();
        }
        return texts.join(u'\n');
    }
    [[nodiscard]] QString ports() const
    {
        return m_dialog->findChild<QLabel*>(QStringLiteral("ports"))->text();
    }

    /// Types like a person does; the list of names is closed before Enter would take from it.
    void keys(const QString& typed)
    {
        for (const QChar sign : typed) {
            if (sign != u'\n') {
                QTest::keyClicks(text(), QString(sign));
                continue;
            }
            if (editor()->isCompleting()) {
                QTest::keyClick(text(), Qt::Key_Escape);
            }
            QTest::keyClick(text(), Qt::Key_Return);
        }
    }
    /// A new source from its first line on.
    void type(const QString& typed)
    {
        QTest::keyClick(text(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(text(), Qt::Key_Delete);
        keys(typed);
    }
    static void fillCell(QTableWidget* table, int row, int column, const char* typed)
    {
        table->setCurrentCell(row, column);
        table->editItem(table->item(row, column));
        QWidget* field = table->viewport()->findChild<QWidget*>(QStringLiteral("qt_spinbox_lineedit"));
        field = field ? field : QApplication::focusWidget();
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(field, QString::fromLatin1(typed));
        QTest::keyClick(field, Qt::Key_Return);
    }
    static void answer(const QString& button)
    {
        QTimer::singleShot(50, [button] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box);
            for (QAbstractButton* one : box->buttons()) {
                if (one->text() == button) {
                    QTest::mouseClick(one, Qt::LeftButton);
                    return;
                }
            }
            QFAIL("no such button");
        });
    }

    Theme m_theme;
    std::unique_ptr<ScriptDialog> m_dialog;
};

QTEST_MAIN(ScriptDialogTest)
#include "tst_script_dialog.moc"
