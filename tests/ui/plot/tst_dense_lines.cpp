#include "ui/plot/dense_lines.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <limits>
#include <random>

using namespace athanor;

class TestDenseLines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneLineCoversItsColumns()
    {
        // From (0.5, 0.5) to (2.5, 20.5), 10 pixels a column.
        const auto spans = visibleSpans({{{0.5, 0.5}, {2.5, 20.5}}}, 0, 5);
        QCOMPARE(spans[0], (VisibleSpans{QLine(0, 0, 0, 5), QLine(1, 5, 1, 15), QLine(2, 15, 2, 20)}));
    }

    void aGapStaysOne()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const auto spans = visibleSpans({{{0.5, 1}, {1.5, 1}, {2.5, nan}, {3.5, 1}, {4.5, 1}}}, 0, 5);
        QCOMPARE(spans[0],
                 (VisibleSpans{QLine(0, 1, 0, 1), QLine(1, 1, 1, 1), QLine(3, 1, 3, 1), QLine(4, 1, 4, 1)}));
    }

    void whatIsCoveredIsNotDrawn()
    {
        const PixelLine lower{{0.5, 0}, {0.6, 100}};
        const PixelLine upper{{0.5, 40}, {0.6, 60}};
        auto spans = visibleSpans({lower, upper}, 0, 0);
        QCOMPARE(spans[1], VisibleSpans{QLine(0, 40, 0, 60)});
        QCOMPARE(spans[0], (VisibleSpans{QLine(0, 0, 0, 39), QLine(0, 61, 0, 100)}));
        spans = visibleSpans({upper, lower}, 0, 0);
        QVERIFY(spans[0].empty());
    }

    void beyondTheEdgesIsLeftOut()
    {
        const auto spans = visibleSpans({{{-1e9, 5}, {1e9, 5}}}, 10, 12);
        QCOMPARE(spans[0], (VisibleSpans{QLine(10, 5, 10, 5), QLine(11, 5, 11, 5), QLine(12, 5, 12, 5)}));
        QVERIFY(visibleSpans({{}}, 5, 4)[0].empty());
    }

    // Against the plain way: painting one after the other gives the same picture.
    void isWhatPaintingInOrderGives()
    {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> height(0, 99);
        std::vector<PixelLine> curves(12);
        for (PixelLine& curve : curves)
            for (int i = 0; i < 300; ++i)
                curve.push_back(
                    {i / 3.0, i % 41 == 0 ? std::numeric_limits<double>::quiet_NaN() : height(random)});
        const auto picture = [&](bool atOnce) {
            QImage image(100, 100, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            const auto together = visibleSpans(curves, 0, 99);
            for (std::size_t i = 0; i < curves.size(); ++i) {
                painter.setPen(QColor::fromHsv(static_cast<int>(i) * 29, 255, 200));
                const auto alone = visibleSpans({curves[i]}, 0, 99);
                for (const QLine& line : atOnce ? together[i] : alone[0])
                    painter.drawLine(line);
            }
            return image;
        };
        QVERIFY(picture(true) == picture(false));
    }
};

QTEST_MAIN(TestDenseLines)
#include "tst_dense_lines.moc"
