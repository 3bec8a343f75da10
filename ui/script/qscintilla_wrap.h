// GUI thread. The only includer of QScintilla: its headers use Qt's lower-case keywords, which this project
// switches off (QT_NO_KEYWORDS), so they are lent to them for the length of the include.
#pragma once

#include <QObject>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#undef signals
#undef slots
#undef emit
