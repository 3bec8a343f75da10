#include "ui/bridge/text_format.h"

#include <QDateTime>

#include <cmath>

namespace athanor {
namespace {

constexpr QChar kThinSpace(0x2009);
constexpr QChar kMinus(0x2212);

/// Thin spaces into the whole part of a plain decimal number.
QString grouped(QString digits)
{
    qsizetype end = digits.indexOf(u'.');
    if (end < 0)
        end = digits.size();
    const qsizetype first = digits.startsWith(u'-') ? 1 : 0;
    for (qsizetype at = end - 3; at > first; at -= 3)
        digits.insert(at, kThinSpace);
    return digits;
}

QString signedText(QString text)
{
    if (text.startsWith(u'-'))
        text[0] = kMinus;
    return text;
}

} // namespace

QString numberText(double value)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    const double size = std::abs(value);
    if (value == 0)
        return QStringLiteral("0");
    if (size < 1e-3 || size >= 1e9)
        return signedText(QString::number(value, 'e', 2));
    if (size >= 1000) // from here on four digits leave no fraction
        return signedText(grouped(QString::number(value, 'f', 0)));
    const int wholeDigits = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
    return signedText(QString::number(value, 'f', 4 - wholeDigits));
}

QString percentText(double share)
{
    if (!std::isfinite(share))
        return numberText(share);
    return signedText(QString::number(share * 100, 'f', 1)) + kThinSpace + u'%';
}

QString countText(std::int64_t count)
{
    return signedText(grouped(QString::number(count)));
}

QString durationText(double seconds)
{
    if (!(seconds >= 0) || std::isinf(seconds))
        return QStringLiteral("–");
    if (seconds < 9.95)
        return QStringLiteral("%1 s").arg(seconds, 0, 'f', 1);
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    const auto padded = [](std::int64_t number) {
        return QStringLiteral("%1").arg(number, 2, 10, QChar(u'0'));
    };
    if (whole < 60)
        return QStringLiteral("%1 s").arg(whole);
    if (whole < 3600)
        return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(padded(whole % 60));
    return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(padded(whole / 60 % 60));
}

QString timeText(std::int64_t wallMilliseconds)
{
    return QDateTime::fromMSecsSinceEpoch(wallMilliseconds).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

} // namespace athanor
