#include "ui/graph/value_editor.h"

#include "ui/graph/value_text.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include <cmath>
#include <limits>

namespace athanor {
namespace {

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

/// A spin box; where a value may be missing, the place below the minimum stands for that.
class IntEditor : public ValueEditor {
public:
    IntEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_box(new QSpinBox(this))
    {
        const double lowest = spec.minimum.value_or(std::numeric_limits<int>::min() + 1.0);
        const double highest = spec.maximum.value_or(std::numeric_limits<int>::max());
        m_minimum = static_cast<int>(lowest) + (spec.minimumExcluded ? 1 : 0);
        m_mayBeMissing = spec.standard.is_null();
        m_box->setRange(m_minimum - (m_mayBeMissing ? 1 : 0), static_cast<int>(highest));
        if (m_mayBeMissing) {
            m_box->setSpecialValueText(spec.allowsNull ? tr("none") : tr("not set"));
        }
        adopt(m_box, spec);
        connect(m_box, &QSpinBox::valueChanged, this,
                [this](int value) { commit(m_mayBeMissing && value < m_minimum ? Json() : Json(value)); });
    }

protected:
    void display(const Json& value) override
    {
        const QSignalBlocker quiet(m_box);
        m_box->setValue(value.is_number_integer() ? value.get<int>() : m_minimum - (m_mayBeMissing ? 1 : 0));
    }

private:
    QSpinBox* m_box;
    int m_minimum = 0;
    bool m_mayBeMissing = false;
};

class ChoiceEditor : public ValueEditor {
public:
    ChoiceEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_box(new QComboBox(this))
    {
        if (spec.standard.is_null()) {
            m_box->addItem(spec.allowsNull ? tr("none") : tr("not set"));
        }
        for (const std::string& choice : spec.choices) {
            m_box->addItem(QString::fromStdString(choice), QString::fromStdString(choice));
        }
        m_box->setMinimumContentsLength(8);
        m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        adopt(m_box, spec);
        connect(m_box, &QComboBox::activated, this, [this](int index) {
            const QVariant choice = m_box->itemData(index);
            commit(choice.isValid() ? Json(choice.toString().toStdString()) : Json());
        });
    }

protected:
    void display(const Json& value) override
    {
        const QSignalBlocker quiet(m_box);
        const int index = value.is_string() ? m_box->findData(valueText(value)) : -1;
        // A word that is no choice (an old or damaged file) is still shown.
        m_box->setPlaceholderText(valueText(value));
        m_box->setCurrentIndex(index >= 0 || !value.is_null() || m_box->itemData(0).isValid() ? index : 0);
    }

private:
    QComboBox* m_box;
};

/// Everything that is written as text: numbers like 1e-3, lists, words. A text is judged while it is typed
/// and taken over with Enter or when the focus leaves, so that half a number never counts; Escape brings
/// back what was there.
class LineEditor : public ValueEditor {
public:
    LineEditor(const ParamSpec& spec, QWidget* parent) : ValueEditor(parent), m_spec(spec), m_edit(new QLineEdit(this))
    {
        if (spec.allowsNull || spec.standard.is_null()) {
            m_edit->setPlaceholderText(spec.allowsNull ? tr("none") : tr("not set"));
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

bool fitsSpinBox(const ParamSpec& spec)
{
    return !spec.maximum || *spec.maximum <= std::numeric_limits<int>::max();
}

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
    if (spec.type == ParamType::Int && fitsSpinBox(spec)) {
        return new IntEditor(spec, parent);
    }
    if (spec.type == ParamType::Choice) {
        return new ChoiceEditor(spec, parent);
    }
    if (spec.type == ParamType::Path) {
        return new PathEditor(spec, theme, folder, parent);
    }
    return new LineEditor(spec, parent);
}

} // namespace athanor
