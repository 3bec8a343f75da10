// The training panel over a scripted run.
#include "tests/support/fake_session.h"
#include "ui/bridge/session_bridge.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/training_controls.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QDateTimeEdit>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

using namespace athanor;
using namespace std::chrono_literals;

class TestTrainingControls : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<SessionBridge> m_bridge;
    std::unique_ptr<TrainingControls> m_controls;

    void make(FakeScript script)
    {
        m_bridge = std::make_unique<SessionBridge>(FakeSession::factory(std::move(script)));
        m_bridge->setStoreFile(m_folder->filePath(QStringLiteral("runs.sqlite")).toStdString());
        m_controls = std::make_unique<TrainingControls>(m_theme, *m_bridge);
        connect(m_controls.get(), &TrainingControls::startRequested, this, [this] {
            Project project;
            project.name = "fake";
            QVERIFY(m_bridge->start(project, {}).ok());
        });
        m_controls->setCanStart(true);
        m_controls->resize(1000, 160);
        m_controls->show();
        m_controls->activateWindow();
        QVERIFY(QTest::qWaitForWindowExposed(m_controls.get()));
    }
    static FakeScript steadyScript()
    {
        FakeScript script;
        script.steps = 100'000;
        script.stepsPerSecond = 300;
        return script;
    }
    QToolButton* button(const char* name) { return m_controls->findChild<QToolButton*>(QLatin1String(name)); }
    QString figure(const char* name) { return m_controls->findChild<QLabel*>(QLatin1String(name))->text(); }
    QString enabledActions()
    {
        QString letters;
        letters += m_controls->startAction()->isEnabled() ? 'S' : '-';
        letters += m_controls->pauseAction()->isEnabled() ? 'P' : '-';
        letters += m_controls->stepAction()->isEnabled() ? '1' : '-';
        letters += m_controls->stopAction()->isEnabled() ? 'X' : '-';
        letters += m_controls->stopAfterEpochAction()->isEnabled() ? 'E' : '-';
        letters += m_controls->checkpointAction()->isEnabled() ? 'C' : '-';
        return letters;
    }

    bool saw(EventKind kind, const char* part)
    {
        return std::ranges::any_of(m_bridge->events(), [&](const Event& event) {
            return event.kind == kind && event.text.find(part) != std::string::npos;
        });
    }
    /// Opens the menu beside the stop button by the mouse and chooses by it.
    void chooseInStopMenu(QAction* action)
    {
        QTimer::singleShot(0, this, [this, action] {
            QMenu* menu = button("stopMenuButton")->menu();
            QTRY_VERIFY(menu->isVisible());
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        });
        QTest::mouseClick(button("stopMenuButton"), Qt::LeftButton);
    }
    /// Acts in the modal dialog that comes up next.
    template <typename Act> void inDialog(Act act)
    {
        auto* timer = new QTimer(this);
        timer->callOnTimeout(this, [timer, act] {
            auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr)
                return;
            timer->deleteLater();
            timer->stop();
            act(dialog);
        });
        timer->start(20);
    }

private Q_SLOTS:
    void initTestCase() { m_theme.setScheme(ColorScheme::Light); }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void cleanup()
    {
        m_controls.reset();
        m_bridge.reset();
    }

    void buttonsDriveTheRun()
    {
        make(steadyScript());
        QCOMPARE(enabledActions(), QStringLiteral("S-----"));
        QTest::mouseClick(button("startButton"), Qt::LeftButton);
        QTRY_COMPARE(m_bridge->state(), SessionState::Running);
        QTRY_COMPARE(enabledActions(), QStringLiteral("-P1XEC"));
        QTRY_VERIFY(m_bridge->progress().step > 10);

        QTest::mouseClick(button("pauseButton"), Qt::LeftButton);
        QTRY_COMPARE(m_bridge->state(), SessionState::Paused);
        QTRY_COMPARE(m_controls->pauseAction()->text(), QStringLiteral("Resume"));
        QCOMPARE(enabledActions(), QStringLiteral("-P1XEC"));
        const std::int64_t at = m_bridge->progress().step;
        QTest::qWait(150);
        QCOMPARE(m_bridge->progress().step, at);
        QTest::mouseClick(button("stepButton"), Qt::LeftButton);
        QTRY_COMPARE(m_bridge->progress().step, at + 1);
        QTest::qWait(150);
        QCOMPARE(m_bridge->progress().step, at + 1);
        QTRY_VERIFY(figure("stepFigure").startsWith(QString::number(at + 1)));

        QTest::mouseClick(button("pauseButton"), Qt::LeftButton);
        QTRY_COMPARE(m_bridge->state(), SessionState::Running);
        QTRY_COMPARE(m_controls->pauseAction()->text(), QStringLiteral("Pause"));
        QTest::mouseClick(button("stopButton"), Qt::LeftButton);
        QTRY_VERIFY(!m_bridge->isActive());
        QTRY_COMPARE(enabledActions(), QStringLiteral("S-----"));
        QCOMPARE(figure("stateFigure"), QStringLiteral("Stopped"));
    }

    void shortcutsDoTheSame()
    {
        make(steadyScript());
        QTRY_VERIFY(m_controls->isActiveWindow());
        QTest::keyClick(m_controls.get(), Qt::Key_F5);
        QTRY_COMPARE(m_bridge->state(), SessionState::Running);
        QTRY_VERIFY(m_controls->pauseAction()->isEnabled());
        QTest::keyClick(m_controls.get(), Qt::Key_F6);
        QTRY_COMPARE(m_bridge->state(), SessionState::Paused);
        const std::int64_t at = m_bridge->progress().step;
        QTest::keyClick(m_controls.get(), Qt::Key_F10);
        QTRY_COMPARE(m_bridge->progress().step, at + 1);
        QTRY_COMPARE(m_bridge->state(), SessionState::Paused);
        QTest::keyClick(m_controls.get(), Qt::Key_F5, Qt::ShiftModifier);
        QTRY_VERIFY(!m_bridge->isActive());
    }

    void stopAfterTheEpochEndsWithIt()
    {
        FakeScript script = steadyScript();
        script.stepsPerEpoch = 100;
        make(script);
        m_controls->startAction()->trigger();
        QTRY_VERIFY(m_controls->stopAfterEpochAction()->isEnabled());
        m_controls->stopAfterEpochAction()->trigger();
        QTRY_VERIFY(!m_bridge->isActive());
        QCOMPARE(m_bridge->progress().step % 100, std::int64_t{0});
    }

    void theLastChangeIsTakenBack()
    {
        make(steadyScript());
        QVERIFY(!m_controls->revertAction()->isEnabled());
        m_controls->startAction()->trigger();
        auto* edit = m_controls->findChild<QLineEdit*>(QStringLiteral("learningRate"));
        QTRY_VERIFY(edit->isEnabled() && !edit->text().isEmpty());
        const QString before = edit->text();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("0.25"));
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_COMPARE(edit->text(), QStringLiteral("0.25"));
        QTRY_VERIFY(saw(EventKind::SettingChanged, "0.25"));
        chooseInStopMenu(m_controls->revertAction());
        QTRY_COMPARE(edit->text(), before);
        chooseInStopMenu(m_controls->revertAction());
        QTRY_VERIFY(saw(EventKind::Note, "no change"));
    }

    void stopsAtATime()
    {
        make(steadyScript());
        m_controls->startAction()->trigger();
        QTRY_VERIFY(m_controls->stopAtAction()->isEnabled());
        // Over: refused in the dialog. In ten minutes: told to the run and shown.
        inDialog([](QDialog* dialog) {
            auto* edit = dialog->findChild<QDateTimeEdit*>(QStringLiteral("stopTime"));
            const qint64 ahead = QDateTime::currentDateTime().secsTo(edit->dateTime());
            QVERIFY(ahead > 3500 && ahead <= 3600);
            edit->setFocus();
            edit->setSelectedSection(QDateTimeEdit::YearSection);
            QTest::keyClick(edit, Qt::Key_Down);
            auto* then = dialog->findChild<QPushButton*>(QStringLiteral("stopThen"));
            QVERIFY(!then->isEnabled());
            QVERIFY(dialog->findChild<QLabel*>(QStringLiteral("stopTimeDistance"))->text().contains(QStringLiteral("over")));
            for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
                if (button->text() == QStringLiteral("In 10 min"))
                    QTest::mouseClick(button, Qt::LeftButton);
            }
            QVERIFY(then->isEnabled());
            QTest::mouseClick(then, Qt::LeftButton);
        });
        chooseInStopMenu(m_controls->stopAtAction());
        QTRY_VERIFY(saw(EventKind::Note, "will stop at"));
        QVERIFY(figure("stateFigure").contains(QStringLiteral("stops at")));
        QVERIFY(m_controls->stopAtAction()->text().startsWith(QStringLiteral("Stops at")));
        inDialog([](QDialog* dialog) {
            QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("stopNever")), Qt::LeftButton);
        });
        chooseInStopMenu(m_controls->stopAtAction());
        QTRY_VERIFY(saw(EventKind::Note, "no longer"));
        QVERIFY(!figure("stateFigure").contains(QStringLiteral("stops at")));
        inDialog([](QDialog* dialog) { QTest::keyClick(dialog, Qt::Key_Escape); });
        chooseInStopMenu(m_controls->stopAtAction());
        QCOMPARE(m_controls->stopAtAction()->text(), QStringLiteral("Stop at a time…"));
    }

    void cannotStartSaysWhy()
    {
        make({});
        m_controls->setCanStart(false, QStringLiteral("The project has two errors."));
        QVERIFY(!m_controls->startAction()->isEnabled());
        QCOMPARE(m_controls->startAction()->toolTip(), QStringLiteral("The project has two errors."));
        QSignalSpy started(m_controls.get(), &TrainingControls::startRequested);
        QTest::mouseClick(button("startButton"), Qt::LeftButton);
        QCOMPARE(started.size(), 0);
    }

    void figuresAndProgress()
    {
        FakeScript script = steadyScript();
        script.steps = 400;
        script.stepsPerEpoch = 100;
        make(script);
        QCOMPARE(figure("stateFigure"), QStringLiteral("No run"));
        m_controls->startAction()->trigger();
        QTRY_VERIFY(m_bridge->progress().step > 100);
        QTRY_VERIFY(figure("stepFigure").endsWith(QStringLiteral("of 400")));
        QVERIFY(figure("epochFigure").contains(QStringLiteral("of 4")));
        auto* bar = m_controls->findChild<QProgressBar*>();
        QTRY_VERIFY(bar->value() > 200 && bar->maximum() == 1000);
        QVERIFY(figure("lossFigure") != QStringLiteral("–"));
        QTRY_VERIFY(!m_bridge->isActive());
        QTRY_COMPARE(figure("stateFigure"), QStringLiteral("Finished"));
        QCOMPARE(bar->value(), 1000);
    }

    void learningRateIsEditedLive()
    {
        make(steadyScript());
        auto* edit = m_controls->findChild<QLineEdit*>(QStringLiteral("learningRate"));
        auto* apply = button("applyLearningRate");
        QVERIFY(!edit->isEnabled());
        m_controls->startAction()->trigger();
        QTRY_VERIFY(edit->isEnabled());
        QTRY_VERIFY(!edit->text().isEmpty());
        QVERIFY(!apply->isEnabled());
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("0.0025"));
        QVERIFY(apply->isEnabled());
        QTest::qWait(300); // polling does not overwrite what is being typed
        QCOMPARE(edit->text(), QStringLiteral("0.0025"));
        QTest::keyClick(edit, Qt::Key_Return);
        const auto rate = [&] {
            const auto infos = m_bridge->series()->infos();
            for (std::size_t i = 0; i < infos.size(); ++i) {
                if (infos[i].name == "lr")
                    return m_bridge->series()->latest(static_cast<SeriesIndex>(i)).value;
            }
            return 0.0;
        };
        QTRY_COMPARE(rate(), 0.0025);
        QVERIFY(!apply->isEnabled());
        // Nonsense is not posted.
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("-"));
        QTest::keyClick(edit, Qt::Key_Return);
        QTest::qWait(150);
        QCOMPARE(rate(), 0.0025);
        // Escape gives the run's own value back.
        QTest::keyClick(edit, Qt::Key_Escape);
        QTRY_COMPARE(edit->text(), QStringLiteral("0.0025"));
    }

    void errorsAreABarWithALink()
    {
        make({});
        auto* bar = m_controls->findChild<NoticeBar*>();
        QVERIFY(!bar->isVisible());
        QSignalSpy activated(m_controls.get(), &TrainingControls::placeActivated);
        m_controls->showError({ErrorCode::InvalidArgument, "kernel_size is larger than its input", "network/conv1/kernel_size",
                               "Make it 3.", "long text of a library"});
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->findChild<QLabel*>(QStringLiteral("noticeMessage"))->text(),
                 QStringLiteral("kernel_size is larger than its input"));
        QVERIFY(!bar->findChild<QLabel*>(QStringLiteral("noticeDetails"))->isVisible());
        QTest::mouseClick(bar->findChild<QPushButton*>(QStringLiteral("noticeDetailsButton")), Qt::LeftButton);
        QVERIFY(bar->findChild<QLabel*>(QStringLiteral("noticeDetails"))->isVisible());
        QTest::mouseClick(bar->findChild<QPushButton*>(QStringLiteral("noticePlace")), Qt::LeftButton);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].toString(), QStringLiteral("network/conv1/kernel_size"));
        QTest::mouseClick(bar->findChild<QToolButton*>(QStringLiteral("noticeClose")), Qt::LeftButton);
        QVERIFY(!bar->isVisible());
    }

    void aFailedRunSaysWhy()
    {
        FakeScript script;
        script.failAtStep = 20;
        script.failure = "the data ran out";
        make(script);
        m_controls->startAction()->trigger();
        auto* bar = m_controls->findChild<NoticeBar*>();
        QTRY_VERIFY(bar->isVisible());
        QVERIFY(bar->findChild<QLabel*>(QStringLiteral("noticeMessage"))->text().contains(QStringLiteral("the data ran out")));
        QCOMPARE(figure("stateFigure"), QStringLiteral("Failed"));
        QVERIFY(m_controls->startAction()->isEnabled());
    }

    void problemsOfTheProjectHaveTheirPlace()
    {
        FakeScript script;
        script.compileProblems = {{"network/fc1/out_features", Severity::Error, "out_features is 0", "Use at least 1."}};
        make(script);
        m_controls->startAction()->trigger();
        auto* bar = m_controls->findChild<NoticeBar*>();
        QTRY_VERIFY(bar->isVisible());
        QCOMPARE(bar->findChild<QPushButton*>(QStringLiteral("noticePlace"))->text(),
                 QStringLiteral("network/fc1/out_features"));
    }
};

QTEST_MAIN(TestTrainingControls)
#include "tst_training_controls.moc"
