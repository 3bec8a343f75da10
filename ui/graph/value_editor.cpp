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
#include <QLabel>
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
        connect(m_box, &QCheckBox::clicked, this, [this] {
            m_box->setTristate(false);
            m_box->setText({});
            commit(m_box->isChecked());
        });
    }

protected:
    void display(const Json& value) override
    {
        const QSignalBlocker quiet(m_box);
        m_box->setTristate(false);
        m_box->setText({});
        m_box->setChecked(value.is_boolean() && value.get<bool>());
    }
    void displayDefault(const Json& standard) override
    {
        display(standard);
        m_box->setText(tr("default"));
    }
    void displayMixed(const QString& text) override
    {
        const QSignalBlocker quiet(m_box);
        m_box->setCheckState(Qt::PartiallyChecked);
        m_box->setText(text);
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
        m_mayBeEmpty = spec.standard.is_null() || spec.allowsNull;
        m_emptyText = spec.allowsNull ? tr("none") : tr("not set");
        m_box->setEmptyText(m_emptyText, m_mayBeEmpty);
        adopt(m_box, spec);
        connect(m_box, &WholeNumberBox::edited, this,
                [this] { commit(m_box->value() ? Json(*m_box->value()) : Json()); });
    }

protected:
    void display(const Json& value) override
    {
        m_box->setEmptyText(m_emptyText, m_mayBeEmpty);
        m_box->setValue(value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt);
    }
    void displayMixed(const QString& text) override
    {
        m_box->setEmptyText(text, true);
        m_box->setValue(std::nullopt);
    }

private:
    WholeNumberBox* m_box;
    QString m_emptyText;
    bool m_mayBeEmpty = false;
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
    void displayMixed(const QString& text) override
    {
        const QSignalBlocker quiet(m_box);
        m_box->setPlaceholderText(text);
        m_box->setCurrentIndex(-1);
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
    void displayMixed(const QString& text) override
    {
        display(Json());
        m_button->setText(text);
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
        m_emptyText = spec.required || spec.inferred ? tr("not set") : tr("none");
        put({}, m_emptyText);
        adopt(m_edit, spec);
        connect(m_edit, &QLineEdit::textEdited, this, &LineEditor::judge);
        connect(m_edit, &QLineEdit::editingFinished, this, &LineEditor::takeOver);
    }
    ~LineEditor() override
    {
        m_edit->disconnect(this); // it loses the focus, and says so, when there is no LineEditor any more
    }

    void enter(const QString& text) ///< as if it were typed
    {
        m_edit->setText(text);
        judge(text);
        takeOver();
    }
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }
    /// A button that writes null, for parameters where that is not the default.
    void offerNull(const Theme& theme)
    {
        QAction* action = m_edit->addAction(theme.icon(QStringLiteral("close")), QLineEdit::TrailingPosition);
        action->setObjectName(QStringLiteral("writeNull"));
        action->setToolTip(tr("Write none (null)"));
        connect(action, &QAction::triggered, this, [this] {
            commit(Json());
            displayAgain();
        });
    }

protected:
    void display(const Json& value) override
    {
        put(valueText(value), m_emptyText);
    }
    void displayDefault(const Json& standard) override
    {
        const QString text = valueText(standard);
        put({}, text.isEmpty() ? m_emptyText : tr("default %1").arg(text), text);
    }
    void displayMixed(const QString& text) override { put({}, text); }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize) {
            fitPlaceholder();
        }
        return ValueEditor::eventFilter(watched, event);
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape && m_isTyped) {
            fail({});
            displayAgain();
            return;
        }
        ValueEditor::keyPressEvent(event);
    }

private:
    void put(const QString& text, const QString& placeholder, const QString& shortPlaceholder = {})
    {
        m_edit->setText(text);
        m_placeholder = placeholder;
        m_shortPlaceholder = shortPlaceholder.isEmpty() ? placeholder : shortPlaceholder;
        fitPlaceholder();
        m_edit->setCursorPosition(0);
        m_isTyped = false;
    }
    /// The value counts more than the word before it.
    void fitPlaceholder()
    {
        constexpr int kFrame = 24; // padding, border and margins, px
        const bool fits = m_edit->fontMetrics().horizontalAdvance(m_placeholder) + kFrame <= m_edit->width();
        m_edit->setPlaceholderText(fits ? m_placeholder : m_shortPlaceholder);
    }
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
    QString m_emptyText;
    QString m_placeholder;
    QString m_shortPlaceholder; ///< where the whole one does not fit
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

/// A program's text: how it begins, and a button to the window in which it is written.
class SourceEditor : public ValueEditor {
public:
    SourceEditor(const ParamSpec& spec, const Theme& theme, QWidget* parent)
        : ValueEditor(parent), m_button(new QPushButton(tr("Edit source…"), this)), m_preview(new QLabel(this))
    {
        adopt(m_button, spec);
        m_preview->setObjectName(QStringLiteral("preview_") + QString::fromStdString(spec.name));
        m_preview->setFont(theme.font(FontRole::Mono));
        m_preview->setProperty("look", QStringLiteral("muted"));
        m_preview->setTextFormat(Qt::PlainText);
        m_preview->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        auto* row = qobject_cast<QBoxLayout*>(layout());
        row->setDirection(QBoxLayout::TopToBottom);
        row->addWidget(m_preview);
        connect(m_button, &QPushButton::clicked, this, &ValueEditor::detailsRequested);
    }

protected:
    void display(const Json& value) override
    {
        constexpr int kLines = 4;
        const QString text = valueText(value);
        m_preview->setText(text.split(u'\n').mid(0, kLines).join(u'\n').trimmed());
        m_preview->setToolTip(text);
    }
    void displayMixed(const QString& text) override { m_preview->setText(text); }

private:
    QPushButton* m_button;
    QLabel* m_preview;
};

} // namespace

void ValueEditor::show(const Json& value, Shown shown)
{
    m_value = value;
    m_shown = shown;
    displayAgain();
    fail({});
}

void ValueEditor::displayAgain()
{
    if (m_shown == Shown::Mixed) {
        displayMixed(tr("several"));
    } else if (m_shown == Shown::Default) {
        displayDefault(m_value);
    } else {
        display(m_value);
    }
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
    m_shown = Shown::Value;
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
    if (spec.type == ParamType::Source) {
        return new SourceEditor(spec, theme, parent);
    }
    if (spec.type == ParamType::Path) {
        return new PathEditor(spec, theme, folder, parent);
    }
    auto* line = new LineEditor(spec, parent);
    if (spec.allowsNull && !spec.standard.is_null()) {
        line->offerNull(theme);
    }
    return line;
}

} // namespace athanor
