// GUI thread. The step that the pointer is on, shared by all plots and layer views.
#pragma once

#include <QObject>

#include <cstdint>
#include <optional>

namespace athanor {

class StepCursor : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] std::optional<std::int64_t> step() const { return m_step; } ///< nullopt: nowhere
    void setStep(std::optional<std::int64_t> step)
    {
        if (step == m_step)
            return;
        m_step = step;
        Q_EMIT changed();
    }

Q_SIGNALS:
    void changed();

private:
    std::optional<std::int64_t> m_step;
};

} // namespace athanor
