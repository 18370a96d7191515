// Records of several ranks in one run of a tracker: what each of them is called there.
//
// What rank 0 logs keeps its name. What rank N logs is told from it by `/rank_N` behind the name,
// or by a context where the tracker has such. Hyperparameters and summary values, which trackers
// nest at `/`, have `rank_N/` in front; hyperparameters of other ranks count where they differ from
// rank 0's. What is said of the run (tags, notes, definitions) is said by whoever says it.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/sink.h>

#include "base/key_order.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace taffrail::trackers {

/// Option `ranks` of every tracker: "zero" or "all".
inline constexpr const char* kRanksHelp =
    "zero: what rank 0 logs; all: what every rank logs, read by rank 0 from the run folder";
Result<void> check_ranks(const std::string& text);

inline bool is_all_ranks(const std::string& option) noexcept {
    return option == "all";
}

/// "/rank_3"; nothing for rank 0.
std::string rank_suffix(std::int32_t rank);
/// What rank `rank` calls `name`. Two never become one: a name that ends as such a suffix does gets
/// an underscore more.
std::string name_of_rank(std::string_view name, std::int32_t rank);

/// What rank `rank` calls a hyperparameter or a summary value: "rank_3/lr". Two never become one.
std::string setting_of_rank(std::string_view name, std::int32_t rank);

/// A name of name_of_rank(), taken apart at its suffix: both parts as they stand there.
struct RankedName {
    std::string_view name, suffix;
};

RankedName split_rank(std::string_view name) noexcept;

/// "[rank 3] text"; the text alone for rank 0.
std::string line_of_rank(std::string text, std::int32_t rank);

/// How the ranks' keys are told apart.
enum class KeysOfRanks : std::uint8_t { Suffix, Context };

class RankedRecords {
  public:
    explicit RankedRecords(KeysOfRanks keys) : keys_(keys) {}

    /// What the run said before the first record, with names as they are to be written.
    SinkContext begin(SinkContext context);
    /// The record as it is to be written; null where nothing of it is. Valid until the next call.
    const Record* told(const Record& record);

  private:
    const std::string& name_of(std::string_view key, std::int32_t rank);
    void remember(const Hparams& values);
    const Record* changed(const Record& record, Value value);

    KeysOfRanks keys_;
    std::map<std::string, Cell, std::less<>> said_;  ///< hyperparameters of rank 0
    std::deque<std::string> names_;
    std::map<std::int32_t, KeyOrder<const std::string>> order_;
    Record record_;
    Value value_;
};

}  // namespace taffrail::trackers
