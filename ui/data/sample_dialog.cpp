#include "ui/data/sample_dialog.h"

#include "ui/theme/theme.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kLeastSide = 256; ///< small pictures are enlarged by a whole number
constexpr double kScreenShare = 0.8;

QWidget* makePicture(const QImage& image, const QString& caption)
{
    auto* column = new QWidget;
    auto* picture = new QLabel;
    const int factor = std::max(1, kLeastSide / std::max({1, image.width(), image.height()}));
    picture->setPixmap(QPixmap::fromImage(image.scaled(image.size() * factor)));
    picture->setAccessibleName(caption);
    auto* text = new QLabel(factor > 1 ? SampleDialog::tr("%1 (%2×%3, enlarged %4×)")
                                             .arg(caption)
                                             .arg(image.width())
                                             .arg(image.height())
                                             .arg(factor)
                                       : SampleDialog::tr("%1 (%2×%3)").arg(caption).arg(image.width()).arg(image.height()));
    text->setProperty("look", QStringLiteral("muted"));
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(text);
    layout->addWidget(picture);
    layout->addStretch();
    return column;
}

} // namespace

SampleDialog::SampleDialog(const Theme& theme, const FullSample& sample, QWidget* parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("sampleDialog"));
    setWindowTitle(sample.label.isEmpty() ? sample.name : QStringLiteral("%1 – %2").arg(sample.name, sample.label));
    auto* content = new QWidget;
    auto* row = new QHBoxLayout(content);
    row->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    row->setSpacing(spacing::kAround);
    if (!sample.before.isNull())
        row->addWidget(makePicture(sample.before, tr("before")));
    if (!sample.after.isNull())
        row->addWidget(makePicture(sample.after, sample.before.isNull() ? tr("picture") : tr("after")));
    if (!sample.text.isEmpty()) {
        auto* text = new QLabel(tokensHtml(theme, sample));
        text->setWordWrap(true);
        row->addWidget(text);
    }
    row->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    auto* facts = new QLabel(sample.facts);
    facts->setObjectName(QStringLiteral("sampleFacts"));
    facts->setFont(theme.font(FontRole::Mono));
    facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    facts->setWordWrap(true);
    facts->setContentsMargins(spacing::kAround, spacing::kBetween, spacing::kAround, spacing::kAround);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll, 1);
    layout->addWidget(facts);
    const QSize room = QGuiApplication::primaryScreen()->availableSize() * kScreenShare;
    resize((content->sizeHint() + QSize(2 * spacing::kAround, facts->sizeHint().height() + 2 * spacing::kAround))
               .expandedTo({2 * kLeastSide, kLeastSide})
               .boundedTo(room));
}

QString tokensHtml(const Theme& theme, const FullSample& sample)
{
    QString html;
    if (!sample.text.isEmpty())
        html += QStringLiteral("<p>%1</p>").arg(sample.text.toHtmlEscaped());
    if (sample.tokens.empty())
        return html;
    const auto colored = [](const QString& text, const QColor& color) {
        return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(color.name(), text);
    };
    html += QStringLiteral("<p>");
    for (std::size_t i = 0; i < sample.tokens.size(); ++i) {
        const QString& word = sample.tokens[i];
        const bool padding = word == u"<pad>";
        const bool unknown = word == u"<unk>";
        const ColorRole role = padding ? ColorRole::Muted : unknown ? ColorRole::Bad : ColorRole::Text;
        html += colored(word.toHtmlEscaped(), theme.color(role)) +
                colored(QStringLiteral("<sub>%1</sub> ").arg(sample.ids[i]), theme.color(ColorRole::Muted));
    }
    return html + QStringLiteral("</p>");
}

} // namespace athanor
