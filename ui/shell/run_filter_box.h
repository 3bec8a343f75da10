// GUI thread. The line that filters runs: words or an expression, with completion of names, errors in place.
#pragma once

#include "engine/base/result.h"

#include <QStringList>
#include <QWidget>

#include <functional>

class QCompleter;
class QLabel;
class QLineEdit;
class QStringListModel;

namespace athanor {

class Theme;

class RunFilterBox : public QWidget {
    Q_OBJECT
public:
    explicit RunFilterBox(Theme& theme, QWidget* parent = nullptr); ///< the theme outlives it
    /// Asked for when the user begins a name.
    void setNames(std::function<QStringList()> names) { m_names = std::move(names); }
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    void showResult(const Status& result); ///< of the last text
    [[nodiscard]] QLineEdit* line() const { return m_line; }

Q_SIGNALS:
    void textChanged(const QString& text);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void complete();
    void insert(const QString& name);
    [[nodiscard]] int wordStart() const;

    Theme& m_theme;
    QLineEdit* m_line;
    QLabel* m_problem;
    QCompleter* m_completer;
    QStringListModel* m_model;
    std::function<QStringList()> m_names;
};

} // namespace athanor
