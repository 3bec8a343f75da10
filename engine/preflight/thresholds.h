// Any thread (constants). Every limit of the pre-flight check; docs/diagnosis.md tells where each comes from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace athanor::limits {

// How much is kept of a pass, so that memory does not grow with the data.
inline constexpr std::size_t kMostColumns = 4096; ///< of a field that are looked at one by one
inline constexpr std::size_t kMostRows = 4096;    ///< of a table that are kept for what needs whole rows
inline constexpr std::size_t kMostKeptNumbers = 1 << 22; ///< of those rows, all together
inline constexpr std::size_t kExtremes = 8;              ///< smallest and largest values kept of a column

// data/outlier: distance from the 1st or 99th percentile, and gap to the nearest other value, in units of the range
// between the two. The height of abalone.csv, mistyped twice, lies 5 away; lognormal tails are gradual.
inline constexpr double kOutlierDistance = 20;
inline constexpr double kOutlierGap = 5;
inline constexpr double kOutlierShare = 0.005; ///< of the samples: more than this is no outlier but a tail
inline constexpr std::int64_t kOutlierRows = 30;

// data/badly-scaled-input. Networks start with weights made for inputs of about unit size (LeCun 1998, He 2015).
inline constexpr double kPictureRaw = 50;     ///< largest value: pixels are still 0 to 255
inline constexpr double kPictureTwice = 0.02; ///< largest value: divided by 255 twice
inline constexpr double kPictureMean =
    2.2; ///< of a channel: black pictures under ImageNet's numbers give −2.1
inline constexpr double kPictureDeviationLow = 0.02;
inline constexpr double kPictureDeviationHigh = 3;
inline constexpr double kColumnSize = 30;    ///< root mean square of a table's column
inline constexpr double kColumnTiny = 0.01;  ///< of the largest column
inline constexpr double kColumnRatio = 1000; ///< between two columns' deviations, when the larger is above 10
inline constexpr double kColumnRatioFloor = 10;
// data/badly-scaled-target: a squared error of 10^6 and more at the start.
inline constexpr double kTargetSize = 1000;

// Labels.
inline constexpr double kImbalanceInfo = 10; ///< largest class to smallest (SageMaker Debugger's rule)
inline constexpr double kImbalanceRatio = 100;
inline constexpr double kMajority = 0.95; ///< share of one class: always saying it is right 19 times of 20
inline constexpr double kFewPerClass = 5; ///< training samples of a class, on average
inline constexpr double kIgnoredLabels = 0.5;
inline constexpr double kSortedExcess = 0.5;  ///< how far neighbours agree beyond chance; 1: sorted
inline constexpr double kSortedTarget = 0.98; ///< share of neighbours in order
// data/label-mismatch: the nearest class centre tells the labels of the row before or after, but not a row's own.
// Accuracies count each class alike; their difference must exceed both.
inline constexpr double kShiftGain = 0.1;
inline constexpr double kShiftErrors = 4; ///< standard errors of the difference
inline constexpr double kShiftOwn = 0.3;  ///< own accuracy above chance, in parts of the shifted one's
inline constexpr std::int64_t kManyClasses = 20;
inline constexpr double kFewRowsOfClass = 20;

// Copies. Tables have natural duplicates (a sixth of winequality-red.csv), pictures and texts do not.
inline constexpr double kTableLeak = 0.4;     ///< share of a part's rows that are in train too
inline constexpr double kTableDistinct = 0.5; ///< share of distinct rows below which rows repeat by nature
inline constexpr double kTextLeak = 0.005;
inline constexpr double kNearLeak = 0.005; ///< share of a part's pictures that nearly are in train
inline constexpr double kDuplicateShare = 0.5;
inline constexpr double kContradictingTable = 0.3;
inline constexpr std::int64_t kNearPixels = 32; ///< smaller pictures look alike by nature (digits)
inline constexpr int kNearBits = 3;             ///< of the 64 of a difference hash
inline constexpr double kNearLevels = 2.5;      ///< mean difference of the 8×8 small pictures, of 255
inline constexpr double kNearContrast =
    12; ///< deviation of a small picture, of 255, below which it says nothing

// data/target-leak.
inline constexpr double kLeakCorrelation = 0.9995;
inline constexpr std::int64_t kLeakRows = 20;
inline constexpr double kLeakGap = 3;       ///< between classes, in ranges of a class
inline constexpr double kLeakOthers = 0.98; ///< accuracy that another column must not reach alone

// data/split-shift.
inline constexpr double kShiftMean = 1.0;      ///< training deviations between means
inline constexpr double kShiftSize = 10;       ///< ratio of root mean squares
inline constexpr std::int64_t kShiftRows = 20; ///< samples of a part, at least
inline constexpr double kShiftClasses = 0.6;   ///< total variation between the parts' classes

// data/layout-scrambled: see jpeg_lattice.h. Healthy pictures reach 0.35, turned ones 1 to 6.
inline constexpr double kOrderEvidence = 1.0;
inline constexpr double kOrderLattice = 4.0;

// Text.
inline constexpr double kUnknownTokens = 0.2;

} // namespace athanor::limits
