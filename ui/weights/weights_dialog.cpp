#include "ui/weights/weights_dialog.h"

#include "ui/theme/theme.h"
#include "ui/weights/weights_delegate.h"
#include "ui/weights/weights_model.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr std::chrono::milliseconds kReadDelay{150};
constexpr int kWidth = 940;
constexpr int kHeight = 640;
constexpr int kLeftOverLines = 4;
constexpr int kBusyWidth = 120;

/// Rows whose names hold a text, all or those that nothing is loaded for.
class ShownRows : public QSortFilterProxyModel {
public:
    ShownRows(WeightsModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) { setSourceModel(&model); }
    void setFilter(const QString& text, bool onlyOpen)
    {
        m_text = text;
        m_onlyOpen = onlyOpen;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& /*parent*/) const override
    {
        if (m_onlyOpen && m_model.isLoaded(row))
            return false;
        const auto holds = [&](int column) {
            return m_model.index(row, column).data(Qt::DisplayRole).toString().contains(m_text, Qt::CaseInsensitive);
        };
        return holds(WeightsModel::Name) || holds(WeightsModel::From);
    }

private:
    WeightsModel& m_model;
    QString m_text;
    bool m_onlyOpen = false;
};

QLabel* wrappedLabel(const char* name, const char* look, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText); // names of a file are nobody's markup
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (*look != '\0')
        label->setProperty("look", QLatin1String(look));
    return label;
}

QString contentsText(const WeightsContents& contents)
{
    QString text = WeightsDialog::tr("%1 with %n tensor(s)", nullptr, static_cast<int>(contents.tensors.size()))
                       .arg(QString::fromStdString(weightsFormatName(contents.format)));
    if (!contents.entry.empty())
        text += WeightsDialog::tr(" in its entry %1").arg(QString::fromStdString(contents.entry));
    text += QLatin1Char('.');
    for (const std::string& note : contents.notes)
        text += QLatin1Char(' ') + QString::fromStdString(note);
    return text;
}

} // namespace

WeightsDialog::WeightsDialog(Project project, const Theme& theme, QWidget* parent, InspectFunction inspect)
    : QDialog(parent), m_project(std::move(project)), m_theme(theme), m_inspect(std::move(inspect)),
      m_model(new WeightsModel(theme, this)), m_shown(new ShownRows(*m_model, this)),
      m_worker(
          kReadDelay,
          [this] { return Job{m_project, m_project.folder() / m_file->text().trimmed().toStdString(), m_inspect}; },
          [](const Job& job, const auto& cancelled) -> Answer {
              if (cancelled())
                  return std::nullopt;
              return job.inspect(job.project, job.file);
          },
          [this](const Answer& answer) {
              if (answer)
                  receive(*answer);
          })
{
    setObjectName(QStringLiteral("weightsDialog"));
    setWindowTitle(tr("Start from weights"));
    setAcceptDrops(true);
    resize(kWidth, kHeight);
    m_choice.byHand = m_project.training.weightsMap;
    m_choice.file = m_project.training.weights.empty() ? std::filesystem::path() : m_project.folder() / m_project.training.weights;
    // The report is made without them, so that a file or names that do not fit any more can be mended here.
    const QString file = QString::fromStdString(m_project.training.weights);
    m_project.training.weights.clear();
    m_project.training.weightsMap.clear();

    auto* column = new QVBoxLayout(this);
    column->setSpacing(spacing::kBetween);
    column->addLayout(makeFileRow());
    m_contents = wrappedLabel("weightsContents", "muted", this);
    m_summary = wrappedLabel("weightsSummary", "", this);
    column->addWidget(m_contents);
    column->addWidget(m_summary);
    column->addLayout(makeTools());
    column->addWidget(makeTable(), 1);
    m_leftOverTitle = wrappedLabel("leftOverTitle", "muted", this);
    m_leftOver = new QListWidget(this);
    m_leftOver->setObjectName(QStringLiteral("leftOver"));
    m_leftOver->setAccessibleName(tr("Tensors of the file that the network does not take"));
    m_leftOver->setFont(m_theme.font(FontRole::Mono));
    m_leftOver->setFixedHeight(kLeftOverLines * fontMetrics().height() + spacing::kAround);
    column->addWidget(m_leftOverTitle);
    column->addWidget(m_leftOver);
    column->addWidget(makeButtons());
    connect(m_model, &WeightsModel::mappingChanged, this, &WeightsDialog::showMapping);
    m_file->setText(file);
    read();
}

WeightsDialog::~WeightsDialog() = default;

QLayout* WeightsDialog::makeFileRow()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing::kBetween);
    m_file = new QLineEdit(this);
    m_file->setObjectName(QStringLiteral("weightsFile"));
    m_file->setAccessibleName(tr("File of weights"));
    m_file->setPlaceholderText(tr("Type, choose or drop a .pt, .pth or .safetensors file"));
    m_file->setClearButtonEnabled(true);
    auto* label = new QLabel(tr("File"), this);
    label->setBuddy(m_file);
    auto* browse = new QPushButton(tr("Choose…"), this);
    browse->setObjectName(QStringLiteral("chooseWeights"));
    browse->setAutoDefault(false);
    m_busy = new QProgressBar(this);
    m_busy->setRange(0, 0);
    m_busy->setFixedWidth(kBusyWidth);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(tr("The file is being read"));
    row->addWidget(label);
    row->addWidget(m_file, 1);
    row->addWidget(m_busy);
    row->addWidget(browse);
    connect(m_file, &QLineEdit::textChanged, this, &WeightsDialog::read);
    connect(browse, &QPushButton::clicked, this, &WeightsDialog::browse);
    return row;
}

QLayout* WeightsDialog::makeTools()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing::kBetween);
    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("weightsFilter"));
    m_filter->setPlaceholderText(tr("Find a name"));
    m_filter->setAccessibleName(tr("Find a tensor by its name"));
    m_filter->setClearButtonEnabled(true);
    m_onlyOpen = new QCheckBox(tr("Only what is not loaded"), this);
    m_onlyOpen->setObjectName(QStringLiteral("onlyOpen"));
    m_suggest = new QPushButton(this);
    m_suggest->setObjectName(QStringLiteral("useSuggestion"));
    m_suggest->setToolTip(tr("Joins what is missing and what is left over by their order and shape. Look at the outcome: "
                             "equal shapes do not prove that two tensors belong together."));
    m_suggest->setAutoDefault(false);
    m_forget = new QPushButton(tr("Forget what was chosen by hand"), this);
    m_forget->setObjectName(QStringLiteral("forgetByHand"));
    m_forget->setAutoDefault(false);
    row->addWidget(m_filter, 1);
    row->addWidget(m_onlyOpen);
    row->addWidget(m_suggest);
    row->addWidget(m_forget);
    connect(m_filter, &QLineEdit::textChanged, this, &WeightsDialog::applyFilter);
    connect(m_onlyOpen, &QCheckBox::toggled, this, &WeightsDialog::applyFilter);
    connect(m_suggest, &QPushButton::clicked, this, [this] {
        WeightsMap byHand = m_model->byHand();
        byHand.merge(WeightsMap(m_model->report().mapping.suggested));
        m_model->setByHand(std::move(byHand));
    });
    connect(m_forget, &QPushButton::clicked, this, [this] { m_model->setByHand({}); });
    return row;
}

QWidget* WeightsDialog::makeTable()
{
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("weightsTable"));
    m_table->setAccessibleName(tr("Tensors of the network and what fills them"));
    m_table->setModel(m_shown);
    m_table->setItemDelegateForColumn(WeightsModel::From, new WeightsDelegate(m_table));
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::AnyKeyPressed);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + spacing::kBetween);
    QHeaderView* header = m_table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setStretchLastSection(true);
    const int widths[] = {270, 130, 270, 130};
    for (int i = 0; i < static_cast<int>(std::size(widths)); ++i)
        header->resizeSection(i, widths[i]);
    return m_table;
}

QWidget* WeightsDialog::makeButtons()
{
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_accept = buttons->addButton(tr("Start from these weights"), QDialogButtonBox::AcceptRole);
    m_accept->setObjectName(QStringLiteral("acceptWeights"));
    auto* fresh = buttons->addButton(tr("Start fresh"), QDialogButtonBox::DestructiveRole);
    fresh->setObjectName(QStringLiteral("startFresh"));
    fresh->setToolTip(tr("No file: every tensor is initialised"));
    fresh->setEnabled(!m_choice.file.empty());
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_accept, &QPushButton::clicked, this, [this] {
        finish({(m_project.folder() / m_file->text().trimmed().toStdString()).lexically_normal(), m_model->byHand()});
    });
    connect(fresh, &QPushButton::clicked, this, [this] { finish({}); });
    return buttons;
}

void WeightsDialog::finish(WeightsChoice choice)
{
    m_choice = std::move(choice);
    accept();
}

bool WeightsDialog::isReading() const
{
    return m_worker.isBusy();
}

void WeightsDialog::browse()
{
    const QString now = m_file->text().trimmed();
    const auto at = now.isEmpty() ? m_project.folder() : m_project.folder() / now.toStdString();
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Choose a file of weights"), QString::fromStdString(at.string()),
        tr("Weights (*.pt *.pth *.bin *.ckpt *.safetensors);;All files (*)"));
    if (!file.isEmpty())
        take(file.toStdString());
}

void WeightsDialog::take(const std::filesystem::path& file)
{
    m_file->setText(QString::fromStdString(writtenFile(file, m_project.folder())));
}

void WeightsDialog::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.first().isLocalFile())
        event->acceptProposedAction();
}

void WeightsDialog::dropEvent(QDropEvent* event)
{
    take(event->mimeData()->urls().first().toLocalFile().toStdString());
    event->acceptProposedAction();
}

void WeightsDialog::read()
{
    // What was chosen by hand for one file is tried on the next: names often stay.
    if (m_model->hasReport())
        m_choice.byHand = m_model->byHand();
    m_model->clear();
    const bool isNamed = !m_file->text().trimmed().isEmpty();
    m_busy->setVisible(isNamed);
    m_contents->setText(isNamed ? tr("The file is being read, and the data opened, which decides the shapes of the network.")
                                : tr("A run can start from PyTorch's state_dict files and checkpoints, from safetensors and from "
                                     "checkpoints of earlier runs. Nothing in a file is executed."));
    if (isNamed)
        m_worker.request();
}

void WeightsDialog::receive(const Result<WeightsReport>& report)
{
    m_busy->hide();
    if (m_file->text().trimmed().isEmpty())
        return;
    if (!report)
        return showError(report.error());
    auto [known, dropped] = knownNames(m_choice.byHand, *report);
    m_contents->setText(contentsText(report->file) + (dropped.isEmpty() ? QString() : QLatin1Char(' ') + dropped));
    m_model->setReport(*report, std::move(known));
}

void WeightsDialog::showError(const Error& error)
{
    m_contents->clear();
    showSummary(QString::fromStdString(error.text()), Summary::Error);
}

void WeightsDialog::showSummary(const QString& text, Summary kind)
{
    const bool isError = kind == Summary::Error;
    m_summary->setProperty("look", isError ? QStringLiteral("hint") : QString());
    m_summary->setProperty("severity", isError ? QStringLiteral("error") : QString());
    m_summary->style()->unpolish(m_summary); // style sheets look at properties once
    m_summary->style()->polish(m_summary);
    m_summary->setMargin(isError ? spacing::kInside : 0); // a change of look leaves the padding as it was
    m_summary->setText(text);
    m_summary->setVisible(!text.isEmpty());
}

void WeightsDialog::showMapping()
{
    const bool hasReport = m_model->hasReport();
    for (QWidget* widget : std::initializer_list<QWidget*>{m_table, m_filter, m_onlyOpen, m_forget})
        widget->setEnabled(hasReport);
    m_leftOver->clear();
    m_leftOverTitle->clear();
    m_accept->setEnabled(hasReport && m_model->report().mapping.loaded() > 0);
    m_suggest->setVisible(hasReport && !m_model->report().mapping.suggested.empty());
    m_leftOver->hide();
    if (!hasReport)
        return showSummary({}, Summary::Plain);
    const WeightsReport& report = m_model->report();
    const bool fits = report.mapping.loaded() > 0;
    showSummary(QString::fromStdString(fits ? mappingText(report.mapping, report.network, report.file.tensors)
                                            : nothingFits(report.mapping, report.network, report.file.tensors).text()),
                fits ? Summary::Plain : Summary::Error);
    m_suggest->setText(tr("Join %n by order and shape", nullptr, static_cast<int>(report.mapping.suggested.size())));
    m_forget->setEnabled(!m_model->byHand().empty());
    showLeftOver();
    applyFilter();
}

void WeightsDialog::showLeftOver()
{
    const WeightsReport& report = m_model->report();
    for (const std::size_t index : report.mapping.leftOver) {
        const WeightsTensor& tensor = report.file.tensors[index];
        m_leftOver->addItem(QString::fromStdString(tensor.name + "  " + extentsText(tensor.shape) + "  " + tensor.type + ", saved on " + tensor.device));
    }
    m_leftOver->setVisible(m_leftOver->count() > 0);
    m_leftOverTitle->setText(m_leftOver->count() > 0 ? tr("Left over in the file: %n tensor(s)", nullptr, m_leftOver->count())
                                                     : tr("Nothing of the file is left over."));
}

void WeightsDialog::applyFilter()
{
    static_cast<ShownRows*>(m_shown)->setFilter(m_filter->text(), m_onlyOpen->isChecked());
}

} // namespace athanor
