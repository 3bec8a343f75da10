#include "engine/store/run_marks.h"
#include "tests/ui/compare/compared_runs.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_reader.h"
#include "ui/compare/findings_table.h"
#include "ui/compare/graph_difference_view.h"
#include "ui/compare/overlay_board.h"
#include "ui/compare/parallel_axes.h"
#include "ui/compare/parameters_board.h"
#include "ui/compare/scatter_view.h"
#include "ui/compare/settings_table.h"
#include "ui/plot/overlay_plot.h"
#include "ui/plot/plot_canvas.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QSettings>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace athanor;
using namespace athanor::testing;

class TestComparePage : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
    std::vector<RunId> m_runs;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<ComparePage> m_page;

    OverlayPlot* plot(const QString& series)
    {
        for (OverlayPlot* one : m_page->overlay()->plots())
            if (one->title() == series)
                return one;
        return nullptr;
    }
    /// As a user does: by its keys.
    static void chooseEntry(QComboBox* box, int entry)
    {
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        for (int i = 0; i < entry; ++i)
            QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(box->currentIndex(), entry);
    }
    template <typename T>
    T* find(const char* name)
    {
        return m_page->findChild<T*>(QLatin1String(name));
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath("runs.sqlite").toStdString();
        RunStore store = openStore(m_file);
        m_runs = makeComparedRuns(store);
        m_theme = std::make_unique<Theme>();
        m_settings = std::make_unique<QSettings>(m_folder->filePath("settings.ini"), QSettings::IniFormat);
        m_page = std::make_unique<ComparePage>(*m_theme, *m_settings);
        m_page->resize(1200, 800);
        m_page->show();
        QSignalSpy shown(m_page.get(), &ComparePage::shown);
        m_page->compare(m_file, m_runs);
        QVERIFY(shown.wait());
    }
    void cleanup() { m_page.reset(); }

    void everyRunHasItsCurve()
    {
        QCOMPARE(m_page->overlay()->shownSeries(), (QStringList{"train/loss", "val/accuracy", "val/loss"}));
        QTRY_VERIFY(plot("train/loss")->curveCount() == 6);
        const OverlayCurve& first = plot("train/loss")->curve(0);
        QCOMPARE(first.label, QStringLiteral("adam 1"));
        QCOMPARE(first.curve.x.size(), 400U);
        QCOMPARE(first.curve.y[9], comparedLoss(0, 10));
        QCOMPARE(first.color, m_theme->seriesColor(0));
        QTRY_VERIFY(
            find<QLabel>("overlayNonFinite")->text().contains(QLatin1Char('1'))); // the NaN of the last run
    }

    void aMarkedRunKeepsItsColour()
    {
        valueOf(valueOf(RunMarks::open(m_file)).set({{m_runs[1], {"#123456", false, false}}}));
        QSignalSpy shown(m_page.get(), &ComparePage::shown);
        m_page->compare(m_file, m_runs);
        QVERIFY(shown.wait());
        QTRY_VERIFY(plot("train/loss")->curveCount() == 6 &&
                    plot("train/loss")->curve(1).color == QColor("#123456"));
        QCOMPARE(plot("train/loss")->curve(0).color, m_theme->seriesColor(0));
    }

    void coloursFollowTheTheme()
    {
        QTRY_VERIFY(plot("train/loss")->curveCount() == 6);
        const QColor before = plot("train/loss")->curve(0).color;
        m_theme->setScheme(m_theme->isDark() ? ColorScheme::Light : ColorScheme::Dark);
        QVERIFY(m_theme->seriesColor(0) != before);
        QTRY_COMPARE(plot("train/loss")->curve(0).color, m_theme->seriesColor(0));
    }

    void axesOfTimeAndEpochs()
    {
        QTRY_VERIFY(plot("train/loss")->curveCount() == 6);
        chooseEntry(find<QComboBox>("overlayAxis"), 2);
        QTRY_COMPARE(plot("train/loss")->curve(0).curve.x.back(), 4.0);
        chooseEntry(find<QComboBox>("overlayAxis"), 1);
        QTRY_COMPARE(plot("train/loss")->curve(0).curve.x.back(), 40.0);
    }

    void differenceToTheChosenBaseline()
    {
        QTRY_VERIFY(plot("train/loss")->curveCount() == 6);
        chooseEntry(find<QComboBox>("overlayValue"), 1);
        QTRY_COMPARE(plot("train/loss")->curveCount(), 5U);
        QCOMPARE(plot("train/loss")->curve(0).curve.y[9], comparedLoss(1, 10) - comparedLoss(0, 10));
        chooseEntry(find<QComboBox>("overlayBaseline"), 2);
        QTRY_COMPARE(plot("train/loss")->curve(0).curve.y[9], comparedLoss(0, 10) - comparedLoss(2, 10));
    }

    void seedsBecomeAMeanWithItsBand()
    {
        QTRY_VERIFY(plot("train/loss")->curveCount() == 6);
        QVERIFY(!find<QComboBox>("overlayBand")->isVisible());
        auto* group = find<QComboBox>("overlayGroup");
        chooseEntry(group, group->findData(QStringLiteral("training.optimizer.kind")));
        QTRY_COMPARE(plot("train/loss")->curveCount(), 2U);
        QVERIFY(find<QComboBox>("overlayBand")->isVisible());
        const OverlayCurve& adam = plot("train/loss")->curve(0);
        QVERIFY(adam.label.contains("kind = Adam"));
        const double mean = (comparedLoss(0, 10) + comparedLoss(1, 10) + comparedLoss(2, 10)) / 3;
        QVERIFY(qAbs(adam.curve.y[9] - mean) < 1e-12);
        chooseEntry(find<QComboBox>("overlayBand"), 1);
        QTRY_COMPARE(plot("train/loss")->curve(0).high[9],
                     std::max({comparedLoss(0, 10), comparedLoss(1, 10), comparedLoss(2, 10)}));
    }

    void aSeriesIsTickedByTheKeyboard()
    {
        auto* list = find<QListWidget>("overlaySeries");
        QTest::keyClicks(find<QLineEdit>("overlaySearch"), "LR");
        QVERIFY(list->item(0)->isHidden() && !list->item(list->count() - 1)->isHidden());
        find<QLineEdit>("overlaySearch")->clear();
        QVERIFY(!list->item(0)->isHidden());
        list->setFocus();
        list->setCurrentRow(list->count() - 1);
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(m_page->overlay()->shownSeries().contains("lr"));
        QTRY_VERIFY(plot("lr") != nullptr && plot("lr")->curveCount() == 6);
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(plot("lr") == nullptr);
    }

    void theMouseZoomsAndDoubleClickShowsAll()
    {
        OverlayPlot* loss = plot("train/loss");
        QTRY_VERIFY(loss->curveCount() == 6);
        QTRY_VERIFY(loss->drawnPoints(0) > 0);
        QTRY_VERIFY(loss->viewport().x().to >= 400);
        PlotCanvas* canvas = loss->canvas();
        const QRect area = canvas->axisRect()->rect();
        QTest::mousePress(canvas, Qt::LeftButton, {},
                          QPoint(area.left() + area.width() / 4, area.center().y()));
        for (int i = 1; i <= 4; ++i) {
            const QPoint to(area.left() + area.width() / 4 + area.width() / 4 * i / 4, area.center().y());
            QMouseEvent move(QEvent::MouseMove, QPointF(to), canvas->mapToGlobal(QPointF(to)), Qt::NoButton,
                             Qt::LeftButton, {});
            QCoreApplication::sendEvent(canvas, &move);
        }
        QTest::mouseRelease(canvas, Qt::LeftButton, {},
                            QPoint(area.left() + area.width() / 2, area.center().y()));
        QTRY_VERIFY(loss->viewport().x().width() < 150);
        QTest::mouseDClick(canvas, Qt::LeftButton, {}, area.center());
        QTRY_VERIFY(loss->viewport().x().width() >= 399);
        QTest::keyClick(canvas, Qt::Key_L);
        QVERIFY(loss->isLogarithmic());
    }

    void settingsShowOnlyWhatDiffersAndIsNotLeftOut()
    {
        m_page->setTab(ComparePage::SettingsTab);
        QTableWidget* table = m_page->settingsTable()->table();
        QVERIFY(!table->findItems("training.optimizer.kind", Qt::MatchExactly).isEmpty());
        QVERIFY(!table->findItems("training.seed", Qt::MatchExactly).isEmpty());
        QVERIFY(table->findItems("training.epochs", Qt::MatchExactly).isEmpty());
        const int all = table->rowCount();
        auto* ignored = find<QLineEdit>("ignoredSettings");
        ignored->setFocus();
        QTest::keyClicks(ignored, "*.seed network.*");
        QVERIFY(table->findItems("training.seed", Qt::MatchExactly).isEmpty());
        QVERIFY(table->rowCount() < all);
        QCOMPARE(m_settings->value("compare/ignoredSettings").toString(), QStringLiteral("*.seed network.*"));
    }

    void theNetworkDifferenceIsDrawn()
    {
        m_page->setTab(ComparePage::NetworkTab);
        GraphDifferenceView* view = m_page->networkView();
        QVERIFY(view->difference().empty());
        chooseEntry(view->findChild<QComboBox*>("differenceAfter"), 5);
        QCOMPARE(view->difference().nodes.size(), 3U); // conv1 changed, conv2 and act2 added
        QCOMPARE(view->list()->count(), 3 + 4);        // three edges added, one removed
        QVERIFY(view->list()->item(0)->text().contains("out_channels: 8 → 16"));
        // The outline of an added node has its colour: look for it in the picture.
        QGraphicsScene* scene = view->canvas()->scene();
        QImage picture(scene->sceneRect().size().toSize() * 2, QImage::Format_RGB32);
        picture.fill(Qt::white);
        QPainter painter(&picture);
        scene->render(&painter);
        painter.end();
        const auto holds = [&picture](const QColor& color) {
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x) {
                    const QColor pixel = picture.pixelColor(x, y);
                    if (qAbs(pixel.red() - color.red()) + qAbs(pixel.green() - color.green()) +
                            qAbs(pixel.blue() - color.blue()) <
                        12)
                        return true;
                }
            return false;
        };
        QVERIFY(holds(m_theme->color(ColorRole::Good)));
        QVERIFY(holds(m_theme->color(ColorRole::Bad))); // the removed edge
        m_page->setTab(ComparePage::DataTab);
        chooseEntry(m_page->dataView()->findChild<QComboBox*>("differenceAfter"), 5);
        QCOMPARE(m_page->dataView()->difference().nodes.size(), 2U); // crop added, batch_size changed
    }

    void theFindingOfOneRunStandsInItsColumn()
    {
        m_page->setTab(ComparePage::FindingsTab);
        QTableWidget* table = m_page->findingsTable()->table();
        QTRY_VERIFY(table->rowCount() > 0);
        int found = 0;
        for (int row = 0; row < table->rowCount(); ++row) {
            if (table->item(row, 0)->toolTip() != QStringLiteral("loss/non-finite"))
                continue;
            ++found;
            QVERIFY(table->item(row, 6)->text().contains("200"));
            QCOMPARE(table->item(row, 1)->text(), QStringLiteral("–"));
        }
        QCOMPARE(found, 1);
    }

    void aRunChosenInTheScatterStandsOutInBoth()
    {
        m_page->setTab(ComparePage::ParametersTab);
        ParametersBoard* board = m_page->parameters();
        QVERIFY(!board->weights().empty());
        QVERIFY(board->weights()[0].weight >= board->weights().back().weight);
        QTest::qWait(50); // laid out
        const auto point = board->scatter()->pointOf(4);
        QVERIFY(point.has_value());
        QTest::mouseClick(board->scatter(), Qt::LeftButton, {}, point->toPoint());
        QVERIFY(board->parallel()->current() >= 0);
    }

    void theReportIsWritten()
    {
        QSignalSpy written(m_page.get(), &ComparePage::reportWritten);
        const QString file = m_folder->filePath("report.html");
        m_page->writeReport(file);
        QVERIFY(written.wait());
        QFile report(file);
        QVERIFY(report.open(QIODevice::ReadOnly));
        const QByteArray html = report.readAll();
        QVERIFY(html.contains("loss/non-finite"));
        QVERIFY(html.contains("sgd 3") && html.contains("training.optimizer.kind") && html.contains("<svg"));
    }

    void escapeLeavesForTheTable()
    {
        QSignalSpy back(m_page.get(), &ComparePage::backRequested);
        QTest::keyClick(m_page->findChild<QTabWidget*>("compareTabs"), Qt::Key_Escape);
        QCOMPARE(back.size(), 1);
    }
};

QTEST_MAIN(TestComparePage)
#include "tst_compare_page.moc"
