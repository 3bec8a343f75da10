// One plot, driven by real mouse and key events.
#include "plot_test_tools.h"

#include "ui/plot/plot_legend.h"
#include "ui/plot/step_cursor.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

#include <cmath>

using namespace athanor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

class TestMetricPlot : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    StepCursor m_cursor;
    std::unique_ptr<MetricPlot> m_plot;
    std::unique_ptr<HandFedRun> m_run;
    SeriesIndex m_loss = 0;

    const CurveDrawing& drawing(const char* series) { return *m_plot->drawing(series); }
    QToolButton* button(const char* name) { return m_plot->findChild<QToolButton*>(QLatin1String(name)); }
    LegendChip* chip(const char* series)
    {
        return m_plot->findChild<LegendChip*>(QStringLiteral("chip:") + QLatin1String(series));
    }
    void fillLoss(int steps)
    {
        m_run->fill(m_loss, 1, steps, [](std::int64_t step) { return 2.0 / static_cast<double>(step) + 0.1; });
        drawNow(*m_plot);
    }

private Q_SLOTS:
    void initTestCase() { m_theme.setScheme(ColorScheme::Light); }

    void init()
    {
        m_run = std::make_unique<HandFedRun>();
        m_loss = m_run->add("train/loss");
        m_plot = std::make_unique<MetricPlot>(m_theme, m_cursor);
        m_plot->setTitle(QStringLiteral("Loss"), {});
        m_plot->addCurve(m_run->source(), "train/loss");
        m_plot->resize(640, 320);
        m_plot->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_plot.get()));
        drawNow(*m_plot);
    }

    void cleanup()
    {
        m_plot.reset();
        m_cursor.setStep({});
    }

    void growsWithTheRun()
    {
        fillLoss(100);
        QCOMPARE(drawing("train/loss").raw.visiblePoints, std::size_t{100});
        const double before = m_plot->viewport().x().to;
        QVERIFY(!m_plot->wantsRefresh());
        m_run->fill(m_loss, 101, 200, [](std::int64_t) { return 0.1; });
        QVERIFY(m_plot->wantsRefresh());
        drawNow(*m_plot);
        QCOMPARE(drawing("train/loss").raw.visiblePoints, std::size_t{200});
        QVERIFY(m_plot->viewport().x().to > before);
    }

    void wheelZoomsAroundThePointerAndFollowComesBack()
    {
        fillLoss(1000);
        const AxisRange whole = m_plot->viewport().x();
        turnWheel(*m_plot->canvas(), positionOf(*m_plot, 300, 1), 5);
        const AxisRange zoomed = m_plot->viewport().x();
        QVERIFY(zoomed.width() < whole.width() * 0.4);
        QVERIFY(zoomed.from < 300 && zoomed.to > 300);
        QCOMPARE(m_plot->viewport().mode(), RangeMode::Zoomed);
        QVERIFY(!button("followButton")->isChecked());
        // Growth does not move a zoomed plot.
        m_run->fill(m_loss, 1001, 1100, [](std::int64_t) { return 0.1; });
        drawNow(*m_plot);
        QCOMPARE(m_plot->viewport().x(), zoomed);

        QTest::mouseDClick(m_plot->canvas(), Qt::LeftButton, {}, m_plot->canvas()->rect().center());
        drawNow(*m_plot);
        QCOMPARE(m_plot->viewport().mode(), RangeMode::Follow);
        QVERIFY(m_plot->viewport().x().to >= 1100);
    }

    void ctrlWheelZoomsValues()
    {
        fillLoss(100);
        const AxisRange x = m_plot->viewport().x();
        const double height = m_plot->viewport().y().width();
        turnWheel(*m_plot->canvas(), m_plot->canvas()->rect().center(), 3, Qt::ControlModifier);
        QCOMPARE(m_plot->viewport().x(), x);
        QVERIFY(m_plot->viewport().y().width() < height * 0.6);
    }

    void dragSelectsSteps()
    {
        fillLoss(1000);
        drag(*m_plot->canvas(), positionOf(*m_plot, 200, 1), positionOf(*m_plot, 400, 1));
        QVERIFY(std::abs(m_plot->viewport().x().from - 200) < 5);
        QVERIFY(std::abs(m_plot->viewport().x().to - 400) < 5);
        drawNow(*m_plot);
        QVERIFY(drawing("train/loss").raw.visiblePoints < 215);
        // Ctrl: values.
        const AxisRange x = m_plot->viewport().x();
        drag(*m_plot->canvas(), positionOf(*m_plot, 300, 0.103), positionOf(*m_plot, 300, 0.108), Qt::ControlModifier);
        QCOMPARE(m_plot->viewport().x(), x);
        QVERIFY(m_plot->viewport().y().width() < 0.007);
        // Shift: moves.
        drag(*m_plot->canvas(), QPoint(300, 150), QPoint(200, 150), Qt::ShiftModifier);
        QVERIFY(m_plot->viewport().x().from > x.from);
        QVERIFY(std::abs(m_plot->viewport().x().width() - x.width()) < 1e-6);
    }

    void keysDoEverything()
    {
        fillLoss(1000);
        m_plot->canvas()->setFocus();
        QTRY_VERIFY(m_plot->canvas()->hasFocus());
        const double whole = m_plot->viewport().x().width();
        QTest::keyClick(m_plot->canvas(), Qt::Key_Plus);
        QTest::keyClick(m_plot->canvas(), Qt::Key_Plus);
        const AxisRange zoomed = m_plot->viewport().x();
        QVERIFY(zoomed.width() < whole * 0.6);
        QTest::keyClick(m_plot->canvas(), Qt::Key_Right);
        QVERIFY(m_plot->viewport().x().from > zoomed.from);
        QTest::keyClick(m_plot->canvas(), Qt::Key_Minus);
        QVERIFY(m_plot->viewport().x().width() > zoomed.width());
        QTest::keyClick(m_plot->canvas(), Qt::Key_F);
        QCOMPARE(m_plot->viewport().mode(), RangeMode::Follow);
        QTest::keyClick(m_plot->canvas(), Qt::Key_L);
        QVERIFY(m_plot->isLogarithmic());
        QTest::keyClick(m_plot->canvas(), Qt::Key_S);
        QVERIFY(m_plot->smoothingSpan() > 0);
        QTest::keyClick(m_plot->canvas(), Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(m_cursor.step().has_value());
        QTest::keyClick(m_plot->canvas(), Qt::Key_Escape);
        QVERIFY(!m_cursor.step().has_value());
    }

    void aFixedRangeStays()
    {
        fillLoss(100);
        m_plot->setFixed(true);
        const AxisRange x = m_plot->viewport().x();
        turnWheel(*m_plot->canvas(), m_plot->canvas()->rect().center(), 3);
        fillLoss(1);
        QCOMPARE(m_plot->viewport().x(), x);
        QTest::mouseClick(button("followButton"), Qt::LeftButton);
        QCOMPARE(m_plot->viewport().mode(), RangeMode::Follow);
    }

    void nonFiniteValuesAreMarkedAndCounted()
    {
        m_run->fill(m_loss, 1, 100, [](std::int64_t step) { return step == 40 || step == 50 ? kNaN : 1.0 + 0.01 * static_cast<double>(step); });
        m_run->append(m_loss, 101, kInfinity);
        drawNow(*m_plot);
        QCOMPARE(m_plot->nonFiniteCount(), std::int64_t{3});
        QCOMPARE(drawing("train/loss").raw.nonFinite, (std::vector<double>{40, 50, 101}));
        auto* badge = m_plot->findChild<QLabel*>(QStringLiteral("nonFiniteBadge"));
        QVERIFY(badge->isVisible());
        QVERIFY(badge->text().contains(QLatin1Char('3')));
        // Infinity does not kill the range.
        QVERIFY(m_plot->viewport().y().to < 2.2);
        QVERIFY(m_plot->viewport().y().from > 0.8);
        QCOMPARE(m_plot->canvas()->yAxis->range().upper, m_plot->viewport().y().to);
        // The marks are on the picture, in the colour of bad things, at the top edge.
        const QImage picture = m_plot->canvas()->grab().toImage();
        const QColor bad = m_theme.color(ColorRole::Bad);
        const QPoint mark(positionOf(*m_plot, 40, 1).x(), m_plot->canvas()->axisRect()->top() + 5);
        QCOMPARE(picture.pixelColor(mark).rgb(), bad.rgb());
    }

    void onlyNonFiniteValuesStillShowMarks()
    {
        m_run->fill(m_loss, 1, 10, [](std::int64_t) { return kNaN; });
        drawNow(*m_plot);
        QCOMPARE(m_plot->nonFiniteCount(), std::int64_t{10});
        QCOMPARE(drawing("train/loss").raw.nonFinite.size(), std::size_t{10});
        QVERIFY(m_plot->viewport().y().width() > 0);
    }

    void isolatedPointsAreVisible()
    {
        m_run->fill(m_loss, 1, 400, [](std::int64_t step) { return step % 2 == 0 ? kNaN : 1.0; });
        drawNow(*m_plot);
        QCOMPARE(drawing("train/loss").raw.isolated.size(), std::size_t{200});
        const QImage picture = m_plot->canvas()->grab().toImage();
        const QPoint at = positionOf(*m_plot, 201, 1);
        QVERIFY(picture.pixelColor(at).rgb() != m_theme.color(ColorRole::Raised).rgb());
    }

    void logAxisMarksAndCountsWhatItCannotShow()
    {
        m_run->fill(m_loss, 1, 100, [](std::int64_t step) { return std::pow(10, -static_cast<double>(step) / 20); });
        m_run->append(m_loss, 101, 0);
        m_run->append(m_loss, 102, -1);
        QTest::mouseClick(button("logButton"), Qt::LeftButton);
        drawNow(*m_plot);
        QVERIFY(m_plot->isLogarithmic());
        QCOMPARE(m_plot->nonPositiveCount(), std::int64_t{2});
        QVERIFY(m_plot->findChild<QLabel*>(QStringLiteral("nonPositiveBadge"))->isVisible());
        QVERIFY(m_plot->viewport().y().from > 0);
        QVERIFY(m_plot->viewport().y().from < 1.1e-5);
        // True decades: equal distances for equal factors, all the way down.
        const auto pixel = [&](double value) { return m_plot->canvas()->yAxis->coordToPixel(value); };
        const double decade = pixel(1e-1) - pixel(1);
        QVERIFY(decade > 20);
        for (int exponent = -2; exponent >= -5; --exponent)
            QVERIFY(std::abs(pixel(std::pow(10, exponent)) - pixel(std::pow(10, exponent + 1)) - decade) < 1e-6);
        QTest::mouseClick(button("logButton"), Qt::LeftButton);
        QCOMPARE(m_plot->nonPositiveCount(), std::int64_t{0});
    }

    void smoothingIsDrawnOverTheRawBand()
    {
        m_run->fill(m_loss, 1, 500, [](std::int64_t step) { return step % 2 == 0 ? 1.0 : 3.0; });
        QTest::mouseClick(button("smoothButton"), Qt::LeftButton);
        drawNow(*m_plot);
        QVERIFY(m_plot->smoothingSpan() >= 5);
        const CurveDrawing& drawn = drawing("train/loss");
        QCOMPARE(drawn.raw.maximum, 3.0);
        QCOMPARE(drawn.raw.minimum, 1.0);
        QVERIFY(std::abs(drawn.smoothed.line.back().y - 2) < 0.2);
        QTest::mouseClick(button("smoothButton"), Qt::LeftButton);
        drawNow(*m_plot);
        QVERIFY(drawing("train/loss").smoothed.line.empty());
    }

    void legendHidesAndIsolates()
    {
        const SeriesIndex val = m_run->add("val/loss");
        m_plot->addCurve(m_run->source(), "val/loss");
        m_run->fill(val, 1, 100, [](std::int64_t) { return 50.0; });
        fillLoss(100);
        QVERIFY(m_plot->viewport().y().to > 50);
        QTest::mouseClick(chip("val/loss"), Qt::LeftButton);
        drawNow(*m_plot);
        QVERIFY(!m_plot->isCurveShown(QStringLiteral("val/loss")));
        QVERIFY(m_plot->viewport().y().to < 3); // hidden curves do not count for the range
        QVERIFY(drawing("val/loss").raw.line.empty());
        QTest::mouseClick(chip("val/loss"), Qt::LeftButton);
        QVERIFY(m_plot->isCurveShown(QStringLiteral("val/loss")));

        // Clicks closer together than the interval would count as part of a double click.
        QTest::qWait(QApplication::doubleClickInterval() + 100);
        QTest::mouseDClick(chip("val/loss"), Qt::LeftButton); // begins with a click, as a real one does
        QVERIFY(m_plot->isCurveShown(QStringLiteral("val/loss")));
        QVERIFY(!m_plot->isCurveShown(QStringLiteral("train/loss")));
        chip("val/loss")->setFocus();
        QTest::keyClick(chip("val/loss"), Qt::Key_Return); // again: all come back
        QCOMPARE(m_plot->hiddenSeries(), QStringList());

        chip("train/loss")->setFocus();
        QTest::keyClick(chip("train/loss"), Qt::Key_Space);
        QVERIFY(!m_plot->isCurveShown(QStringLiteral("train/loss")));
        QTest::keyClick(chip("train/loss"), Qt::Key_Return);
        QCOMPARE(m_plot->hiddenSeries(), QStringList{QStringLiteral("val/loss")});
    }

    void labelsTellCurvesApart()
    {
        m_run->add("val/loss");
        m_plot->addCurve(m_run->source(), "val/loss");
        drawNow(*m_plot);
        const auto entries = m_plot->findChild<PlotLegend*>()->entries();
        QCOMPARE(entries[0].label, QStringLiteral("train"));
        QCOMPARE(entries[1].label, QStringLiteral("val"));
        QCOMPARE(entries[0].style, Qt::SolidLine);
        QCOMPARE(entries[1].style, Qt::DashLine);
        QVERIFY(entries[0].color != entries[1].color);
    }

    void cursorReadsAllCurvesInAllPlots()
    {
        const SeriesIndex val = m_run->add("val/loss");
        m_plot->addCurve(m_run->source(), "val/loss");
        m_run->append(val, 50, 7);
        m_run->fill(m_loss, 1, 100, [](std::int64_t step) { return static_cast<double>(step); });
        drawNow(*m_plot);
        MetricPlot other(m_theme, m_cursor);
        other.addCurve(m_run->source(), "train/loss");
        other.show();
        drawNow(other);

        const QPoint at = positionOf(*m_plot, 30, 50);
        movePointer(*m_plot->canvas(), at);
        QTRY_VERIFY(m_cursor.step().has_value());
        QVERIFY(std::abs(*m_cursor.step() - 30) <= 1);
        QVERIFY(m_plot->canvas()->readout().has_value());
        QVERIFY(other.canvas()->readout().has_value());
        const CursorReadout readout = *m_plot->canvas()->readout();
        QCOMPARE(readout.rows.size(), std::size_t{2});
        QCOMPARE(readout.rows[0].point->y, static_cast<double>(*m_cursor.step()));
        QVERIFY(readout.rows[1].value.contains(QStringLiteral("50"))); // its nearest point, and where that is
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(m_plot->canvas(), &leave);
        QVERIFY(!other.canvas()->readout().has_value());
    }

    void marksAreReadAndClicked()
    {
        fillLoss(100);
        m_plot->setMarks({{50, PlotMark::Kind::Edit, QStringLiteral("learning rate 0.01"), {}},
                          {80, PlotMark::Kind::Warning, QStringLiteral("diverges"), QStringLiteral("network/conv1")}});
        drawNow(*m_plot);
        m_cursor.setStep(50);
        QVERIFY(m_plot->canvas()->readout()->lines().contains(QStringLiteral("learning rate 0.01")));
        QSignalSpy activated(m_plot.get(), &MetricPlot::markActivated);
        const QPoint at(positionOf(*m_plot, 80, 1).x(), m_plot->canvas()->axisRect()->top() + 16);
        QTest::mouseClick(m_plot->canvas(), Qt::LeftButton, {}, at);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].toString(), QStringLiteral("network/conv1"));
    }

    void clickOnACurveActivatesItsSeries()
    {
        m_run->fill(m_loss, 1, 100, [](std::int64_t step) { return step < 50 ? 1.0 : 2.0; });
        drawNow(*m_plot);
        QSignalSpy activated(m_plot.get(), &MetricPlot::seriesActivated);
        QTest::mouseClick(m_plot->canvas(), Qt::LeftButton, {}, positionOf(*m_plot, 20, 1.5));
        QCOMPARE(activated.size(), 0);
        QTest::mouseClick(m_plot->canvas(), Qt::LeftButton, {}, positionOf(*m_plot, 20, 1.0));
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].toString(), QStringLiteral("train/loss"));
    }

    void aHiddenPlotWantsNothing()
    {
        fillLoss(100);
        m_plot->hide();
        const int before = m_plot->canvas()->replotCount();
        m_run->fill(m_loss, 101, 200, [](std::int64_t) { return 1.0; });
        QVERIFY(!m_plot->wantsRefresh());
        QTest::qWait(50);
        QCOMPARE(m_plot->canvas()->replotCount(), before);
        m_plot->show();
        QTRY_VERIFY(m_plot->wantsRefresh());
    }

    void aSpikeIsOnThePicture()
    {
        m_run->fill(m_loss, 1, 300'000, [](std::int64_t step) { return step == 123'457 ? 1000.0 : 1.0; });
        drawNow(*m_plot);
        const QImage picture = m_plot->canvas()->grab().toImage();
        const QColor ground = m_theme.color(ColorRole::Raised);
        const QColor curve = m_theme.seriesColor(0);
        const int x = positionOf(*m_plot, 123'457, 500).x();
        const int y = positionOf(*m_plot, 123'457, 500).y();
        bool seen = false;
        for (int i = x - 1; i <= x + 1; ++i)
            seen = seen || picture.pixelColor(i, y).rgb() == curve.rgb();
        QVERIFY(seen);
        QVERIFY(picture.pixelColor(x + 20, y - 3).rgb() == ground.rgb() ||
                picture.pixelColor(x + 20, y - 3).rgb() == m_theme.color(ColorRole::Grid).rgb());
    }

    void exportsExactValuesAndPictures()
    {
        m_run->fill(m_loss, 1, 5, [](std::int64_t step) { return step == 3 ? kNaN : 0.1 * static_cast<double>(step); });
        drawNow(*m_plot);
        QMenu menu;
        m_plot->fillContextMenu(menu);
        const auto actions = menu.actions();
        const auto copy = std::find_if(actions.begin(), actions.end(),
                                       [](const QAction* action) { return action->text().contains(QStringLiteral("&values (CSV)")); });
        QVERIFY(copy != actions.end());
        (*copy)->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("step,train/loss\n1,0.1\n2,0.2\n3,nan\n4,0.4\n5,0.5\n"));

        QTemporaryDir folder;
        for (const char* name : {"plot.png", "plot.svg", "plot.pdf"}) {
            const QString file = folder.filePath(QLatin1String(name));
            QVERIFY(m_plot->savePicture(file).ok());
            QVERIFY2(QFileInfo(file).size() > 1000, name);
        }
        const QImage picture(folder.filePath(QStringLiteral("plot.png")));
        QCOMPARE(picture.size(), m_plot->size() * 2);
        const Status failed = m_plot->savePicture(folder.filePath(QStringLiteral("none/plot.png")));
        QVERIFY(!failed.ok());
        QVERIFY(!failed.error().message.empty());
        QVERIFY(!failed.error().hint.empty());
    }

    void saysWhyItIsEmpty()
    {
        QVERIFY(!m_plot->drawing("nothing"));
        QCOMPARE(m_plot->accessibleName(), QStringLiteral("Plot: Loss"));
        fillLoss(3);
        drawNow(*m_plot);
        QVERIFY(drawing("train/loss").raw.visiblePoints == 3);
    }
};

QTEST_MAIN(TestMetricPlot)
#include "tst_metric_plot.moc"
