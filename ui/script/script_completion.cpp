#include "ui/script/script_completion.h"

#include "engine/script/script_functions.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace athanor {
namespace {

const QStringList& pythonWords()
{
    static const QStringList words{
        QStringLiteral("Tensor"),     QStringLiteral("Optional"), QStringLiteral("List"),
        QStringLiteral("Tuple"),      QStringLiteral("Dict"),     QStringLiteral("None"),
        QStringLiteral("True"),       QStringLiteral("False"),    QStringLiteral("def"),
        QStringLiteral("return"),     QStringLiteral("if"),       QStringLiteral("elif"),
        QStringLiteral("else"),       QStringLiteral("for"),      QStringLiteral("while"),
        QStringLiteral("break"),      QStringLiteral("continue"), QStringLiteral("pass"),
        QStringLiteral("assert"),     QStringLiteral("raise"),    QStringLiteral("and"),
        QStringLiteral("not"),        QStringLiteral("is"),       QStringLiteral("in"),
        QStringLiteral("or"),         QStringLiteral("range"),    QStringLiteral("len"),
        QStringLiteral("enumerate"),  QStringLiteral("zip"),      QStringLiteral("int"),
        QStringLiteral("float"),      QStringLiteral("bool"),     QStringLiteral("min"),
        QStringLiteral("max"),        QStringLiteral("abs"),      QStringLiteral("print"),
        QStringLiteral("isinstance"), QStringLiteral("torch"),    QStringLiteral("math"),
        QStringLiteral("self"),       QStringLiteral("forward"),  QStringLiteral("RuntimeError"),
        QStringLiteral("ValueError")};
    return words;
}

const QStringList& mathWords()
{
    static const QStringList words{QStringLiteral("ceil"), QStringLiteral("cos"),   QStringLiteral("e"),
                                   QStringLiteral("exp"),  QStringLiteral("floor"), QStringLiteral("inf"),
                                   QStringLiteral("log"),  QStringLiteral("nan"),   QStringLiteral("pi"),
                                   QStringLiteral("pow"),  QStringLiteral("sin"),   QStringLiteral("sqrt"),
                                   QStringLiteral("tan"),  QStringLiteral("tanh"),  QStringLiteral("tau")};
    return words;
}

QStringList functionNames(bool methods)
{
    QStringList names;
    for (const ScriptFunction& function : scriptFunctions()) {
        const bool inPlace = function.name.ends_with('_'); // torch.add_ is not what one writes, x.add_ is
        if (methods ? function.isMethod : !inPlace) {
            names << QString::fromStdString(function.name);
        }
    }
    return names;
}

const QStringList& torchWords()
{
    static const QStringList words =
        functionNames(false) + QStringList{QStringLiteral("float32"), QStringLiteral("float64"),
                                           QStringLiteral("int64"),   QStringLiteral("int32"),
                                           QStringLiteral("bool"),    QStringLiteral("bfloat16"),
                                           QStringLiteral("float16"), QStringLiteral("long"),
                                           QStringLiteral("inf"),     QStringLiteral("pi")};
    return words;
}

const QStringList& tensorWords()
{
    static const QStringList words =
        functionNames(true) + QStringList{QStringLiteral("shape"),  QStringLiteral("dtype"),
                                          QStringLiteral("device"), QStringLiteral("T"),
                                          QStringLiteral("float"),  QStringLiteral("long"),
                                          QStringLiteral("size"),   QStringLiteral("dim")};
    return words;
}

bool isInTextOrComment(const QString& before)
{
    QChar open;
    const QString line = before.mid(before.lastIndexOf(u'\n') + 1);
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar sign = line[i];
        if (!open.isNull()) {
            if (sign == u'\\') {
                ++i;
            } else if (sign == open) {
                open = QChar();
            }
        } else if (sign == u'#') {
            return true;
        } else if (sign == u'"' || sign == u'\'') {
            open = sign;
        }
    }
    return !open.isNull();
}

/// Names that the source itself uses: arguments, variables, functions.
QStringList ownWords(const QString& source, const QString& typed)
{
    static const QRegularExpression kWord(QStringLiteral("(?<![\\w.])[A-Za-z_]\\w*"));
    QStringList words;
    auto match = kWord.globalMatch(source);
    int same = 0;
    while (match.hasNext()) {
        const QString word = match.next().captured();
        same += word == typed ? 1 : 0;
        if (word != typed || same > 1) { // the word being typed is no name yet
            words << word;
        }
    }
    return words;
}

QStringList candidates(const QString& owner, bool isMember, const QString& whole, const QString& typed,
                       const ScriptNames& names)
{
    if (!isMember) {
        return pythonWords() + ownWords(whole, typed);
    }
    return owner == QStringLiteral("self")    ? names.members
           : owner == QStringLiteral("torch") ? torchWords()
           : owner == QStringLiteral("math")  ? mathWords()
                                              : tensorWords();
}

} // namespace

Completion completionAt(const QString& before, const QString& whole, const ScriptNames& names, bool asked)
{
    static const QRegularExpression kEnd(
        QStringLiteral("(?:([A-Za-z_]\\w*|[\\])])\\s*(\\.)\\s*)?([A-Za-z_]\\w*)?$"));
    constexpr qsizetype kUnasked = 2; // letters of a name on its own before it is looked up
    Completion completion;
    const auto match = kEnd.match(before);
    if (!match.hasMatch() || isInTextOrComment(before)) {
        return completion;
    }
    const bool isMember = !match.captured(2).isEmpty();
    completion.typed = match.captured(3);
    if (!isMember && !asked && completion.typed.size() < kUnasked) {
        return completion;
    }
    QSet<QString> fitting;
    for (const QString& name : candidates(match.captured(1), isMember, whole, completion.typed, names)) {
        if (name.startsWith(completion.typed) && (asked || name != completion.typed)) {
            fitting.insert(name);
        }
    }
    completion.names = QStringList(fitting.begin(), fitting.end());
    std::sort(completion.names.begin(), completion.names.end());
    return completion;
}

QStringList callTipAt(const QString& before)
{
    static const QRegularExpression kCall(QStringLiteral("(\\w|[\\])])\\s*\\.\\s*(\\w+)\\s*\\($"));
    constexpr int kMost = 4;
    const auto match = kCall.match(before);
    if (!match.hasMatch() || isInTextOrComment(before)) {
        return {};
    }
    const auto& functions = scriptFunctions();
    const std::string name = match.captured(2).toStdString();
    const auto found = std::lower_bound(
        functions.begin(), functions.end(), name,
        [](const ScriptFunction& one, const std::string& wanted) { return one.name < wanted; });
    QStringList lines;
    if (found != functions.end() && found->name == name) {
        for (const std::string& signature : found->signatures) {
            if (lines.size() < kMost) {
                lines << QString::fromStdString(signature);
            }
        }
    }
    return lines;
}

} // namespace athanor
