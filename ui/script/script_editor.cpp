#include "ui/script/script_editor.h"

#include "ui/script/qscintilla_wrap.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScopedValueRollback>
#include <QToolTip>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kMistake = 0; ///< indicator and marker
constexpr int kNumberMargin = 0;
constexpr int kMarkMargin = 1;
constexpr int kCodeSize = 14; ///< px at 100 %
using Base = QsciScintillaBase;

/// Colours of the words of Python.
struct WordColor {
    int style;
    ColorRole role;
};
constexpr WordColor kWordColors[] = {
    {QsciLexerPython::Comment, ColorRole::Muted},
    {QsciLexerPython::CommentBlock, ColorRole::Muted},
    {QsciLexerPython::Number, ColorRole::Warn},
    {QsciLexerPython::DoubleQuotedString, ColorRole::Good},
    {QsciLexerPython::SingleQuotedString, ColorRole::Good},
    {QsciLexerPython::TripleDoubleQuotedString, ColorRole::Good},
    {QsciLexerPython::TripleSingleQuotedString, ColorRole::Good},
    {QsciLexerPython::UnclosedString, ColorRole::Bad},
    {QsciLexerPython::Keyword, ColorRole::FamilyConvolution},
    {QsciLexerPython::HighlightedIdentifier, ColorRole::Accent},
    {QsciLexerPython::FunctionMethodName, ColorRole::Accent},
    {QsciLexerPython::ClassName, ColorRole::Accent},
};

/// Python's keywords, and the names of types and modules as a second kind of words.
class ScriptLexer : public QsciLexerPython {
public:
    using QsciLexerPython::QsciLexerPython;
    const char* keywords(int set) const override
    {
        if (set == 2) {
            return "Tensor Optional List Tuple Dict int float bool str torch math self range len enumerate "
                   "zip print";
        }
        return QsciLexerPython::keywords(set);
    }
};

} // namespace

ScriptEditor::ScriptEditor(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_text(new QsciScintilla(this)), m_lexer(new ScriptLexer(m_text))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_text);
    m_text->setObjectName(QStringLiteral("sourceText"));
    m_text->setAccessibleName(tr("Source"));
    setFocusProxy(m_text);
    configure();
    restyle();
    m_text->installEventFilter(this);
    m_text->viewport()->installEventFilter(this);
    connect(&theme, &Theme::changed, this, &ScriptEditor::restyle);
    connect(m_text, &QsciScintilla::textChanged, this, [this] {
        if (!m_isLoading) {
            Q_EMIT textChanged();
        }
    });
    connect(m_text, &QsciScintilla::cursorPositionChanged, this, &ScriptEditor::cursorMoved);
    connect(m_text, &QsciScintillaBase::SCN_CHARADDED, this, &ScriptEditor::charAdded);
}

ScriptEditor::~ScriptEditor() = default;

void ScriptEditor::configure()
{
    m_text->setUtf8(true);
    m_text->setLexer(m_lexer);
    m_lexer->setIndentationWarning(QsciLexerPython::Inconsistent);
    m_text->setEolMode(QsciScintilla::EolUnix);
    m_text->setIndentationsUseTabs(false);
    m_text->setIndentationWidth(4);
    m_text->setTabWidth(4);
    m_text->setTabIndents(true);
    m_text->setBackspaceUnindents(true);
    m_text->setAutoIndent(true);
    m_text->setIndentationGuides(true);
    m_text->setBraceMatching(QsciScintilla::SloppyBraceMatch);
    m_text->setCaretLineVisible(true);
    m_text->setCaretWidth(2);
    m_text->setEdgeMode(QsciScintilla::EdgeNone);
    m_text->setScrollWidth(1);
    m_text->setScrollWidthTracking(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setFolding(QsciScintilla::NoFoldStyle);
    m_text->setMarginType(kNumberMargin, QsciScintilla::NumberMargin);
    m_text->setMarginType(kMarkMargin, QsciScintilla::SymbolMargin);
    m_text->setMarginWidth(kMarkMargin, 12);
    m_text->setMarginMarkerMask(kMarkMargin, 1 << kMistake);
    m_text->markerDefine(QsciScintilla::Circle, kMistake);
    m_text->indicatorDefine(QsciScintilla::SquiggleIndicator, kMistake);
    m_text->setAutoCompletionSource(QsciScintilla::AcsNone); // we know better what fits
    m_text->SendScintilla(Base::SCI_AUTOCSETSEPARATOR, static_cast<unsigned long>(' '));
    m_text->SendScintilla(Base::SCI_AUTOCSETMAXHEIGHT, 12UL);
    m_text->SendScintilla(Base::SCI_SETEXTRAASCENT, 2UL);
    m_text->SendScintilla(Base::SCI_SETEXTRADESCENT, 2UL);
}

void ScriptEditor::styleLexer()
{
    QFont font = m_theme.font(FontRole::Mono);
    font.setPointSizeF(kCodeSize * 72.0 / logicalDpiY()); // QScintilla knows points only
    m_lexer->setDefaultFont(font);
    m_lexer->setFont(font);
    m_text->setCallTipsPosition(QsciScintilla::CallTipsBelowText);
    m_lexer->setDefaultPaper(m_theme.color(ColorRole::Raised));
    m_lexer->setPaper(m_theme.color(ColorRole::Raised));
    m_lexer->setDefaultColor(m_theme.color(ColorRole::Text));
    m_lexer->setColor(m_theme.color(ColorRole::Text));
    for (const WordColor& word : kWordColors) {
        m_lexer->setColor(m_theme.color(word.role), word.style);
    }
}

void ScriptEditor::restyle()
{
    styleLexer();
    const QColor paper = m_theme.color(ColorRole::Raised);
    const QColor border = m_theme.color(ColorRole::Border);
    const QColor accent = m_theme.color(ColorRole::Accent);
    QColor selection = accent;
    selection.setAlphaF(0.3F);
    m_text->setPaper(paper);
    m_text->setColor(m_theme.color(ColorRole::Text));
    m_text->setCaretForegroundColor(m_theme.color(ColorRole::Text));
    m_text->setCaretLineBackgroundColor(m_theme.color(ColorRole::Surface));
    m_text->setSelectionBackgroundColor(selection);
    m_text->resetSelectionForegroundColor();
    m_text->setMarginsFont(m_lexer->font(QsciLexerPython::Default));
    m_text->setMarginsForegroundColor(m_theme.color(ColorRole::Muted));
    m_text->setMarginsBackgroundColor(m_theme.color(ColorRole::Surface));
    m_text->setMarginBackgroundColor(kMarkMargin, paper);
    m_text->setIndentationGuidesForegroundColor(border);
    m_text->setIndentationGuidesBackgroundColor(paper);
    m_text->setMatchedBraceForegroundColor(accent);
    m_text->setMatchedBraceBackgroundColor(m_theme.color(ColorRole::Grid));
    m_text->setUnmatchedBraceForegroundColor(m_theme.color(ColorRole::Bad));
    m_text->setUnmatchedBraceBackgroundColor(paper);
    m_text->setIndicatorForegroundColor(m_theme.color(ColorRole::Bad), kMistake);
    m_text->setMarkerBackgroundColor(m_theme.color(ColorRole::Bad), kMistake);
    m_text->setMarkerForegroundColor(m_theme.color(ColorRole::Bad), kMistake);
    m_text->setCallTipsBackgroundColor(m_theme.color(ColorRole::Surface));
    m_text->setCallTipsForegroundColor(m_theme.color(ColorRole::Text));
    m_text->setCallTipsHighlightColor(accent);
    m_text->setMarginWidth(kNumberMargin, QStringLiteral("00000"));
}

QString ScriptEditor::text() const
{
    return m_text->text();
}

void ScriptEditor::setText(const QString& text)
{
    const QScopedValueRollback loading(m_isLoading, true);
    m_text->setText(text);
    m_text->SendScintilla(Base::SCI_EMPTYUNDOBUFFER);
    setProblems({});
}

void ScriptEditor::replaceText(const QString& text)
{
    m_text->beginUndoAction();
    m_text->selectAll();
    m_text->replaceSelectedText(text);
    m_text->setCursorPosition(0, 0);
    m_text->endUndoAction();
}

void ScriptEditor::setProblems(std::vector<SourceProblem> problems)
{
    m_problems = std::move(problems);
    placeMarks();
}

void ScriptEditor::placeMarks()
{
    const int lastLine = std::max(0, m_text->lines() - 1);
    m_text->clearIndicatorRange(0, 0, lastLine, m_text->lineLength(lastLine), kMistake);
    m_text->markerDeleteAll(kMistake);
    for (const SourceProblem& problem : m_problems) {
        if (problem.place.line < 1) {
            continue;
        }
        const int line = std::min(problem.place.line - 1, lastLine);
        const QString text = m_text->text(line).remove(u'\n');
        int start = problem.place.column > 0 ? problem.place.column - 1 : 0;
        int end = problem.place.length > 0 ? start + problem.place.length : static_cast<int>(text.size());
        end = std::min(end, static_cast<int>(text.size()));
        if (start >= end) { // what is missing at the end of a line is shown at its last sign
            end = static_cast<int>(text.size());
            start = std::max(0, end - 1);
        }
        m_text->markerAdd(line, kMistake);
        m_text->fillIndicatorRange(line, start, line, end, kMistake);
    }
}

void ScriptEditor::goTo(const SourcePlace& place)
{
    if (place.line > 0) {
        m_text->setCursorPosition(place.line - 1, std::max(0, place.column - 1));
        m_text->ensureLineVisible(place.line - 1);
    }
    m_text->setFocus(Qt::OtherFocusReason);
}

SourcePlace ScriptEditor::cursor() const
{
    int line = 0;
    int index = 0;
    m_text->getCursorPosition(&line, &index);
    return {line + 1, index + 1, 0};
}

bool ScriptEditor::isCompleting() const
{
    return m_text->SendScintilla(Base::SCI_AUTOCACTIVE) != 0;
}

QString ScriptEditor::textBeforeCursor() const
{
    const long position = m_text->SendScintilla(Base::SCI_GETCURRENTPOS);
    return QString::fromUtf8(m_text->bytes(0, static_cast<int>(position))).remove(QChar(0));
}

void ScriptEditor::charAdded(int sign)
{
    const QChar added(static_cast<char16_t>(sign));
    if (added == u'(') {
        showCallTip();
    } else if (added == u')') {
        m_text->SendScintilla(Base::SCI_CALLTIPCANCEL);
    } else if (added == u'.' || added == u'_' || added.isLetterOrNumber()) {
        offer(false);
    } else if (added == u'\n') {
        const SourcePlace here = cursor(); // a line that opens a block indents the next one
        const QString before = m_text->text(here.line - 2).trimmed();
        if (here.line > 1 && before.endsWith(u':')) {
            m_text->indent(here.line - 1);
            m_text->setCursorPosition(here.line - 1, m_text->indentation(here.line - 1));
        }
    }
}

void ScriptEditor::offer(bool asked)
{
    if (isCompleting() && !asked) {
        return; // the open list narrows itself
    }
    const Completion completion = completionAt(textBeforeCursor(), text(), m_names, asked);
    if (completion.names.isEmpty()) {
        return;
    }
    const QByteArray names = completion.names.join(u' ').toUtf8();
    m_text->SendScintilla(Base::SCI_AUTOCSHOW, static_cast<unsigned long>(completion.typed.toUtf8().size()),
                          names.constData());
}

void ScriptEditor::showCallTip()
{
    const QStringList lines = callTipAt(textBeforeCursor());
    if (!lines.isEmpty()) {
        m_text->SendScintilla(Base::SCI_CALLTIPSHOW,
                              static_cast<unsigned long>(m_text->SendScintilla(Base::SCI_GETCURRENTPOS)),
                              lines.join(u'\n').toUtf8().constData());
    }
}

void ScriptEditor::showTip(const QPoint& position)
{
    const long at =
        m_text->SendScintilla(Base::SCI_POSITIONFROMPOINTCLOSE, static_cast<unsigned long>(position.x()),
                              static_cast<long>(position.y()));
    int line = 0;
    int index = 0;
    if (at >= 0) {
        m_text->lineIndexFromPosition(static_cast<int>(at), &line, &index);
    }
    for (const SourceProblem& problem : m_problems) {
        if (at >= 0 && problem.place.line == line + 1) {
            const QString hint = problem.hint.empty()
                                     ? QString()
                                     : QStringLiteral("\n") + QString::fromStdString(problem.hint);
            QToolTip::showText(m_text->viewport()->mapToGlobal(position),
                               QString::fromStdString(problem.message) + hint, m_text);
            return;
        }
    }
    QToolTip::hideText();
}

bool ScriptEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        showTip(static_cast<QHelpEvent*>(event)->pos());
        return true;
    }
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isPress = event->type() == QEvent::KeyPress;
        const bool control = key->modifiers() == Qt::ControlModifier;
        const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        const bool isEscape = key->key() == Qt::Key_Escape && !isCompleting() &&
                              m_text->SendScintilla(Base::SCI_CALLTIPACTIVE) == 0;
        const bool isOurs = (control && (isReturn || key->key() == Qt::Key_Space)) || isEscape;
        if (isOurs && !isPress) {
            event->accept(); // no shortcut of the window may take it
            return true;
        }
        if (isOurs) {
            if (isReturn) {
                Q_EMIT applyRequested();
            } else if (isEscape) {
                Q_EMIT cancelRequested();
            } else {
                offer(true);
            }
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace athanor
