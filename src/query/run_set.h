// The runs that questions are asked of, and what is kept between two questions. The server's
// workspace is one; a program with a few open runs is another.
#pragma once

#include <taffrail/reader.h>

#include "query/chart/line_cache.h"
#include "query/chart/rank_index.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::query {

/// What a table or a chart needs of a run without its points. Immutable once made.
struct RunDetails {
    std::string id;        ///< unique in its set
    std::size_t root = 0;  ///< which of several roots it came from
    RunInfo info;
    std::vector<KeyInfo> keys;  ///< sorted by name
    std::uint64_t revision = 0;

    /// A key may have had several kinds; the scalar one where none is asked for.
    [[nodiscard]] const KeyInfo* key(std::string_view name,
                                     std::optional<Kind> kind = {}) const noexcept;
};

/// Thrown out of a question whose asker has gone: nobody takes the answer.
class Cancelled final : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "the asker has gone"; }
};

/// Safe from any thread.
class RunSet {
  public:
    explicit RunSet(std::size_t line_bytes = 256u << 20) : lines_(line_bytes) {}

    virtual ~RunSet() = default;

    /// Null where there is no such run.
    [[nodiscard]] virtual std::shared_ptr<const RunDetails> details(std::string_view id) const = 0;
    /// The run itself: hold it for one answer.
    [[nodiscard]] virtual Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const = 0;

    [[nodiscard]] LineCache& lines() noexcept { return lines_; }

    [[nodiscard]] RankIndex& ranks() noexcept { return ranks_; }

    /// Runs `work(i)` for i in [0, count) on several threads; what it throws comes out here. After
    /// a request to stop no more is begun, and Cancelled comes out.
    static void parallel(std::size_t count, const std::function<void(std::size_t)>& work,
                         const std::stop_token& stop = {});

  private:
    LineCache lines_;
    RankIndex ranks_;
};

}  // namespace taffrail::query
