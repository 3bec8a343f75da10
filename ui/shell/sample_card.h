// GUI thread. A button with picture, title and description.
#pragma once

#include "ui/shell/sample_gallery.h"

#include <QAbstractButton>

namespace athanor {

class Theme;

class SampleCard : public QAbstractButton {
    Q_OBJECT
public:
    SampleCard(const Theme& theme, SampleProject sample, QWidget* parent = nullptr);
    [[nodiscard]] const SampleProject& sample() const { return m_sample; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void paintPicture(QPainter& painter, const QRect& area) const;

    const Theme& m_theme;
    SampleProject m_sample;
};

} // namespace athanor
