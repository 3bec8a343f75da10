// GUI thread. A layout that puts its items side by side and goes on in the next row when one is full.
#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace athanor {

class FlowLayout : public QLayout {
    Q_OBJECT
public:
    FlowLayout(QWidget* parent, int gap);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override; ///< takes it over
    [[nodiscard]] int count() const override;
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override;
    [[nodiscard]] bool hasHeightForWidth() const override;
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override;
    void setGeometry(const QRect& rect) override;

private:
    enum class Purpose { Measure, Place };
    int arrange(const QRect& rect, Purpose purpose) const; ///< the height needed

    std::vector<std::unique_ptr<QLayoutItem>> m_items;
    int m_gap;
};

} // namespace athanor
