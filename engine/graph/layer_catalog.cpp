#include "engine/graph/catalog_parts.h"

#include <iterator>

namespace athanor {

const NodeCatalog& layerCatalog()
{
    static const NodeCatalog catalog = [] {
        std::vector<NodeKind> kinds;
        for (auto family : {linearLayers, convolutionLayers, poolingLayers, normalizationLayers,
                            activationLayers, dropoutLayers, shapeLayers, spatialLayers, combineLayers,
                            embeddingLayers, recurrentLayers, attentionLayers, scriptLayers, groupKinds,
                            lossLayers}) {
            std::vector<NodeKind> more = family();
            kinds.insert(kinds.end(), std::make_move_iterator(more.begin()),
                         std::make_move_iterator(more.end()));
        }
        return NodeCatalog(std::move(kinds));
    }();
    return catalog;
}

} // namespace athanor
