// Any thread. Inside engine/graph: the shapes of a network, node by node, and only of what changed.
#pragma once

#include "engine/graph/graph_structure.h"

namespace athanor {

/// Visits the nodes in their order. A node that is the same as at the last inference, and gets the same, keeps what
/// was found then; what a program computes and what shares weights is always looked at anew, for more goes into it.
class ShapeInference {
public:
    /// `check` holds what the last inference of `structure` found, by the nodes' names. `sameFields`: `fields` are
    /// those of the last time.
    ShapeInference(GraphStructure& structure, const FieldTypes& fields, bool sameFields, const ScriptTyper& typer,
                   GraphCheck& check);
    void run();

private:
    void visit(std::size_t index);
    [[nodiscard]] bool isKnown(const NodeView& view) const;
    ShapeResult ruleOf(std::size_t index);
    [[nodiscard]] Json paramsOf(std::size_t index) const;
    void reportMisfits(std::size_t index, std::vector<ShapeProblem> problems);
    void limitExtents(std::size_t index, ShapeResult& result);
    void finish(std::size_t index, ShapeResult result);
    void collectInputs(const NodeView& view);
    std::optional<TensorType> fieldType(std::size_t index);
    void addUp();

    struct Arriving {
        const std::optional<TensorType>* type = nullptr;
        bool connected = false;
    };

    GraphStructure& m_structure;
    const FieldTypes& m_fields;
    bool m_sameFields;
    const ScriptTyper& m_typer;
    GraphCheck& m_check;
    std::vector<bool> m_done;            ///< nodes visited in this run
    std::vector<Arriving> m_arriving;    ///< at the node that is visited
    std::vector<std::size_t> m_tooEarly; ///< shared nodes visited before their owners
};

} // namespace athanor
