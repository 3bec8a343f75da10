// GUI thread. One editor for one parameter, made to fit its type.
#pragma once

#include "engine/graph/node_catalog.h"

#include <QWidget>

#include <filesystem>

namespace athanor {

class Theme;

/// Shows and edits one value. What the user enters is either valid (edited()) or explained (errorChanged());
/// an invalid text never reaches value().
class ValueEditor : public QWidget {
    Q_OBJECT
public:
    explicit ValueEditor(QWidget* parent) : QWidget(parent) {}

    /// Takes over a value of the document; null: none is set.
    void showValue(const Json& value) { show(value, Shown::Value); }
    /// Nothing is written, so that this holds; shown as such.
    void showDefault(const Json& standard) { show(standard, Shown::Default); }
    /// Several things are edited at once, and their values differ; value() is null until one is entered for all.
    void showMixed() { show(Json(), Shown::Mixed); }
    [[nodiscard]] const Json& value() const { return m_value; }
    /// Whether it stands there already as a written value.
    [[nodiscard]] bool shows(const Json& value) const { return m_shown == Shown::Value && m_value == value; }
    [[nodiscard]] const QString& error() const { return m_error; } ///< empty: fine
    /// Defaults are shown in a muted colour.
    void setMuted(const QColor& color) { tint(color); }

Q_SIGNALS:
    void edited();       ///< the user set value(); null: back to the default
    void editingEnded(); ///< the focus left
    void errorChanged();
    void detailsRequested(); ///< the value is edited in a window of its own

protected:
    /// The control with the focus; named, watched for focus and protected from stray wheel turns.
    void adopt(QWidget* control, const ParamSpec& spec);
    void commit(Json value);
    void fail(const QString& error);
    virtual void display(const Json& value) = 0;
    virtual void displayDefault(const Json& standard) { display(standard); }
    /// What stands in an empty control while the values differ.
    virtual void displayMixed(const QString& text) = 0;
    void displayAgain(); ///< value() as it was shown last
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Shown { Value, Default, Mixed };
    void show(const Json& value, Shown shown);
    void tint(const QColor& color);
    QWidget* m_control = nullptr;
    Json m_value;
    Shown m_shown = Shown::Value;
    QString m_error;
};

/// An editor for the parameter's type. `folder` is where relative paths start.
ValueEditor* makeValueEditor(const ParamSpec& spec, const Theme& theme, const std::filesystem::path& folder,
                             QWidget* parent);

} // namespace athanor
