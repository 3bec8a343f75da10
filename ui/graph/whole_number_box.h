// GUI thread. A spin box for 64-bit whole numbers that may also be empty.
#pragma once

#include <QAbstractSpinBox>

#include <cstdint>
#include <optional>

namespace athanor {

/// QSpinBox ends at 2^31 and always holds a number; seeds are larger, and a missing value is not 0.
class WholeNumberBox : public QAbstractSpinBox {
    Q_OBJECT
public:
    explicit WholeNumberBox(QWidget* parent = nullptr);

    void setRange(std::int64_t lowest, std::int64_t highest);
    /// What stands in the empty box, and whether a person may empty it.
    void setEmptyText(const QString& text, bool mayBeEmpty = true);
    void setValue(std::optional<std::int64_t> value); ///< without a signal
    [[nodiscard]] std::optional<std::int64_t> value() const { return m_value; }

    void stepBy(int steps) override;
    QValidator::State validate(QString& text, int& position) const override;
    void fixup(QString& text) const override; ///< back to the value

Q_SIGNALS:
    void edited(); ///< the user typed or stepped to another value

protected:
    [[nodiscard]] StepEnabled stepEnabled() const override;

private:
    void readText(const QString& text);
    [[nodiscard]] QString valueText() const;
    std::int64_t m_lowest;
    std::int64_t m_highest;
    bool m_mayBeEmpty = false;
    std::optional<std::int64_t> m_value;
};

} // namespace athanor
