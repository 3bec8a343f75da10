#include "ui/compare/settings_table.h"

#include "ui/compare/table_look.h"
#include "engine/graph/name_match.h"
#include "ui/bridge/text_format.h"
#include "ui/compare/run_colors.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QShortcut>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr auto kIgnoredKey = "compare/ignoredSettings";
constexpr int kRunWidth = 160;

} // namespace

SettingsTable::SettingsTable(Theme& theme, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_settings(settings), m_ignored(new QLineEdit), m_count(new QLabel),
      m_table(new QTableWidget)
{
    m_ignored->setObjectName(QStringLiteral("ignoredSettings"));
    m_ignored->setPlaceholderText(tr("Leave out, such as: *.seed network.*"));
    m_ignored->setAccessibleName(tr("Settings to leave out"));
    m_ignored->setToolTip(
        tr("Patterns of paths, with spaces between them. * stands for any text, ? for one character."));
    m_ignored->setClearButtonEnabled(true);
    m_ignored->setText(settings.value(kIgnoredKey).toString());
    connect(m_ignored, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_settings.setValue(kIgnoredKey, text);
        fill();
    });
    m_count->setObjectName(QStringLiteral("settingsCount"));
    m_count->setProperty("look", QStringLiteral("muted"));
    m_table->setObjectName(QStringLiteral("settingsTable"));
    m_table->setAccessibleName(tr("Settings that differ"));
    useComparisonLook(*m_table);
    m_table->setWordWrap(false);
    auto* copyKey = new QShortcut(QKeySequence::Copy, m_table);
    copyKey->setContext(Qt::WidgetShortcut);
    connect(copyKey, &QShortcut::activated, this, &SettingsTable::copy);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kBetween);
    row->addWidget(m_ignored, 1);
    row->addWidget(m_count);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_table, 1);
}

void SettingsTable::show(const Comparison& comparison)
{
    m_differences = comparison.settings;
    m_names.clear();
    m_colors.clear();
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        m_names.push_back(comparison.runs[run].info.name);
        m_colors.push_back(runColor(m_theme, comparison, run));
    }
    fill();
}

void SettingsTable::fill()
{
    const QStringList patterns = m_ignored->text().split(u' ', Qt::SkipEmptyParts);
    const auto isIgnored = [&patterns](const std::string& path) {
        return std::any_of(patterns.begin(), patterns.end(), [&path](const QString& pattern) {
            return matchesGlob(pattern.toStdString(), path);
        });
    };
    m_table->clear();
    m_table->setRowCount(0);
    m_table->setColumnCount(1 + static_cast<int>(m_names.size()));
    m_table->setHorizontalHeaderItem(0, new QTableWidgetItem(tr("Setting")));
    for (std::size_t run = 0; run < m_names.size(); ++run) {
        auto* head = new QTableWidgetItem(colorIcon(m_colors[run]), QString::fromStdString(m_names[run]));
        m_table->setHorizontalHeaderItem(1 + static_cast<int>(run), head);
        m_table->setColumnWidth(1 + static_cast<int>(run), kRunWidth);
    }
    for (const SettingDifference& setting : m_differences) {
        if (isIgnored(setting.path))
            continue;
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        m_table->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(setting.path)));
        for (std::size_t run = 0; run < setting.values.size(); ++run) {
            const auto& value = setting.values[run];
            const QString text = !value               ? tr("–", "a run without this setting")
                                 : value->is_null()   ? tr("none")
                                 : value->is_string() ? QString::fromStdString(value->get<std::string>())
                                                      : QString::fromStdString(value->dump());
            auto* item = new QTableWidgetItem(text);
            item->setToolTip(text);
            if (!value || value->is_null())
                item->setForeground(m_theme.color(ColorRole::Muted));
            else if (value->is_number())
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(row, 1 + static_cast<int>(run), item);
        }
    }
    m_table->resizeColumnToContents(0);
    const int shown = m_table->rowCount();
    const int all = static_cast<int>(m_differences.size());
    m_count->setText(all == 0       ? tr("All settings are the same")
                     : shown == all ? (all == 1 ? tr("1 setting differs") : tr("%1 settings differ").arg(all))
                                    : tr("%1 of %2 settings that differ").arg(shown).arg(all));
}

void SettingsTable::copy() const
{
    QString text;
    for (int row = -1; row < m_table->rowCount(); ++row) {
        for (int column = 0; column < m_table->columnCount(); ++column) {
            const QTableWidgetItem* item =
                row < 0 ? m_table->horizontalHeaderItem(column) : m_table->item(row, column);
            text += (column == 0 ? QString() : QStringLiteral("\t")) +
                    (item != nullptr ? item->text() : QString());
        }
        text += u'\n';
    }
    QApplication::clipboard()->setText(text);
}

} // namespace athanor
