#include "ui/graph/inspector_panel.h"

#include "engine/graph/graph_edit.h"

#include "ui/graph/many_page.h"
#include "ui/graph/node_page.h"
#include "ui/graph/node_text.h"
#include "ui/graph/problem_places.h"
#include "ui/graph/training_page.h"
#include "ui/theme/theme.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kMinimumWidth = 280;

QScrollArea* scrolled(QWidget* page, QWidget* parent)
{
    auto* area = new QScrollArea(parent);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(page);
    return area;
}

QLabel* noteLabel(const char* name, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QString::fromLatin1(name));
    label->setProperty("look", QStringLiteral("muted"));
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setMargin(spacing::kAround);
    return label;
}

/// Resets what can be changed while a run is on.
void forgetLive(Graph& graph, const NodeCatalog& catalog)
{
    const std::vector<Node> nodes = graph.nodes();
    for (const Node& node : nodes) {
        const NodeKind* kind = catalog.find(node.kind);
        for (const ParamSpec& spec : kind ? kind->params : std::vector<ParamSpec>{}) {
            if (spec.live && node.params.contains(spec.name)) {
                static_cast<void>(apply(graph, GraphEdit{edit::SetParameter{node.id, spec.name, std::nullopt}}));
            }
        }
    }
}

} // namespace

InspectorPanel::InspectorPanel(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_theme(theme)
{
    setObjectName(QStringLiteral("inspector"));
    setAccessibleName(tr("Inspector"));
    setMinimumWidth(kMinimumWidth);
    selection.follow(document);
    auto* bar = new QFrame(this);
    bar->setObjectName(QStringLiteral("nextRunBar"));
    bar->setProperty("look", QStringLiteral("bar"));
    auto* barRow = new QHBoxLayout(bar);
    barRow->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kBetween, spacing::kInside);
    auto* barText = new QLabel(tr("Changes apply to the next run."), bar);
    barText->setWordWrap(true);
    barRow->addWidget(barText);
    bar->hide();
    m_bar = bar;
    m_pages = new QStackedWidget(this);
    makePages(document, selection);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_pages, 1);

    connect(&selection, &Selection::changed, this, &InspectorPanel::showSelection);
    connect(&document, &ProjectDocument::loaded, this, &InspectorPanel::showSelection);
    connect(&document, &ProjectDocument::graphChanged, this, &InspectorPanel::followChange);
    connect(&document, &ProjectDocument::trainingChanged, this, &InspectorPanel::followChange);
    connect(&document, &ProjectDocument::checked, this, [this] {
        m_nodePage->refreshCheck();
        m_manyPage->refresh();
        m_trainingPage->refreshCheck();
    });
    showSelection();
}

void InspectorPanel::makePages(ProjectDocument& document, Selection& selection)
{
    m_emptyText = noteLabel("noProjectText", m_pages);
    m_emptyText->setText(tr("No project is open. Open one to see and change its settings here."));
    m_manyPage = new ManyPage(document, m_theme, nullptr);
    m_nodePage = new NodePage(document, selection, m_theme, nullptr);
    m_trainingPage = new TrainingPage(document, m_theme, nullptr);
    m_pages->addWidget(m_emptyText);
    m_pages->addWidget(scrolled(m_manyPage, m_pages));
    m_pages->addWidget(scrolled(m_nodePage, m_pages));
    m_pages->addWidget(scrolled(m_trainingPage, m_pages));
    connect(m_trainingPage, &TrainingPage::liveSettingChanged, this, &InspectorPanel::liveSettingChanged);
    connect(m_nodePage, &NodePage::liveSettingChanged, this, &InspectorPanel::liveSettingChanged);
    connect(m_nodePage, &NodePage::fixRequested, this, &InspectorPanel::fixRequested);
    connect(m_trainingPage, &TrainingPage::fixRequested, this, &InspectorPanel::fixRequested);
}

void InspectorPanel::showSelection()
{
    const auto& nodes = m_selection.nodes();
    m_document.endMerge();
    if (!m_document.isOpen()) {
        m_pages->setCurrentIndex(0);
    } else if (nodes.size() > 1) {
        m_manyPage->showNodes(m_selection.part(), nodes);
        m_pages->setCurrentIndex(1);
    } else if (nodes.size() == 1) {
        m_nodePage->showNode(m_selection.part(), *nodes.begin());
        m_pages->setCurrentIndex(2);
    } else {
        m_trainingPage->refresh();
        m_pages->setCurrentIndex(3);
    }
    updateBar();
}

void InspectorPanel::followChange()
{
    m_nodePage->refresh();
    m_manyPage->refresh();
    m_trainingPage->refresh();
    updateBar();
}

/// What a run takes from the project at its start: everything but what can be changed while it is on.
std::string InspectorPanel::structure() const
{
    Project project = m_document.project();
    if (const auto* specs = optimizerParams(project.training.optimizer.kind)) {
        for (const ParamSpec& spec : *specs) {
            if (spec.live) {
                project.training.optimizer.params.erase(spec.name);
            }
        }
    }
    forgetLive(project.network, layerCatalog());
    forgetLive(project.data, dataCatalog());
    project.training.clipGradNorm.reset();
    project.training.clipGradValue.reset();
    project.training.freeze.clear();
    return semanticHash(project);
}

void InspectorPanel::setRunActive(bool active)
{
    m_runActive = active;
    m_runStructure = active ? structure() : std::string();
    m_nodePage->setRunActive(active);
    m_trainingPage->setRunActive(active);
    updateBar();
}

void InspectorPanel::updateBar()
{
    m_bar->setVisible(m_runActive && structure() != m_runStructure);
}

void InspectorPanel::showPlace(const QString& where)
{
    const std::string path = where.toStdString();
    for (const GraphPart part : {GraphPart::Data, GraphPart::Network}) {
        if (const auto place = m_document.reveal(part, path)) {
            m_selection.select(part, {place->first});
            m_nodePage->focusParameter(QString::fromStdString(place->second));
            return;
        }
    }
    if (where.startsWith(QStringLiteral("training"))) {
        m_selection.clear();
        m_trainingPage->focusPlace(where);
    }
}

} // namespace athanor
