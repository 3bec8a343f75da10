// Any thread (a value). Random numbers that depend on what they are for, not on who draws them or when.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace athanor {

/// SplitMix64 (Steele, Lea, Flood 2014): a counter put through a mixing function. Every key gives its own
/// sequence, the same on every machine and with any number of workers.
class SampleRandom {
public:
    /// E.g. {seed, epoch, sample, step}: the order counts.
    SampleRandom(std::initializer_list<std::uint64_t> key)
    {
        for (const std::uint64_t part : key)
            m_state = mix(m_state + kGamma + part);
    }

    std::uint64_t next() { return mix(m_state += kGamma); }
    /// In [0, 1), 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    /// In [0, count); count > 0. The bias is below count / 2^64.
    std::int64_t below(std::int64_t count)
    {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
    }
    /// Standard normal (Box and Muller; the second value is not kept, so that draws stay easy to count).
    double normal()
    {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }

private:
    static constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;
    static std::uint64_t mix(std::uint64_t z)
    {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    std::uint64_t m_state = 0;
};

} // namespace athanor
