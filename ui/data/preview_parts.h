// GUI thread. Inside ui/data: what the panel of samples is put together with, and what it remembers.
#pragma once

#include <QString>

class QLabel;
class QScrollArea;
class QWidget;

namespace athanor::preview {

inline constexpr auto kPartKey = "preview/part";
inline constexpr auto kCompareKey = "preview/compare";
inline constexpr auto kTabKey = "preview/tab";

enum class Wrap { No, Yes };
/// `look` is one of the style sheet's.
QLabel* makeLabel(const QString& text, const char* look, Wrap wrap = Wrap::No);
QScrollArea* scrolled(QWidget* widget);

} // namespace athanor::preview
