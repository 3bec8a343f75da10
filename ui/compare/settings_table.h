// GUI thread. The settings that compared runs do not share.
#pragma once

#include "engine/compare/comparison.h"

#include <QColor>
#include <QWidget>

class QLabel;
class QLineEdit;
class QSettings;
class QTableWidget;

namespace athanor {

class NoticeBar;
class Theme;

/// One row per setting, one column per run. What a person does not care for is left out by patterns, which are
/// remembered.
class SettingsTable : public QWidget {
    Q_OBJECT
public:
    /// References outlive the table.
    SettingsTable(Theme& theme, QSettings& settings, QWidget* parent = nullptr);
    void show(const Comparison& comparison);
    [[nodiscard]] QTableWidget* table() const { return m_table; }

private:
    void fill();
    void copy() const;

    Theme& m_theme;
    QSettings& m_settings;
    QLineEdit* m_ignored;
    QLabel* m_count;
    QTableWidget* m_table;
    std::vector<std::string> m_names;
    std::vector<QColor> m_colors;
    std::vector<SettingDifference> m_differences; ///< all
};

} // namespace athanor
