#include "ui/graph/value_text.h"

#include "engine/graph/param_check.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

namespace athanor {
namespace {

struct ValueText {
    Q_DECLARE_TR_FUNCTIONS(athanor::ValueText)
};

Error refused(const ParamSpec& spec, const QString& message)
{
    return Error{ErrorCode::InvalidArgument, message.toStdString(), spec.name, {}, {}};
}

/// 1e-05 → 1e-5, as people write it.
QString realText(double value)
{
    QString text = QString::number(value, 'g', QLocale::FloatingPointShortest);
    static const QRegularExpression kZeros(QStringLiteral("e([+-]?)0+(?=\\d)"));
    text.replace(kZeros, QStringLiteral("e\\1"));
    return text.replace(QStringLiteral("e+"), QStringLiteral("e"));
}

bool needsQuotes(const QString& entry)
{
    return entry.isEmpty() || entry.trimmed() != entry || entry.contains(u',') || entry.contains(u'"') ||
           entry.startsWith(u'[');
}

QString listText(const Json& list)
{
    QStringList parts;
    for (const Json& entry : list) {
        const QString text = valueText(entry);
        if (!entry.is_primitive() || (entry.is_string() && needsQuotes(text))) {
            return QString::fromStdString(list.dump());
        }
        parts << text;
    }
    return parts.join(QStringLiteral(", "));
}

std::optional<Json> wholeNumber(const QString& text)
{
    bool ok = false;
    const qlonglong number = text.toLongLong(&ok);
    if (ok) {
        return Json(static_cast<std::int64_t>(number));
    }
    const qulonglong big = text.toULongLong(&ok);
    return ok ? std::optional<Json>(static_cast<std::uint64_t>(big)) : std::nullopt;
}

std::optional<Json> realNumber(const QString& text)
{
    bool ok = false;
    const double number = QLocale::c().toDouble(text, &ok);
    return ok ? std::optional<Json>(number) : std::nullopt;
}

QStringList splitNumbers(QString text)
{
    if (text.startsWith(u'[') || text.startsWith(u'(')) {
        text = text.mid(1);
    }
    if (text.endsWith(u']') || text.endsWith(u')')) {
        text.chop(1);
    }
    static const QRegularExpression kSeparators(QStringLiteral("[\\s,;×]+"));
    return text.split(kSeparators, Qt::SkipEmptyParts);
}

/// nothing when an entry is no number.
std::optional<Json> numberList(const QString& text, std::optional<Json> (*read)(const QString&))
{
    Json list = Json::array();
    for (const QString& part : splitNumbers(text)) {
        const auto number = read(part);
        if (!number) {
            return std::nullopt;
        }
        list.push_back(*number);
    }
    return list.empty() ? std::nullopt : std::optional(list);
}

Json textList(const QString& text)
{
    const Json parsed = Json::parse(text.toStdString(), nullptr, false);
    if (parsed.is_array()) {
        return parsed;
    }
    Json list = Json::array();
    for (const QString& part : text.split(u',', Qt::SkipEmptyParts)) {
        list.push_back(part.trimmed().toStdString());
    }
    return list;
}

std::optional<Json> intOrList(const ParamSpec& spec, const QString& text)
{
    if (std::find(spec.choices.begin(), spec.choices.end(), text.toStdString()) != spec.choices.end()) {
        return Json(text.toStdString());
    }
    auto list = numberList(text, &wholeNumber);
    return list && list->size() == 1 && !text.startsWith(u'[') ? std::optional(list->front()) : list;
}

std::optional<Json> read(const ParamSpec& spec, const QString& text)
{
    switch (spec.type) {
    case ParamType::Int: return wholeNumber(text);
    case ParamType::Real: return realNumber(text);
    case ParamType::IntOrList: return intOrList(spec, text);
    case ParamType::IntList: return numberList(text, &wholeNumber);
    case ParamType::RealList: return numberList(text, &realNumber);
    case ParamType::TextList: return textList(text);
    case ParamType::IntOrText: return wholeNumber(text).value_or(Json(text.toStdString()));
    case ParamType::Any: {
        Json parsed = Json::parse(text.toStdString(), nullptr, false);
        return parsed.is_discarded() ? Json(text.toStdString()) : parsed;
    }
    default: return Json(text.toStdString());
    }
}

QString wanted(const ParamSpec& spec)
{
    const bool words = !spec.choices.empty();
    switch (spec.type) {
    case ParamType::Int: return ValueText::tr("Write a whole number, such as 16.");
    case ParamType::Real: return ValueText::tr("Write a number, such as 0.01 or 1e-3.");
    case ParamType::IntOrList:
        return words ? ValueText::tr("Write a whole number, several (3, 5), or %1.")
                           .arg(QString::fromStdString(spec.choices.front()))
                     : ValueText::tr("Write a whole number, or several: 3, 5.");
    case ParamType::IntList: return ValueText::tr("Write whole numbers, such as 3, 5.");
    case ParamType::RealList: return ValueText::tr("Write numbers, such as 0.5, 0.25.");
    default: return ValueText::tr("Write a value.");
    }
}

QString typeName(ParamType type)
{
    switch (type) {
    case ParamType::Bool: return ValueText::tr("yes or no");
    case ParamType::Int: return ValueText::tr("whole number");
    case ParamType::Real: return ValueText::tr("number");
    case ParamType::Choice: return ValueText::tr("choice");
    case ParamType::IntOrList: return ValueText::tr("whole number or list");
    case ParamType::IntList: return ValueText::tr("list of whole numbers");
    case ParamType::RealList: return ValueText::tr("list of numbers");
    case ParamType::TextList: return ValueText::tr("list of texts");
    case ParamType::Path: return ValueText::tr("file or folder");
    case ParamType::Source: return ValueText::tr("source");
    case ParamType::IntOrText: return ValueText::tr("number or name");
    case ParamType::Text:
    case ParamType::Any: return ValueText::tr("text");
    }
    return {};
}

} // namespace

QString valueText(const Json& value)
{
    if (value.is_null()) {
        return {};
    }
    if (value.is_string()) {
        return QString::fromStdString(value.get<std::string>());
    }
    if (value.is_number_float()) {
        return realText(value.get<double>());
    }
    return value.is_array() ? listText(value) : QString::fromStdString(value.dump());
}

Result<Json> parseValue(const ParamSpec& spec, const QString& text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty() && spec.type != ParamType::Text && spec.type != ParamType::TextList) {
        return spec.allowsNull ? Result<Json>(Json()) : refused(spec, wanted(spec));
    }
    std::optional<Json> value = read(spec, trimmed);
    if (!value) {
        return refused(spec, wanted(spec));
    }
    if (const auto problem = checkValue(spec, *value)) {
        QString message = QString::fromStdString(problem->message);
        message[0] = message[0].toUpper();
        return refused(spec, problem->hint.empty() ? message
                                                   : message + QStringLiteral("; ") + QString::fromStdString(problem->hint));
    }
    return *std::move(value);
}

QString rangeText(const ParamSpec& spec)
{
    QStringList parts{typeName(spec.type)};
    if (spec.minimum) {
        const QString low = realText(*spec.minimum);
        parts << (spec.minimumExcluded ? ValueText::tr("above %1").arg(low) : ValueText::tr("at least %1").arg(low));
    }
    if (spec.maximum) {
        parts << ValueText::tr("at most %1").arg(realText(*spec.maximum));
    }
    QString text = parts.join(QStringLiteral(", "));
    if (spec.required) {
        text += QStringLiteral("; ") + ValueText::tr("must be given");
    } else if (spec.inferred) {
        text += QStringLiteral("; ") + ValueText::tr("follows from the input");
    } else {
        const QString standard = spec.standard.is_null() ? ValueText::tr("none") : valueText(spec.standard);
        text += QStringLiteral("; ") + ValueText::tr("default %1").arg(standard);
    }
    return text;
}

} // namespace athanor
