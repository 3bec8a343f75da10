// GUI thread. The curves of the compared runs, one plot per series.
#pragma once

#include "engine/compare/overlay.h"

#include <QStringList>
#include <QWidget>

#include <map>
#include <memory>
#include <vector>

class QComboBox;
class QListWidget;
class QSettings;
class QSplitter;
class QStackedWidget;
class QVBoxLayout;

namespace athanor {

class CompareReader;
class NoticeBar;
class OverlayPlot;
class PlotClock;
class Theme;

/// Which series are shown, over what (steps, time, epochs), as what (values, difference, best so far) and by which groups;
/// what is chosen is remembered.
class OverlayBoard : public QWidget {
    Q_OBJECT
public:
    /// References outlive the board.
    OverlayBoard(Theme& theme, CompareReader& reader, QSettings& settings, QWidget* parent = nullptr);
    ~OverlayBoard() override;

    void show(const Comparison& comparison);
    [[nodiscard]] std::vector<OverlayPlot*> plots() const; ///< in the order of the series
    [[nodiscard]] QStringList shownSeries() const;
    void setSeriesShown(const QString& series, bool isShown);
    [[nodiscard]] CurveAxis axis() const;
    void groupBy(const QString& key); ///< "" for none, kGroupBySeeds, kGroupByTag, or a setting's path

Q_SIGNALS:
    void failed(const athanor::Error& error);
    void said(const QString& text); ///< something worked
    void drawn(const QString& series);

private:
    QWidget* makeControls();
    QComboBox* makeBox(const char* name, const QString& accessible,
                       const std::vector<std::pair<QString, QString>>& entries);
    void fillGroups(const Comparison& comparison);
    void fillBaselines();
    void followSeries();
    void refreshAll();
    void refresh(const QString& series);
    void takeLines(const QString& series, const Result<std::vector<OverlayLine>>& lines);
    [[nodiscard]] QColor groupColor(std::size_t group) const;
    [[nodiscard]] OverlaySettings settingsFor(const std::string& series) const;

    struct Shown {
        OverlayPlot* plot = nullptr;
        int slot = 0;
    };

    Theme& m_theme;
    CompareReader& m_reader;
    QSettings& m_settings;
    PlotClock* m_clock;
    QComboBox* m_axis = nullptr;
    QComboBox* m_value = nullptr;
    QComboBox* m_baseline = nullptr;
    QComboBox* m_group = nullptr;
    QComboBox* m_band = nullptr;
    QListWidget* m_list;
    QStackedWidget* m_stack;
    QVBoxLayout* m_column;
    QSplitter* m_splitter;
    std::vector<RunGroup> m_groups;
    std::map<QString, Shown> m_shown;
    int m_lastSlot = 0;
    bool m_filling = false;
};

} // namespace athanor
