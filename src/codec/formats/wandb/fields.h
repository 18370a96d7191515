// Field numbers of the messages in a `.wandb` file; those of one message never change their
// meaning.
#pragma once

#include <cstdint>

namespace taffrail::formats::wandb {

/// What a record is: the number of its field in the envelope.
enum class RecordType : std::uint32_t {
    None = 0,
    History = 2,
    Summary = 3,
    Output = 4,
    Config = 5,
    Files = 6,
    Stats = 7,
    Artifact = 8,
    Alert = 10,
    Telemetry = 11,
    Metric = 12,
    OutputRaw = 13,
    Run = 17,
    Exit = 18,
    Final = 20,
    Header = 21,
    Footer = 22,
    Environment = 26,
    OutputLogger = 27,
};

inline constexpr std::uint32_t kNumberField = 1;  ///< of the envelope
inline constexpr std::uint32_t kItemKey = 1, kItemNestedKey = 2, kItemJson = 16;
inline constexpr std::uint32_t kUpdate = 1, kRemove = 2;  ///< config, summary

}  // namespace taffrail::formats::wandb
