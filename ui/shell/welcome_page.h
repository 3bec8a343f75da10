// GUI thread. The Welcome mode: samples as cards, recent projects, open.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace athanor {

class Theme;

class WelcomePage : public QWidget {
    Q_OBJECT
public:
    WelcomePage(Theme& theme, const QString& samplesFolder, QWidget* parent = nullptr);
    void setRecentFiles(const QStringList& files);

Q_SIGNALS:
    void sampleRequested(const QString& file);
    void fileRequested(const QString& file);
    void newRequested();
    void openRequested();

private:
    QWidget* makeHeading(Theme& theme);
    QWidget* makeCards(Theme& theme, const QString& samplesFolder, bool templates);

    Theme& m_theme;
    QVBoxLayout* m_recentLayout = nullptr;
    QLabel* m_noRecent = nullptr;
};

} // namespace athanor
