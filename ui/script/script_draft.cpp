#include "ui/script/script_draft.h"

#include <QRegularExpression>
#include <QStringList>

namespace athanor {
namespace {

Json valueFromText(const QString& text)
{
    Json parsed = Json::parse(text.toStdString(), nullptr, false);
    return parsed.is_discarded() ? Json(text.toStdString()) : parsed;
}

QString plainText(const Json& value)
{
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

/// At commas outside of parentheses.
QStringList splitOutside(const QString& text)
{
    QStringList parts{QString()};
    int depth = 0;
    for (const QChar sign : text) {
        depth += sign == u'(' || sign == u'[' ? 1 : 0;
        depth -= sign == u')' || sign == u']' ? 1 : 0;
        if (sign == u',' && depth <= 0) {
            parts << QString();
        } else {
            parts.last() += sign;
        }
    }
    return parts;
}

} // namespace

bool isOfData(const ScriptDraft& draft)
{
    return draft.kind == "Lambda" || draft.kind == "Collate";
}

ResolvedDraft resolveDraft(const ScriptDraft& draft, const ScriptInputs& inputs)
{
    ResolvedDraft resolved;
    Node node{"draft", draft.kind, draft.params, Json::object()};
    if (isOfData(draft)) {
        const Json complete = completeParams(*dataCatalog().find(draft.kind), draft.params);
        node = {"draft", "Script", {{"source", complete.value("source", Json(""))}}, Json::object()};
    }
    resolved.kind = resolveKind(Graph(), node, layerCatalog());
    if (!resolved.kind) {
        return resolved;
    }
    for (const PortSpec& port : resolved.kind->inputs) {
        const auto known = inputs.find(port.name);
        const bool enters = known != inputs.end();
        resolved.context.inputs.push_back(enters ? known->second : std::nullopt);
        resolved.context.connected.push_back(enters || !port.optional);
    }
    resolved.context.params = completeParams(*resolved.kind, node.params);
    return resolved;
}

QString initText(const Json& init)
{
    if (!init.is_object() || !init.contains("kind")) {
        return init.is_null() ? QString() : plainText(init);
    }
    QStringList arguments;
    for (const auto& [name, value] : init.items()) {
        if (name != "kind") {
            arguments << QString::fromStdString(name) + u'=' + plainText(value);
        }
    }
    const QString kind = plainText(init["kind"]);
    return arguments.isEmpty() ? kind : kind + u'(' + arguments.join(QStringLiteral(", ")) + u')';
}

Json initFromText(const QString& text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty()) {
        return Json();
    }
    static const QRegularExpression kCall(QStringLiteral("^(\\w+)\\s*\\((.*)\\)$"));
    const auto call = kCall.match(trimmed);
    if (!call.hasMatch()) {
        return trimmed.toStdString();
    }
    Json init{{"kind", call.captured(1).toStdString()}};
    for (const QString& argument : splitOutside(call.captured(2))) {
        const auto equals = argument.indexOf(u'=');
        if (argument.trimmed().isEmpty()) {
            continue;
        }
        if (equals < 0) {
            return trimmed.toStdString();
        }
        init[argument.left(equals).trimmed().toStdString()] =
            valueFromText(argument.mid(equals + 1).trimmed());
    }
    return init.size() == 1 ? init["kind"] : init;
}

QString shapeText(const Json& shape)
{
    if (!shape.is_array()) {
        return shape.is_null() ? QString() : plainText(shape);
    }
    QStringList parts;
    for (const Json& extent : shape) {
        parts << plainText(extent);
    }
    return parts.join(QStringLiteral(", "));
}

Json shapeFromText(const QString& text)
{
    QString inner = text.trimmed();
    if (inner.startsWith(u'[') && inner.endsWith(u']')) {
        inner = inner.mid(1, inner.size() - 2);
    }
    Json shape = Json::array();
    for (const QString& part : splitOutside(inner)) {
        const QString extent = part.trimmed();
        bool isNumber = false;
        const qlonglong number = extent.toLongLong(&isNumber);
        if (isNumber) {
            shape.push_back(static_cast<std::int64_t>(number));
        } else if (!extent.isEmpty()) {
            shape.push_back(extent.toStdString());
        }
    }
    return shape;
}

} // namespace athanor
