// GUI thread. One plot: curves of one or several runs over the steps.
#pragma once

#include "ui/plot/curve_data.h"
#include "ui/plot/plot_clock.h"
#include "ui/plot/plot_export.h"
#include "ui/plot/plot_viewport.h"
#include "ui/plot/series_source.h"

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QFrame>
#include <QStringList>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QLabel;
class QMenu;
class QToolButton;

namespace athanor {

class PlotCanvas;
class PlotLegend;
class StepCursor;
class Theme;
struct CursorReadout;
struct PlotCurve;

/// Something that happened at a step, drawn on the top edge.
struct PlotMark {
    enum class Kind { Edit, Warning, Error };
    std::int64_t step = 0;
    Kind kind = Kind::Edit;
    QString text;
    QString where; ///< place to go to when it is clicked; may be empty
    bool operator==(const PlotMark&) const = default;
};

/// Draws only when its clock asks it to (RefreshTarget): nothing is computed while it is not on screen.
/// Wheel and drag zoom the steps (with Ctrl the values), Shift+drag pans, double click or F follows again,
/// L switches the logarithmic axis, S the smoothing.
class MetricPlot : public QFrame, public RefreshTarget {
    Q_OBJECT
public:
    MetricPlot(Theme& theme, StepCursor& cursor, QWidget* parent = nullptr);
    ~MetricPlot() override;

    void setTitle(const QString& title, const QString& unit);
    [[nodiscard]] QString title() const { return m_title; }
    /// A remark beside the title, such as "8 of 24 series".
    void setRemark(const QString& remark, const QString& toolTip);
    void addCurve(std::shared_ptr<SeriesSource> source, const std::string& series);
    bool removeCurve(const std::string& series); ///< from every run; false when there was none
    void clearCurves();
    [[nodiscard]] QStringList series() const; ///< full names, in order

    // --- what is shown ---
    [[nodiscard]] const PlotViewport& viewport() const { return m_viewport; }
    void follow();
    void setFixed(bool isFixed);
    void showSteps(double from, double to);
    [[nodiscard]] bool isLogarithmic() const { return m_viewport.scale() == ValueScale::Log; }
    void setLogarithmic(bool isLogarithmic);
    [[nodiscard]] int smoothingSpan() const { return m_smoothingSpan; } ///< steps; 0 = off
    void setSmoothingSpan(int steps);
    void toggleSmoothing(); ///< off, or the last span, at first one that suits the run's length
    [[nodiscard]] bool isCurveShown(const QString& series) const;
    void setCurveShown(const QString& series, bool isShown);
    void isolateCurve(const QString& series); ///< alone; when it is alone already, all
    [[nodiscard]] QStringList hiddenSeries() const;
    void setMarks(const std::vector<PlotMark>& marks);
    [[nodiscard]] const std::vector<PlotMark>& marks() const { return m_marks; }
    /// Series that stand out; the others step back. None: all alike.
    void setHighlighted(const std::set<std::string>& series);
    [[nodiscard]] const std::set<std::string>& highlighted() const { return m_highlighted; }

    // --- export ---
    void copyPicture() const;
    Status savePicture(const QString& file) const; ///< .png, .svg or .pdf
    /// The exact points of the shown curves in the visible range, with those that are only in the store.
    void collectValues(std::function<void(Result<std::vector<NamedPoints>>)> done);

    // --- RefreshTarget ---
    [[nodiscard]] bool wantsRefresh() const override;
    void refresh() override;
    [[nodiscard]] std::chrono::nanoseconds paintCost() const override;

    [[nodiscard]] PlotCanvas* canvas() const { return m_canvas; }
    /// What is drawn of a series; nullptr when it is not here.
    [[nodiscard]] const CurveDrawing* drawing(const std::string& series) const;
    [[nodiscard]] std::int64_t nonFiniteCount() const; ///< of all shown curves
    [[nodiscard]] std::int64_t nonPositiveCount() const; ///< that the logarithmic axis cannot show
    void fillContextMenu(QMenu& menu);

Q_SIGNALS:
    void closeRequested();
    void optionsChanged(); ///< something that a layout keeps
    void moveRequested(int places); ///< −1 one place earlier, +1 one later
    void headerDragged(const QPoint& globalPosition);
    void headerDropped(const QPoint& globalPosition);
    void seriesActivated(const QString& series); ///< a curve was clicked
    void markActivated(const QString& where);
    void exportFailed(const athanor::Error& error);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;
    void timerEvent(QTimerEvent* event) override;

private:
    // metric_plot.cpp
    QWidget* makeHeader();
    QToolButton* makeButton(const char* objectName, const QString& icon, const QString& text, bool isCheckable);
    void connectCanvas();
    void updateButtons();
    void changeView(); ///< something that shows changed: draw at the next tick
    PlotCurve* curve(const QString& series) const;
    void updateLooks();
    // metric_plot_refresh.cpp
    void updateViews();
    void drawCurves();
    void placePoints(PlotCurve& curve) const;
    void drawMarks();
    void updateBadges();
    void updateLegend();
    [[nodiscard]] bool isLegendDue() const;
    void askForHistory();
    void takeHistory(const RangeQuery& query, const SeriesSource* source, Result<std::vector<HistoryWindow>> answer);
    // metric_plot_export.cpp
    void paintPicture(QPaintDevice& device, const QSize& size) const;
    // metric_plot_input.cpp
    void moveCursor(int direction);
    void updateReadout();
    [[nodiscard]] QStringList marksAt(double step) const;
    void handleClick(const QPointF& position);
    void addSmoothingMenu(QMenu& menu);
    void addExportActions(QMenu& menu);
    void savePictureAs();
    void saveValuesAs();
    void copyValues();
    void reportExport(const Status& status);
    [[nodiscard]] int suitableSpan() const;

    Theme& m_theme;
    StepCursor& m_cursor;
    QString m_title;
    QString m_unit;
    PlotViewport m_viewport;
    std::vector<std::unique_ptr<PlotCurve>> m_curves;
    std::vector<PlotMark> m_marks;
    std::set<std::string> m_highlighted;
    int m_smoothingSpan = 0;
    int m_lastSpan = 0;
    bool m_isDirty = true;
    bool m_isLegendStale = true; ///< its values are older than the curves
    QElapsedTimer m_sinceLegend;
    int m_drawnColumns = 0;
    std::optional<AxisRange> m_askedRange; ///< of the newest question to the store
    std::set<int> m_askedSlots;            ///< questions without an answer
    QBasicTimer m_askAgain;
    QString m_historyError;

    QLabel* m_titleLabel = nullptr;
    QLabel* m_remark = nullptr;
    QLabel* m_nonFiniteBadge = nullptr;
    QLabel* m_nonPositiveBadge = nullptr;
    QLabel* m_historyBadge = nullptr;
    QToolButton* m_smoothButton = nullptr;
    QToolButton* m_logButton = nullptr;
    QToolButton* m_followButton = nullptr;
    QToolButton* m_menuButton = nullptr;
    QToolButton* m_closeButton = nullptr;
    PlotLegend* m_legend = nullptr;
    PlotCanvas* m_canvas = nullptr;
    std::optional<QPoint> m_headerPressed;
    bool m_headerMoved = false;
    struct MarkGraphs;
    std::unique_ptr<MarkGraphs> m_markGraphs;
};

} // namespace athanor
