// Any thread (pure functions). Networks and training settings that learn well from data of a kind and size.
#pragma once

#include "engine/graph/graph.h"
#include "engine/preflight/proposal.h"
#include "engine/project/train_spec.h"

namespace athanor {

/// What the data are, as far as the choice of a network depends on it.
struct DataFacts {
    std::int64_t samples = 0; ///< to train on
    std::int64_t classes = 0; ///< 0: numbers are predicted
    std::int64_t outputs = 1; ///< numbers to predict
    std::int64_t height = 0;  ///< pictures, after the pipeline
    std::int64_t width = 0;
    std::int64_t columns = 0; ///< tables; steps of a window
    double targetMean = 0;    ///< numbers to predict
    double targetDeviation = 1;
    bool mask = false; ///< texts come with a mask
};

struct NetworkDraft {
    Graph graph;
    TrainSpec training;
    std::vector<ProposalChoice> choices;
};

/// Convolutions with batch normalization, halving the picture and doubling the channels until it is small.
Result<NetworkDraft> pictureNetwork(const DataFacts& facts);
/// Two hidden layers on columns of about unit size.
Result<NetworkDraft> tableNetwork(const DataFacts& facts);
/// What goes on as before by a straight line over the window, and what bends by a hidden layer beside it.
Result<NetworkDraft> seriesNetwork(const DataFacts& facts);
/// Words as vectors, convolutions over three to five of them, the largest answer of each (Kim 2014).
Result<NetworkDraft> textNetwork(const DataFacts& facts);

} // namespace athanor
