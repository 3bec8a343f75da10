// Contrast by the WCAG 2 formula, icons at the scales of real screens, switching of the scheme.
#include "ui/theme/theme.h"
#include "ui/theme/theme_colors.h"

#include <QApplication>
#include <QCheckBox>
#include <QDirIterator>
#include <QPainter>
#include <QPixmap>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace athanor;

namespace {

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double high = std::max(luminance(a), luminance(b));
    const double low = std::min(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

const char* schemeName(bool dark)
{
    return dark ? "dark" : "light";
}

} // namespace

class ThemeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formulaAgreesWithKnownRatios()
    {
        QCOMPARE(contrast(Qt::white, Qt::black), 21.0);
        // #767676 on white is the well-known grey that just passes 4.5:1.
        QVERIFY(std::abs(contrast(QColor(0x76, 0x76, 0x76), Qt::white) - 4.54) < 0.01);
    }

    void textHasContrast_data()
    {
        QTest::addColumn<int>("text");
        QTest::addColumn<int>("ground");
        QTest::addColumn<bool>("dark");
        for (const bool dark : {false, true}) {
            for (const auto text : {ColorRole::Text, ColorRole::Muted, ColorRole::Accent, ColorRole::Good,
                                    ColorRole::Warn, ColorRole::Bad}) {
                for (const auto ground : {ColorRole::Surface, ColorRole::Raised}) {
                    QTest::addRow("%s %d on %d", schemeName(dark), int(text), int(ground))
                        << int(text) << int(ground) << dark;
                }
            }
            QTest::addRow("%s on accent", schemeName(dark))
                << int(ColorRole::AccentText) << int(ColorRole::Accent) << dark;
            // Hovered rows and pressed buttons are filled with the grid and border colours.
            QTest::addRow("%s hovered", schemeName(dark))
                << int(ColorRole::Text) << int(ColorRole::Grid) << dark;
            QTest::addRow("%s pressed", schemeName(dark))
                << int(ColorRole::Text) << int(ColorRole::Border) << dark;
        }
    }
    void textHasContrast()
    {
        QFETCH(int, text);
        QFETCH(int, ground);
        QFETCH(bool, dark);
        const double ratio = contrast(themeColor(ColorRole(text), dark), themeColor(ColorRole(ground), dark));
        QVERIFY2(ratio >= 4.5, qPrintable(QString::number(ratio)));
    }

    void marksHaveContrast_data()
    {
        QTest::addColumn<int>("mark");
        QTest::addColumn<bool>("dark");
        for (const bool dark : {false, true}) {
            for (int mark = int(ColorRole::FamilyInput); mark < int(ColorRole::Count); ++mark)
                QTest::addRow("%s %d", schemeName(dark), mark) << mark << dark;
        }
    }
    void marksHaveContrast()
    {
        QFETCH(int, mark);
        QFETCH(bool, dark);
        for (const auto ground : {ColorRole::Surface, ColorRole::Raised}) {
            const double ratio = contrast(themeColor(ColorRole(mark), dark), themeColor(ground, dark));
            QVERIFY2(ratio >= 3.0, qPrintable(QString::number(ratio)));
        }
    }

    void seriesColorsDiffer()
    {
        const Theme theme;
        for (int a = 0; a < 8; ++a) {
            for (int b = 0; b < a; ++b)
                QVERIFY(theme.seriesColor(a) != theme.seriesColor(b));
        }
        QCOMPARE(theme.seriesColor(8), theme.seriesColor(0));
        QCOMPARE(theme.seriesColor(-1), theme.seriesColor(7));
    }

    void switchesTheApplication()
    {
        Theme theme;
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setScheme(ColorScheme::Dark);
        QVERIFY(theme.isDark());
        QCOMPARE(QApplication::palette().color(QPalette::Window), themeColor(ColorRole::Surface, true));
        theme.setScheme(ColorScheme::Light);
        QVERIFY(!theme.isDark());
        QCOMPARE(QApplication::palette().color(QPalette::Window), themeColor(ColorRole::Surface, false));
        QCOMPARE(changed.count(), 2);
        QVERIFY2(!qApp->styleSheet().contains(u'$'), "a colour name of the style sheet was not replaced");
    }

    void fontsHaveTheirSizes()
    {
        const Theme theme;
        QCOMPARE(theme.font(FontRole::Small).pixelSize(), 11);
        QCOMPARE(theme.font(FontRole::Body).pixelSize(), 13);
        QCOMPARE(theme.font(FontRole::Title).pixelSize(), 16);
        QCOMPARE(theme.font(FontRole::Mono).pixelSize(), 12);
    }

    void everyIconDraws_data()
    {
        const Theme theme; // registers the resources
        QTest::addColumn<QString>("name");
        QDirIterator files(QStringLiteral(":/icons"));
        int count = 0;
        while (files.hasNext()) {
            const QString name = QFileInfo(files.next()).completeBaseName();
            QTest::addRow("%s", qPrintable(name)) << name;
            ++count;
        }
        QVERIFY(count >= 34);
    }
    void everyIconDraws()
    {
        QFETCH(QString, name);
        QSvgRenderer renderer(QStringLiteral(":/icons/%1.svg").arg(name));
        QVERIFY(renderer.isValid());
        Theme theme;
        theme.setScheme(ColorScheme::Light);
        const QIcon icon = theme.icon(name);
        QVERIFY(!icon.isNull());
        for (const qreal ratio : {1.0, 1.5, 2.0}) {
            const QPixmap pixmap = icon.pixmap(QSize(16, 16), ratio);
            QCOMPARE(pixmap.size(), QSize(qRound(16 * ratio), qRound(16 * ratio)));
            const QImage image = pixmap.toImage();
            int inked = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x)
                    inked += image.pixelColor(x, y).alpha() > 128;
            }
            QVERIFY2(inked > 8, "the icon is (nearly) empty");
        }
    }

    void unknownIconIsNull()
    {
        const Theme theme;
        QVERIFY(theme.icon(QStringLiteral("no-such-icon")).isNull());
    }

    // An icon handed out before a change of scheme is drawn in the new colour after it.
    void iconsFollowTheScheme()
    {
        Theme theme;
        theme.setScheme(ColorScheme::Light);
        const QIcon icon = theme.icon(QStringLiteral("stop"), ColorRole::Bad);
        const auto ink = [&icon] { // the left edge of the square
            return icon.pixmap(QSize(64, 64), 1.0).toImage().pixelColor(14, 32);
        };
        QCOMPARE(ink(), themeColor(ColorRole::Bad, false));
        theme.setScheme(ColorScheme::Dark);
        QCOMPARE(ink(), themeColor(ColorRole::Bad, true));
    }

    // A box that is off must be seen, too: its frame has the contrast of a mark.
    void checkBoxesCanBeSeen_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<bool>("on");
        for (const bool dark : {false, true}) {
            for (const bool on : {false, true})
                QTest::addRow("%s %s", schemeName(dark), on ? "on" : "off") << dark << on;
        }
    }
    void checkBoxesCanBeSeen()
    {
        QFETCH(bool, dark);
        QFETCH(bool, on);
        Theme theme;
        theme.setScheme(dark ? ColorScheme::Dark : ColorScheme::Light);
        QCheckBox box;
        box.setChecked(on);
        box.resize(40, 30);
        const QImage image = box.grab().toImage();
        double best = 1;
        for (int x = 0; x < 20; ++x)
            best = std::max(best, contrast(image.pixelColor(x, 15), themeColor(ColorRole::Surface, dark)));
        QVERIFY2(best >= 3, qPrintable(QString::number(best)));
    }

    void styleOutlivesTheTheme()
    {
        {
            Theme theme;
            theme.setScheme(ColorScheme::Dark);
        }
        QCheckBox box;
        QVERIFY(!box.grab().isNull());
    }

    void disabledIconsAreDimmed()
    {
        Theme theme;
        theme.setScheme(ColorScheme::Light);
        const QImage image =
            theme.icon(QStringLiteral("stop")).pixmap(QSize(64, 64), 1.0, QIcon::Disabled).toImage();
        const int alpha = image.pixelColor(14, 32).alpha();
        QVERIFY(alpha > 50 && alpha < 128);
    }
};

QTEST_MAIN(ThemeTest)
#include "tst_theme.moc"
