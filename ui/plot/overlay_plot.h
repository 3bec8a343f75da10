// GUI thread. Curves of several runs over one axis: overlays, differences, means with their bands.
#pragma once

#include "engine/compare/curve_math.h"
#include "ui/plot/cursor_readout.h"
#include "ui/plot/plot_clock.h"
#include "ui/plot/plot_export.h"
#include "ui/plot/plot_viewport.h"

#include <QColor>
#include <QFrame>
#include <QString>

#include <memory>
#include <vector>

class QLabel;
class QToolButton;

namespace athanor {

class PlotCanvas;
class PlotLegend;
class Theme;

struct OverlayCurve {
    QString key; ///< tells it from the others of the plot
    QString label;
    QColor color;
    Qt::PenStyle style = Qt::SolidLine;
    Curve curve;
    std::vector<double> low; ///< a band around it, as long as the curve; empty: none
    std::vector<double> high;
};

/// Draws when its clock asks it to, like every plot; every extreme survives every zoom. Wheel and drag zoom x (with Ctrl
/// the values), Shift+drag pans, double click or F shows everything, L switches the logarithmic axis.
class OverlayPlot : public QFrame, public RefreshTarget {
    Q_OBJECT
public:
    explicit OverlayPlot(Theme& theme, QWidget* parent = nullptr);
    ~OverlayPlot() override;

    void setTitle(const QString& title);
    [[nodiscard]] QString title() const { return m_title; }
    void setXTitle(const QString& title); ///< "step", "seconds", "epoch"
    void setCurves(std::vector<OverlayCurve> curves);
    [[nodiscard]] std::size_t curveCount() const { return m_curves.size(); }
    [[nodiscard]] const OverlayCurve& curve(std::size_t index) const;
    [[nodiscard]] bool isCurveShown(const QString& key) const;
    void setCurveShown(const QString& key, bool isShown);
    void setLogarithmic(bool isLogarithmic);
    [[nodiscard]] bool isLogarithmic() const { return m_viewport.scale() == ValueScale::Log; }
    void showAll(); ///< back from any zoom
    [[nodiscard]] const PlotViewport& viewport() const { return m_viewport; }
    /// Points that the last drawing of a curve consists of (tests and benches).
    [[nodiscard]] std::size_t drawnPoints(std::size_t index) const;
    [[nodiscard]] PlotCanvas* canvas() const { return m_canvas; }

    Status savePicture(const QString& file) const; ///< .png, .svg or .pdf
    /// "x,name,…": one line per x of any shown curve; values read back exactly.
    [[nodiscard]] QString csv() const;

    [[nodiscard]] bool wantsRefresh() const override;
    void refresh() override;
    [[nodiscard]] std::chrono::nanoseconds paintCost() const override;

Q_SIGNALS:
    void exported(const QString& file);
    void exportFailed(const athanor::Error& error);
    void logarithmicChanged(bool isLogarithmic);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    struct Drawn;
    void connectCanvas();
    QWidget* makeHeader();
    void updateLooks();
    void updateLegend();
    void changeView();
    void showReadout(double x);
    void saveAs();

    Theme& m_theme;
    QString m_title;
    PlotViewport m_viewport;
    std::vector<std::unique_ptr<Drawn>> m_curves;
    bool m_isDirty = true;
    int m_drawnColumns = 0;
    QLabel* m_titleLabel = nullptr;
    QLabel* m_nonFiniteBadge = nullptr;
    QToolButton* m_logButton = nullptr;
    QToolButton* m_allButton = nullptr;
    QToolButton* m_saveButton = nullptr;
    PlotLegend* m_legend;
    PlotCanvas* m_canvas;
    struct Marks;
    std::unique_ptr<Marks> m_marks;
};

} // namespace athanor
