// The meta records in force: of each name, tag and summary value the newest one.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"
#include "model/metric_meaning.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::store {

/// Takes records of one or several writers in any order: the newest by (time, row number) wins.
class MetaState {
  public:
    void apply(const tlog::MetaRecord& record);
    void merge(const MetaState& other);

    /// Everything in force, oldest first. Views live as long as this object is not changed. The
    /// environment is large and written once, so it can be left out.
    enum class Environment : std::uint8_t { Leave, Include };
    [[nodiscard]] std::vector<tlog::MetaRecord> in_force(Environment environment) const;

    /// Name, project, tags, summary, colour, archive mark and tombstone; the state is the reader's
    /// to decide.
    void describe(RunInfo& info) const;
    [[nodiscard]] Hparams environment() const;
    /// What define_metric said, oldest first.
    [[nodiscard]] model::MetricDefinitions metric_definitions() const;
    /// Message of the newest state record, or empty.
    [[nodiscard]] std::string state_message() const;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  private:
    struct Entry {
        tlog::MetaType type = tlog::MetaType::Name;
        std::uint64_t seq = 0;
        std::int64_t time_ns = 0;
        Bytes payload;
        std::uint64_t order = 0;  ///< of arrival: the environment keeps the order it was written in
    };

    void put(tlog::MetaType type, std::string_view part, Entry entry);

    std::map<std::pair<tlog::MetaType, std::string>, Entry> entries_;
    std::uint64_t next_order_ = 0;
};

}  // namespace taffrail::store
