#include "ui/graph/value_editor.h"

#include "ui/graph/value_text.h"
#include "ui/graph/whole_number_box.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <vector>

namespace athanor {
namespace {

constexpr int kControlHeight = 28; ///< px, the same for every kind of editor

class BoolEditor : public ValueEditor {
public:
    BoolEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_box(new QCheckBox(this))
    {
        adopt(m_box, spec);
        connect(m_box, &QCheckBox::toggled, this, [this](bool on) { commit(on); });
    }

protected:
    void display(const Json& value) override
    {
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(value.is_boolean() && value.get<bool>());
    }

private:
    QCheckBox* m_box;
};

class IntEditor : public ValueEditor {
public:
    IntEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_box(new WholeNumberBox(this))
    {
        constexpr double kEnd = 9.2e18; // inside of what 64 bits hold
        const double lowest = std::clamp(spec.minimum.value_or(-kEnd), -kEnd, kEnd);
        const double highest = std::clamp(spec.maximum.value_or(kEnd), -kEnd, kEnd);
        m_box->setRange(static_cast<std::int64_t>(lowest) + (spec.minimumExcluded ? 1 : 0),
                        static_cast<std::int64_t>(highest) - (spec.maximumExcluded ? 1 : 0));
        if (spec.standard.is_null()) {
            m_box->setEmptyText(spec.allowsNull ? tr("none") : tr("not set"));
        }
        adopt(m_box, spec);
        connect(m_box, &WholeNumberBox::edited, this,
                [this] { commit(m_box->value() ? Json(*m_box->value()) : Json()); });
    }

protected:
    void display(const Json& value) override
    {
        m_box->setValue(value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt);
    }

private:
    WholeNumberBox* m_box;
};

/// One of some values: a Choice, or a Bool that may be null.
class ChoiceEditor : public ValueEditor {
public:
    ChoiceEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_box(new QComboBox(this))
    {
        if (spec.standard.is_null() || spec.allowsNull) {
            add(spec.allowsNull ? tr("none") : tr("not set"), Json());
        }
        if (spec.type == ParamType::Bool) {
            add(tr("yes"), true);
            add(tr("no"), false);
        }
        for (const std::string& choice : spec.choices) {
            add(QString::fromStdString(choice), choice);
        }
        m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        adopt(m_box, spec);
        connect(m_box, &QComboBox::activated, this,
                [this](int index) { commit(m_values[static_cast<std::size_t>(index)]); });
    }

protected:
    void display(const Json& value) override
    {
        const QSignalBlocker quiet(m_box);
        const auto found = std::find(m_values.begin(), m_values.end(), value);
        m_box->setPlaceholderText(valueText(value)); // a word that is no choice (a damaged file) is still shown
        m_box->setCurrentIndex(found == m_values.end() ? -1 : static_cast<int>(found - m_values.begin()));
    }

private:
    void add(const QString& text, Json value)
    {
        m_box->addItem(text);
        m_values.push_back(std::move(value));
    }
    QComboBox* m_box;
    std::vector<Json> m_values;
};

/// Some of a few names, as a menu of check marks.
class SubsetEditor : public ValueEditor {
public:
    SubsetEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_button(new QPushButton(this))
    {
        auto* menu = new QMenu(m_button);
        for (const std::string& choice : spec.choices) {
            QAction* action = menu->addAction(QString::fromStdString(choice));
            action->setCheckable(true);
            connect(action, &QAction::triggered, this, [this] { collect(); });
            m_actions.push_back(action);
        }
        m_button->setMenu(menu);
        adopt(m_button, spec);
    }

protected:
    void display(const Json& value) override
    {
        for (QAction* action : m_actions) {
            const bool on = value.is_array() && std::find(value.begin(), value.end(), action->text().toStdString()) != value.end();
            action->setChecked(on);
        }
        m_button->setText(value.is_array() && !value.empty() ? valueText(value) : tr("none"));
    }

private:
    void collect()
    {
        Json names = Json::array();
        for (const QAction* action : m_actions) {
            if (action->isChecked()) {
                names.push_back(action->text().toStdString());
            }
        }
        display(names);
        commit(std::move(names));
    }
    QPushButton* m_button;
    std::vector<QAction*> m_actions;
};

/// Everything that is written as text: numbers like 1e-3, lists, words. A text is judged while it is typed
/// and taken over with Enter or when the focus leaves, so that half a number never counts; Escape brings
/// back what was there.
class LineEditor : public ValueEditor {
public:
    LineEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_spec(spec), m_edit(new QLineEdit(this))
    {
        if (valueText(spec.standard).isEmpty()) {
            m_edit->setPlaceholderText(spec.required || spec.inferred ? tr("not set") : tr("none"));
        }
        adopt(m_edit, spec);
        connect(m_edit, &QLineEdit::textEdited, this, &LineEditor::judge);
        connect(m_edit, &QLineEdit::editingFinished, this, &LineEditor::takeOver);
    }

    void enter(const QString& text) ///< as if it were typed
    {
        m_edit->setText(text);
        judge(text);
        takeOver();
    }
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }

protected:
    void display(const Json& value) override
    {
        m_edit->setText(valueText(value));
        m_edit->setCursorPosition(0);
        m_isTyped = false;
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape && m_isTyped) {
            fail({});
            display(value());
            return;
        }
        ValueEditor::keyPressEvent(event);
    }

private:
    void judge(const QString& text)
    {
        m_isTyped = true;
        const Result<Json> parsed = parseValue(m_spec, text);
        fail(parsed ? QString() : QString::fromStdString(parsed.error().message));
    }
    void takeOver()
    {
        Result<Json> parsed = parseValue(m_spec, m_edit->text());
        if (m_isTyped && parsed) {
            m_isTyped = false;
            commit(*std::move(parsed));
        }
    }

    ParamSpec m_spec;
    QLineEdit* m_edit;
    bool m_isTyped = false;
};

/// A line with a button that asks for a file or a folder, written relative to the project's folder.
class PathEditor : public LineEditor {
public:
    PathEditor(const ParamSpec& spec, const Theme& theme, const std::filesystem::path& folder, QWidget* parent)
        : LineEditor(spec, parent), m_folder(QString::fromStdString(folder.string()))
    {
        auto* browse = new QToolButton(this);
        browse->setObjectName(QStringLiteral("browse_") + QString::fromStdString(spec.name));
        browse->setAccessibleName(tr("Browse for %1").arg(QString::fromStdString(spec.name)));
        browse->setToolTip(tr("Choose a file or folder"));
        browse->setIcon(theme.icon(QStringLiteral("folder")));
        browse->setPopupMode(QToolButton::InstantPopup);
        auto* menu = new QMenu(browse);
        menu->addAction(tr("File…"), this, [this] { take(QFileDialog::getOpenFileName(window(), tr("Choose a file"), start())); });
        menu->addAction(tr("Folder…"), this,
                        [this] { take(QFileDialog::getExistingDirectory(window(), tr("Choose a folder"), start())); });
        browse->setMenu(menu);
        layout()->addWidget(browse);
    }

private:
    [[nodiscard]] QString start() const
    {
        return QDir(m_folder).absoluteFilePath(edit()->text());
    }
    void take(const QString& path)
    {
        if (!path.isEmpty()) {
            enter(QDir(m_folder).relativeFilePath(path));
        }
    }
    QString m_folder;
};

} // namespace

void ValueEditor::showValue(const Json& value)
{
    m_value = value;
    display(value);
    fail({});
}

void ValueEditor::adopt(QWidget* control, const ParamSpec& spec)
{
    m_control = control;
    control->setObjectName(QStringLiteral("edit_") + QString::fromStdString(spec.name));
    control->setAccessibleName(QString::fromStdString(spec.name));
    control->setAccessibleDescription(QString::fromStdString(spec.help));
    control->setFocusPolicy(Qt::StrongFocus);
    control->setMinimumHeight(kControlHeight);
    control->installEventFilter(this);
    setFocusProxy(control);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing::kInside);
    row->addWidget(control, 1);
}

void ValueEditor::commit(Json value)
{
    fail({});
    m_value = std::move(value);
    Q_EMIT edited();
}

void ValueEditor::fail(const QString& error)
{
    if (error != m_error) {
        m_error = error;
        Q_EMIT errorChanged();
    }
}

void ValueEditor::tint(const QColor& color)
{
    QPalette palette = m_control->palette();
    palette.setColor(QPalette::Text, color);
    palette.setColor(QPalette::ButtonText, color);
    m_control->setPalette(palette);
    // Under a style sheet a spin box does not hand its palette on.
    if (auto* line = m_control->findChild<QLineEdit*>()) {
        line->setPalette(palette);
    }
}

bool ValueEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut) {
        Q_EMIT editingEnded();
    }
    if (event->type() == QEvent::Wheel && !m_control->hasFocus()) {
        event->ignore(); // the form scrolls; a value must not change in passing
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

ValueEditor* makeValueEditor(const ParamSpec& spec, const Theme& theme, const std::filesystem::path& folder,
                             QWidget* parent)
{
    if (spec.type == ParamType::Bool && !spec.allowsNull) {
        return new BoolEditor(spec, parent);
    }
    if (spec.type == ParamType::Int) {
        return new IntEditor(spec, parent);
    }
    if (spec.type == ParamType::Choice || spec.type == ParamType::Bool) {
        return new ChoiceEditor(spec, parent);
    }
    if (spec.type == ParamType::TextList && !spec.choices.empty()) {
        return new SubsetEditor(spec, parent);
    }
    if (spec.type == ParamType::Path) {
        return new PathEditor(spec, theme, folder, parent);
    }
    return new LineEditor(spec, parent);
}

} // namespace athanor
