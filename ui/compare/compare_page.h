// GUI thread. Several stored runs beside each other.
#pragma once

#include "engine/store/run_store.h"

#include <QWidget>

#include <filesystem>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QSettings;
class QStackedWidget;
class QTabWidget;

namespace athanor {

class CompareReader;
class FindingsTable;
class GraphDifferenceView;
class NoticeBar;
class OverlayBoard;
class ParametersBoard;
class SettingsTable;
class Theme;

class ComparePage : public QWidget {
    Q_OBJECT
public:
    enum Tab { CurvesTab, SettingsTab, NetworkTab, DataTab, FindingsTab, ParametersTab };

    /// References outlive the page.
    ComparePage(Theme& theme, QSettings& settings, QWidget* parent = nullptr);
    void compare(const std::filesystem::path& storeFile, const std::vector<RunId>& runs);
    void setTab(Tab tab);
    /// Writes the report of what is shown; finished is told by reportWritten() or in the notice.
    void writeReport(const QString& file);

    [[nodiscard]] CompareReader* reader() const { return m_reader; }
    [[nodiscard]] OverlayBoard* overlay() const { return m_overlay; }
    [[nodiscard]] SettingsTable* settingsTable() const { return m_settingsTable; }
    [[nodiscard]] GraphDifferenceView* networkView() const { return m_network; }
    [[nodiscard]] GraphDifferenceView* dataView() const { return m_data; }
    [[nodiscard]] FindingsTable* findingsTable() const { return m_findings; }
    [[nodiscard]] ParametersBoard* parameters() const { return m_parameters; }

Q_SIGNALS:
    void backRequested();
    void shown(); ///< the runs were read and every view is filled
    void reportWritten(const QString& file);

private:
    QWidget* makeHead();
    QWidget* makeWaiting();
    void fill();
    void chooseReport();

    Theme& m_theme;
    CompareReader* m_reader;
    NoticeBar* m_notice;
    QLabel* m_title = nullptr;
    QLabel* m_names = nullptr;
    QPushButton* m_report = nullptr;
    QProgressBar* m_progress = nullptr;
    QStackedWidget* m_stack;
    QTabWidget* m_tabs;
    OverlayBoard* m_overlay;
    SettingsTable* m_settingsTable;
    GraphDifferenceView* m_network;
    GraphDifferenceView* m_data;
    FindingsTable* m_findings;
    ParametersBoard* m_parameters;
};

} // namespace athanor
