// GUI thread. The only includer of qcustomplot.h: that header uses Qt's lower-case keywords, which this
// project switches off (QT_NO_KEYWORDS), so they are lent to it for the length of the include.
#pragma once

#include <QObject>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit
#define foreach Q_FOREACH
#ifdef QT_NO_FOREACH
#undef QT_NO_FOREACH
#define ATHANOR_RESTORE_NO_FOREACH
#ifndef Q_FOREACH
#define Q_FOREACH(variable, container) for (variable : container)
#endif
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#include <qcustomplot.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#ifdef ATHANOR_RESTORE_NO_FOREACH
#undef ATHANOR_RESTORE_NO_FOREACH
#undef Q_FOREACH
#define QT_NO_FOREACH
#endif
#undef signals
#undef slots
#undef emit
#undef foreach
