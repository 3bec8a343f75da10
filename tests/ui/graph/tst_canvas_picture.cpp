// Pictures of the canvas, loaded back.
#include "tests/ui/graph/canvas_fixture.h"

#include "ui/graph/canvas_picture.h"

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>

#include <cmath>

using namespace athanor;
using namespace athanor::test;

class CanvasPictureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_project = std::make_unique<OpenProject>();
        m_project->open();
        m_folder = std::make_unique<QTemporaryDir>();
    }
    void cleanup()
    {
        m_project.reset();
        m_folder.reset();
    }

    void svgLooksLikeThePixels()
    {
        const CanvasPicture picture = lightPicture();
        const QString file = m_folder->filePath(QStringLiteral("net.svg"));
        QVERIFY(picture.save(file).ok());
        const QByteArray text = bytes(file);
        QVERIFY(!text.contains("<text")); // outlines: no font is needed where it is opened
        QVERIFY(text.contains("<path"));
        QSvgRenderer renderer(file);
        QVERIFY(renderer.isValid());
        QCOMPARE(renderer.viewBoxF().size(), picture.area().size());
        QImage drawn(picture.area().size().toSize(), QImage::Format_ARGB32_Premultiplied);
        drawn.fill(Qt::white);
        QPainter painter(&drawn);
        painter.setRenderHint(QPainter::Antialiasing);
        renderer.render(&painter);
        painter.end();
        const double difference = meanDifference(drawn, picture.image(1));
        QVERIFY2(difference < 4, QByteArray::number(difference)); // of 255: edges are smoothed differently
    }

    void textsAreInTheSvg()
    {
        // The same graph with longer names must draw more outlines, or no text would be drawn at all.
        const QString before = m_folder->filePath(QStringLiteral("a.svg")), after = m_folder->filePath(QStringLiteral("b.svg"));
        QVERIFY(lightPicture().save(before).ok());
        const GraphEdit rename{edit::Rename{"fc1", "a_much_longer_name"}};
        QVERIFY(m_project->document.push(GraphPart::Network, rename, QStringLiteral("x")).ok());
        QVERIFY(lightPicture().save(after).ok());
        QVERIFY(QFileInfo(after).size() > QFileInfo(before).size());
    }

    void pngHasTwoPixelsForOne()
    {
        const CanvasPicture picture = lightPicture();
        const QString file = m_folder->filePath(QStringLiteral("net.PNG"));
        QVERIFY(picture.save(file).ok());
        const QImage image(file);
        QCOMPARE(image.size(), (picture.area().size() * 2).toSize());
        QVERIFY(image.pixelColor(2, 2).lightness() > 200);
    }

    void pdfIsOnePageAsLargeAsTheGraph()
    {
        const CanvasPicture picture = lightPicture();
        const QString file = m_folder->filePath(QStringLiteral("net.pdf"));
        QVERIFY(picture.save(file).ok());
        const QByteArray pdf = bytes(file);
        QVERIFY(pdf.startsWith("%PDF-1."));
        QVERIFY(pdf.trimmed().endsWith("%%EOF"));
        QCOMPARE(pdf.count("/Type /Page\n"), 1);
        const auto box = pdf.indexOf("/MediaBox [0 0 ");
        QVERIFY(box > 0);
        const QList<QByteArray> size = pdf.mid(box + 15, 40).split(']').front().split(' ');
        QVERIFY(std::abs(size[0].toDouble() - picture.area().width() * 0.75) < 1);
        QVERIFY(std::abs(size[1].toDouble() - picture.area().height() * 0.75) < 1);
        QVERIFY(pdf.contains("/FontFile2") || pdf.contains("/FontFile3")); // embedded
    }

    void lightByDefaultWhateverTheWindowIs()
    {
        m_project->theme.setScheme(ColorScheme::Dark);
        QVERIFY(lightPicture().image(1).pixelColor(2, 2).lightness() > 200);
        const CanvasPicture dark(m_project->document, GraphPart::Network, PictureColors::Dark);
        QVERIFY(dark.image(1).pixelColor(2, 2).lightness() < 80);
        QVERIFY(m_project->theme.isDark());
        QVERIFY(QGuiApplication::palette().color(QPalette::Window).lightness() < 80); // the window is as it was
    }

    void onlyTheGraphIsInIt()
    {
        const Graph& graph = m_project->document.graph(GraphPart::Network);
        double right = 0, left = 0;
        for (const auto& [id, place] : graph.positions()) {
            right = std::max(right, place.x);
            left = std::min(left, place.x);
        }
        const double width = lightPicture().area().width();
        QVERIFY2(width > right - left && width < right - left + 700, QByteArray::number(width));
        const CanvasPicture data(m_project->document, GraphPart::Data, PictureColors::Light);
        QVERIFY(data.area().width() < width);
    }

    void errorsSayWhatToDo()
    {
        const CanvasPicture picture = lightPicture();
        QVERIFY(!picture.save(m_folder->filePath(QStringLiteral("net.bmp"))).ok());
        const Status nowhere = picture.save(m_folder->filePath(QStringLiteral("no/such/folder/net.svg")));
        QVERIFY(!nowhere.ok() && !nowhere.error().hint.empty());
        ProjectDocument empty;
        const CanvasPicture nothing(empty, GraphPart::Network, PictureColors::Light);
        QVERIFY(nothing.isEmpty() && nothing.image(1).isNull());
        QVERIFY(!nothing.save(m_folder->filePath(QStringLiteral("net.svg"))).ok());
    }

private:
    [[nodiscard]] CanvasPicture lightPicture() const
    {
        return CanvasPicture(m_project->document, GraphPart::Network, PictureColors::Light);
    }
    static QByteArray bytes(const QString& name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static double meanDifference(const QImage& a, const QImage& b)
    {
        double sum = 0;
        for (int y = 0; y < a.height(); ++y)
            for (int x = 0; x < a.width(); ++x)
                sum += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y)));
        return sum / a.width() / a.height();
    }

    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(CanvasPictureTest)
#include "tst_canvas_picture.moc"
