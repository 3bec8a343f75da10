// Any thread (constants). Every limit that the doctor's rules hold a number against; docs/diagnosis.md gives the reasons.
#pragma once

namespace athanor::limits {

// --- structure ---
inline constexpr double kDropout = 0.7; ///< share of units; Srivastava et al. 2014 see 0.5 to 0.6 as the useful end

// --- initial weights: standard deviation against He's √(2 / fan_in) ---
inline constexpr double kInitLarge = 5;
inline constexpr double kInitSmall = 0.02;
inline constexpr double kDeadAtStart = 0.995; ///< share of zeros behind a ReLU in the first step

// --- optimizer ---
/// Share of a weight that decay takes away per step, lr·wd/(1 − momentum): 5e-3 halves it in 140 steps.
inline constexpr double kDecayPerStep = 5e-3;
inline constexpr double kAdamDecay = 0.05;   ///< Adam adds wd·w to gradients that it brings to size 1
inline constexpr double kClipRatio = 100;    ///< median gradient norm over the clip
inline constexpr double kScheduleFall = 1e-3; ///< median rate of the run over its highest
inline constexpr double kSlowUpdate = 1e-5;  ///< ‖Δw‖/‖w‖ per step; healthy runs have 1e-4 to 1e-2
inline constexpr double kFastUpdate = 0.1;   ///< the same, in the first steps
inline constexpr double kSpike = 1.5;        ///< loss over its start, within the first tenth
inline constexpr double kMomentum = 0.98;

// --- the course of a run ---
inline constexpr double kStartHigh = 8;        ///< first loss over what a guess costs (ln K, variance of the target)
inline constexpr double kGradientFall = 1e-3;  ///< gradient per element of the first layer over that of the last
inline constexpr double kTimeFall = 1e-4;      ///< gradient at the earliest time step over that at the latest
inline constexpr double kTimeRise = 1e4;
inline constexpr double kDead = 0.999;         ///< share of zeros behind a ReLU, in the last quarter
inline constexpr double kImproved = 0.9;       ///< best loss over first loss: at most this is learning
inline constexpr double kImprovedWell = 0.5;   ///< and this is learning well
inline constexpr double kBelowChance = 0.5;    ///< validation accuracy over 1/K, while the training part is learnt
inline constexpr int kFirstSteps = 20;         ///< what "the first steps" are

} // namespace athanor::limits
