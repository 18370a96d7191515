// What a prepared download will hold, and the tickets that keep it until it is fetched.
#pragma once

#include "query/export/point_table.h"
#include "query/export/series_walk.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace taffrail::server {

struct ExportJob {
    enum class What : std::uint8_t { Series, WideSeries, Runs };

    What what = What::Series;
    query::TableFormat table = query::TableFormat::Csv;
    std::string name;  ///< of the file
    query::ExportQuestion question;
    std::vector<std::string> columns;  ///< What::Runs

    /// About how much memory it holds.
    [[nodiscard]] std::size_t bytes() const;
};

/// Prepared downloads, kept for an hour; at most 1,000 and a few megabytes of them: the oldest go
/// first. Safe from any thread.
class ExportTickets {
  public:
    explicit ExportTickets(std::size_t limit_bytes = 16u << 20) : limit_bytes_(limit_bytes) {}

    /// The id to fetch it by; empty when the job alone is beyond the limit.
    std::string add(ExportJob job);
    /// Null when it was never there or is no longer.
    [[nodiscard]] std::shared_ptr<const ExportJob> find(const std::string& id);
    /// Held by all tickets together.
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Ticket {
        std::string id;
        std::shared_ptr<const ExportJob> job;
        std::size_t bytes = 0;
        std::int64_t made_ns = 0;
    };

    void forget_oldest();

    const std::size_t limit_bytes_;
    mutable std::mutex mutex_;
    std::deque<Ticket> order_;  ///< oldest first
    std::map<std::string, std::shared_ptr<const ExportJob>> jobs_;
    std::size_t bytes_ = 0;
};

}  // namespace taffrail::server
