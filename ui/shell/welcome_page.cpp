#include "ui/shell/welcome_page.h"

#include "ui/shell/flow_layout.h"
#include "ui/shell/sample_card.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kPageWidth = 940;

QLabel* makeLabel(const QString& text, const char* look)
{
    auto* label = new QLabel(text);
    label->setProperty("look", QString::fromLatin1(look));
    label->setWordWrap(true);
    return label;
}

/// "~/nets/digits" for a file in the home folder.
QString shortFolder(const QString& file)
{
    const QString folder = QFileInfo(file).absolutePath();
    const QString home = QDir::homePath();
    return folder.startsWith(home + u'/') ? u'~' + folder.mid(home.size()) : folder;
}

} // namespace

WelcomePage::WelcomePage(Theme& theme, const QString& samplesFolder, QWidget* parent)
    : QWidget(parent), m_theme(theme)
{
    auto* column = new QVBoxLayout;
    column->setSpacing(spacing::kBetween);
    column->addWidget(makeHeading(theme));
    column->addSpacing(spacing::kAround);
    column->addWidget(makeLabel(tr("Start from a sample"), "title"));
    column->addWidget(makeLabel(tr("A click opens it; the next one, on Start, trains it."), "muted"));
    column->addWidget(makeCards(theme, samplesFolder, false));
    column->addSpacing(spacing::kAround);
    column->addWidget(makeLabel(tr("Start from a template"), "title"));
    column->addWidget(
        makeLabel(tr("Well-known networks, each with data it trains on. Open one and put your own data in."), "muted"));
    column->addWidget(makeCards(theme, samplesFolder, true));
    column->addSpacing(spacing::kAround);
    column->addWidget(makeLabel(tr("Recent projects"), "title"));
    m_noRecent = makeLabel(tr("Projects that you open or save show up here."), "muted");
    column->addWidget(m_noRecent);
    m_recentLayout = new QVBoxLayout;
    m_recentLayout->setSpacing(spacing::kInside);
    column->addLayout(m_recentLayout);
    column->addStretch();

    auto* page = new QWidget;
    page->setMaximumWidth(kPageWidth);
    page->setLayout(column);
    auto* centered = new QWidget;
    auto* centering = new QHBoxLayout(centered);
    centering->setContentsMargins(2 * spacing::kAround, 2 * spacing::kAround, 2 * spacing::kAround,
                                  spacing::kAround);
    centering->addStretch(1);
    centering->addWidget(page, 1000);
    centering->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(centered);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
}

QWidget* WelcomePage::makeHeading(Theme& theme)
{
    auto* heading = new QWidget;
    auto* picture = new QLabel;
    picture->setPixmap(
        theme.icon(QStringLiteral("athanor-color")).pixmap(QSize(56, 56), devicePixelRatioF()));
    auto* texts = new QVBoxLayout;
    texts->setSpacing(spacing::kInside);
    texts->addWidget(makeLabel(QStringLiteral("Athanor"), "title"));
    texts->addWidget(makeLabel(tr("Build, train and understand neural networks."), "muted"));
    auto* fresh = new QPushButton(tr("New project"));
    fresh->setObjectName(QStringLiteral("newProject"));
    fresh->setIcon(theme.icon(QStringLiteral("add")));
    connect(fresh, &QPushButton::clicked, this, &WelcomePage::newRequested);
    auto* open = new QPushButton(tr("Open project…"));
    open->setObjectName(QStringLiteral("openProject"));
    open->setIcon(theme.icon(QStringLiteral("open")));
    connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
    auto* layout = new QHBoxLayout(heading);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::kAround);
    layout->addWidget(picture);
    layout->addLayout(texts, 1);
    layout->addWidget(fresh);
    layout->addWidget(open);
    return heading;
}

QWidget* WelcomePage::makeCards(Theme& theme, const QString& samplesFolder, bool templates)
{
    std::vector<SampleProject> samples = findSamples(samplesFolder);
    std::erase_if(samples, [templates](const SampleProject& sample) { return sample.isTemplate != templates; });
    if (samples.empty())
        return makeLabel(tr("The samples are not installed here. Open a project file instead."), "muted");
    auto* cards = new QWidget;
    auto* flow = new FlowLayout(cards, spacing::kAround);
    for (const SampleProject& sample : samples) {
        auto* card = new SampleCard(theme, sample);
        connect(card, &SampleCard::clicked, this, [this, card] { Q_EMIT sampleRequested(card->sample().file); });
        flow->addWidget(card);
    }
    return cards;
}

void WelcomePage::setRecentFiles(const QStringList& files)
{
    while (QLayoutItem* item = m_recentLayout->takeAt(0)) {
        item->widget()->deleteLater(); // may be the button that was just clicked
        delete item;
    }
    for (const QString& file : files) {
        auto* row = new QWidget;
        auto* button = new QPushButton(QFileInfo(file).completeBaseName());
        button->setObjectName(QStringLiteral("recentFile"));
        button->setProperty("look", QStringLiteral("link"));
        button->setToolTip(file);
        button->setEnabled(QFileInfo::exists(file));
        connect(button, &QPushButton::clicked, this, [this, file] { Q_EMIT fileRequested(file); });
        auto* folder =
            makeLabel(QFileInfo::exists(file) ? shortFolder(file) : tr("no longer there"), "small");
        folder->setWordWrap(false);
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(button);
        layout->addWidget(folder);
        layout->addStretch();
        m_recentLayout->addWidget(row);
    }
    m_noRecent->setVisible(files.isEmpty());
}

} // namespace athanor
