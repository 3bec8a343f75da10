#include "ui/bridge/text_format.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace athanor {
namespace {

constexpr QChar kThinSpace(0x2009);
constexpr QChar kMinus(0x2212);

QString translated(const char* text)
{
    return QCoreApplication::translate("athanor::text", text);
}

/// Thin spaces between groups of three digits of the integer part. Four digits with a fraction stay together.
QString grouped(QString text)
{
    const auto point = text.indexOf(u'.');
    const auto end = point < 0 ? text.size() : point;
    const auto first = text.startsWith(kMinus) ? 1 : 0;
    if (end - first > 4 || (end - first == 4 && point < 0)) {
        for (auto position = end - 3; position > first; position -= 3)
            text.insert(position, kThinSpace);
    }
    return text;
}

QString withTrueMinus(QString text)
{
    if (text.startsWith(u'-'))
        text[0] = kMinus;
    return text;
}

QString scientific(double value, int digits)
{
    const QString text = QString::number(value, 'e', digits - 1);
    const auto e = text.indexOf(u'e');
    return withTrueMinus(text.left(e)) + u'e' + QString::number(text.mid(e + 1).toInt());
}

QString twoDigits(std::int64_t number)
{
    return QStringLiteral("%1").arg(number, 2, 10, QChar(u'0'));
}

} // namespace

QString numberText(double value, int digits)
{
    if (std::isnan(value))
        return translated("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("∞") : QString(kMinus) + QStringLiteral("∞");
    if (value == 0)
        return QStringLiteral("0");
    const double size = std::abs(value);
    if (size < 1e-3 || size >= 1e7)
        return scientific(value, std::min(digits, 3));
    const int magnitude = static_cast<int>(std::floor(std::log10(size)));
    const bool isWhole = std::floor(value) == value;
    const int decimals = isWhole ? 0 : std::max(0, digits - 1 - magnitude);
    return grouped(withTrueMinus(QString::number(value, 'f', std::min(decimals, digits + 2))));
}

QString numberText(double value, const QString& unit, int digits)
{
    const QString text = numberText(value, digits);
    return unit.isEmpty() ? text : text + kThinSpace + unit;
}

QString percentText(double share, int digits)
{
    return numberText(share * 100, QStringLiteral("%"), digits);
}

QString countText(std::int64_t count)
{
    return grouped(withTrueMinus(QString::number(count)));
}

QString durationText(double seconds)
{
    if (!(seconds >= 0) || std::isinf(seconds))
        return QStringLiteral("–");
    if (seconds < 9.95)
        return translated("%1 s").arg(seconds, 0, 'f', 1);
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 60)
        return translated("%1 s").arg(whole);
    if (whole < 3600)
        return translated("%1 min %2 s").arg(QString::number(whole / 60), twoDigits(whole % 60));
    if (whole < 86'400)
        return translated("%1 h %2 min").arg(QString::number(whole / 3600), twoDigits(whole / 60 % 60));
    return translated("%1 d %2 h").arg(whole / 86'400).arg(whole / 3600 % 24);
}

QString timeText(std::int64_t wallMilliseconds)
{
    return QDateTime::fromMSecsSinceEpoch(wallMilliseconds).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString exactText(double value)
{
    if (std::isnan(value))
        return QStringLiteral("nan");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return QString::fromLatin1(buffer, static_cast<int>(end - buffer));
}

} // namespace athanor
