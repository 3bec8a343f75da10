// GUI thread. Class counts per part as bars, and a tensor's histogram.
#pragma once

#include "engine/data/preview_facts.h"

#include <QWidget>

namespace athanor {

class Theme;

/// One row per class, one bar per part. Meant for a scroll area.
class ClassBars : public QWidget {
    Q_OBJECT
public:
    explicit ClassBars(const Theme& theme, QWidget* parent = nullptr);
    void setClasses(const std::vector<PreviewClasses>& classes);
    [[nodiscard]] QSize sizeHint() const override;
    static constexpr std::size_t kMostRows = 1000; ///< of a field

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Row {
        QString name;
        bool heading = false;
        std::array<double, 3> share{-1, -1, -1}; ///< of the part's largest class; −1: the part is not there
        std::array<std::int64_t, 3> count{};
    };
    void addField(const PreviewClasses& classes);
    [[nodiscard]] int rowHeight() const;

    const Theme& m_theme;
    std::vector<Row> m_rows;
};

/// A histogram with its range below.
class HistogramView : public QWidget {
    Q_OBJECT
public:
    explicit HistogramView(const Theme& theme, QWidget* parent = nullptr);
    void setFacts(TensorFacts facts);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    TensorFacts m_facts;
};

} // namespace athanor
