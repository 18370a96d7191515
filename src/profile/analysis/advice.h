// Advice: what is slow by a rule with a number and a threshold, the events that show it, and what
// helps. docs/profiling/advice.md has a section for each rule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile::analysis {

enum class Exceeds : std::uint8_t { Above, Below };

/// A number that explains an advice: {"data loader", 59262000, "ns"}.
struct AdviceNumber {
    std::string name;
    double value = 0;
    std::string unit;  ///< "ns", "share", "count", "bytes", "bytes/s"
};

/// An event of the trace that made the rule hold, the longest first.
struct Evidence {
    std::string what;   ///< its name
    std::string where;  ///< "step 12", "GPU 0 stream 7"
    std::int64_t begin_ns = 0, duration_ns = 0;
};

struct Advice {
    std::string rule;     ///< "R1"
    std::string topic;    ///< "data-loader", stable; also the anchor in docs/profiling/advice.md
    std::string title;    ///< "The data loader keeps the step waiting"
    std::string text;     ///< sentences with the numbers in them
    std::string cure;     ///< what to do
    std::string caution;  ///< what it may cost; empty where nothing
    double measured = 0, threshold = 0;
    Exceeds exceeds = Exceeds::Above;  ///< it holds when measured is strictly above (below)
    std::string unit = "share";        ///< of measured and threshold
    std::vector<AdviceNumber> numbers;
    std::vector<Evidence> evidence;
};

struct Rule {
    std::string_view id, topic, title;
    double threshold = 0;
    Exceeds exceeds = Exceeds::Above;
    std::string_view unit;
};

/// Every rule there is, in order. A value exactly at the threshold does not fire.
std::span<const Rule> rules() noexcept;

}  // namespace taffrail::profile::analysis
