// Batches for tests, with the memory their spans point into.
#pragma once

#include "codec/tlog/batch.h"
#include "record/log_writer.h"
#include "store/open_log.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::store {

/// The value key `key` has at row `seq` of `writer`.
double sample_value(std::uint64_t writer, std::uint32_t key, std::uint64_t seq);

/// Keys 1 "train/loss" and 2 "train/acc" in schema 1, key 3 "lone", key 4 "note" (text), key 5
/// "config" (hyperparameters).
tlog::Batch sample_definitions();

/// Rows first … first+count-1: every fourth a lone scalar, the others wide.
class SampleRows {
  public:
    SampleRows(std::uint64_t writer, std::uint64_t first, std::size_t count,
               std::uint32_t route = kAllSinks);

    [[nodiscard]] const tlog::Batch& batch() const { return batch_; }

    tlog::Batch& batch() { return batch_; }

  private:
    struct Columns {
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time_ns;
        std::vector<std::uint32_t> route;

        [[nodiscard]] tlog::Axes axes() const { return {seq, step, time_ns, {}, {}, {}, route}; }
    };

    Columns wide_, lone_;
    std::vector<double> loss_, accuracy_, lone_values_;
    std::vector<std::uint32_t> lone_keys_;
    tlog::Batch batch_;
};

tlog::FileIdentity sample_identity(std::uint64_t writer = 0xABC);

/// A fresh folder below the memory or the fault file system.
std::string fresh_folder(const std::string& scheme);

struct Delivered {
    std::vector<std::pair<std::uint64_t, std::string>> rows;  ///< row number and key, in order
    bool wrong_value = false;
    record::LogPosition end;
};

/// Everything a sink would get, read in chunks of `chunk` records from `from` on.
Delivered deliver(record::LogReader& reader, record::LogPosition from = {}, std::size_t chunk = 7,
                  RouteMask mask = kAllSinks);
/// What it should get for rows 0 … count-1.
std::vector<std::pair<std::uint64_t, std::string>> expected_rows(std::size_t count);

}  // namespace taffrail::store
