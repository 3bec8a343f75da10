#include "ui/script/declarations_panel.h"

#include "ui/script/script_draft.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

enum TensorColumn { Name, Shape, Init, Trained };

QString cellText(const QTableWidget* table, int row, int column)
{
    const QTableWidgetItem* item = table->item(row, column);
    return item ? item->text().trimmed() : QString();
}

QString numberText(const Json& value)
{
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

} // namespace

DeclarationsPanel::DeclarationsPanel(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing::kInside);
    m_tensors = makeTable(QStringLiteral("tensorTable"), tr("Parameters"),
                          {tr("Name"), tr("Shape"), tr("Start"), tr("Trained")});
    m_constants = makeTable(QStringLiteral("constantTable"), tr("Constants"), {tr("Name"), tr("Value")});
    m_tensors->setToolTip(tr("Tensors that the source uses as self.name. Shape: 16, x.size(1). Start: zeros, "
                             "normal(std=0.02), …"));
    m_constants->setToolTip(tr("Numbers that the source uses as self.name"));
}

QTableWidget* DeclarationsPanel::makeTable(const QString& name, const QString& title,
                                           const QStringList& columns)
{
    auto* head = new QHBoxLayout;
    auto* label = new QLabel(title, this);
    label->setProperty("look", QStringLiteral("muted"));
    head->addWidget(label, 1);
    auto* table = new QTableWidget(0, static_cast<int>(columns.size()), this);
    table->setObjectName(name);
    table->setAccessibleName(title);
    table->setHorizontalHeaderLabels(columns);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(28);
    table->setTabKeyNavigation(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setEditTriggers(QAbstractItemView::AllEditTriggers);
    table->setFont(m_theme.font(FontRole::Mono));
    if (columns.size() > Trained) {
        table->horizontalHeader()->resizeSection(Name, 88);
        table->horizontalHeader()->resizeSection(Init, 104);
        table->horizontalHeader()->setSectionResizeMode(Trained, QHeaderView::ResizeToContents);
    }
    const auto addButton = [&](const char* icon, const QString& what, auto action) {
        auto* button = new QToolButton(this);
        button->setObjectName(name + QString::fromLatin1(icon));
        button->setIcon(m_theme.icon(QString::fromLatin1(icon)));
        button->setToolTip(what);
        button->setAccessibleName(what);
        connect(button, &QToolButton::clicked, this, action);
        head->addWidget(button);
    };
    addButton("add", tr("Add a row to %1").arg(title), [this, table] { addRow(table); });
    addButton("close", tr("Remove the selected row of %1").arg(title), [this, table] { removeRow(table); });
    layout()->addItem(head);
    layout()->addWidget(table);
    connect(table, &QTableWidget::itemChanged, this, [this] {
        if (!m_isLoading) {
            Q_EMIT edited();
        }
    });
    fitHeight(table);
    return table;
}

void DeclarationsPanel::fitHeight(QTableWidget* table)
{
    constexpr int kHeader = 30;
    constexpr int kMostRows = 6;
    const int rows = std::clamp(table->rowCount(), 1, kMostRows);
    table->setFixedHeight(kHeader + rows * table->verticalHeader()->defaultSectionSize() + 4);
}

void DeclarationsPanel::addTensorRow(const Json& entry)
{
    const int row = m_tensors->rowCount();
    m_tensors->insertRow(row);
    const auto text = [&](const char* key) { return entry.is_object() ? entry.value(key, Json()) : Json(); };
    const Json name = text("name");
    m_tensors->setItem(row, Name, new QTableWidgetItem(name.is_string() ? numberText(name) : QString()));
    m_tensors->setItem(row, Shape, new QTableWidgetItem(shapeText(text("shape"))));
    m_tensors->setItem(row, Init, new QTableWidgetItem(initText(text("init"))));
    auto* trained = new QTableWidgetItem;
    trained->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    trained->setCheckState(text("buffer") == true ? Qt::Unchecked : Qt::Checked);
    trained->setToolTip(tr("Off: a buffer, which the source may assign but training leaves alone"));
    m_tensors->setItem(row, Trained, trained);
}

void DeclarationsPanel::addConstantRow(const QString& name, const QString& value)
{
    const int row = m_constants->rowCount();
    m_constants->insertRow(row);
    m_constants->setItem(row, 0, new QTableWidgetItem(name));
    m_constants->setItem(row, 1, new QTableWidgetItem(value));
}

void DeclarationsPanel::showValues(const Json& parameters, const Json& constants)
{
    const QScopedValueRollback loading(m_isLoading, true);
    m_tensors->setRowCount(0);
    m_constants->setRowCount(0);
    if (parameters.is_array()) {
        for (const Json& entry : parameters) {
            addTensorRow(entry);
        }
    }
    if (constants.is_object()) {
        for (const auto& [name, value] : constants.items()) {
            addConstantRow(QString::fromStdString(name), numberText(value));
        }
    }
    fitHeight(m_tensors);
    fitHeight(m_constants);
}

void DeclarationsPanel::addRow(QTableWidget* table)
{
    {
        const QScopedValueRollback loading(m_isLoading, true);
        if (table == m_tensors) {
            addTensorRow(Json{{"name", ""}, {"shape", Json::array()}});
        } else {
            addConstantRow({}, {});
        }
    }
    fitHeight(table);
    table->setCurrentCell(table->rowCount() - 1, 0);
    table->editItem(table->item(table->rowCount() - 1, 0));
}

void DeclarationsPanel::removeRow(QTableWidget* table)
{
    if (table->currentRow() >= 0) {
        table->removeRow(table->currentRow());
        fitHeight(table);
        Q_EMIT edited();
    }
}

Json DeclarationsPanel::parameters() const
{
    Json list = Json::array();
    for (int row = 0; row < m_tensors->rowCount(); ++row) {
        const QString name = cellText(m_tensors, row, Name);
        if (name.isEmpty()) {
            continue; // a row that was only begun
        }
        Json entry{{"name", name.toStdString()}, {"shape", shapeFromText(cellText(m_tensors, row, Shape))}};
        if (Json init = initFromText(cellText(m_tensors, row, Init)); !init.is_null()) {
            entry["init"] = std::move(init);
        }
        if (m_tensors->item(row, Trained)->checkState() != Qt::Checked) {
            entry["buffer"] = true;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

Json DeclarationsPanel::constants() const
{
    Json object = Json::object();
    for (int row = 0; row < m_constants->rowCount(); ++row) {
        const QString name = cellText(m_constants, row, 0);
        const QString value = cellText(m_constants, row, 1);
        if (name.isEmpty()) {
            continue;
        }
        QString word = value; // as Python writes them
        word.replace(QStringLiteral("True"), QStringLiteral("true"))
            .replace(QStringLiteral("False"), QStringLiteral("false"));
        Json parsed = Json::parse(word.toStdString(), nullptr, false);
        object[name.toStdString()] = parsed.is_discarded() ? Json(value.toStdString()) : std::move(parsed);
    }
    return object;
}

} // namespace athanor
