#include "store/sample_batch.h"

#include "base/names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace taffrail::store {
namespace {

std::uint32_t key_number(const std::string& name) {
    return name == "train/loss" ? 1 : name == "train/acc" ? 2 : 3;
}

}  // namespace

double sample_value(std::uint64_t writer, std::uint32_t key, std::uint64_t seq) {
    return static_cast<double>(writer % 1000) + key * 0.125 + static_cast<double>(seq) * 1e-3;
}

tlog::Batch sample_definitions() {
    tlog::Batch batch;
    batch.keys = {{1, Kind::Scalar, "train/loss"},
                  {2, Kind::Scalar, "train/acc"},
                  {3, Kind::Scalar, "lone"},
                  {4, Kind::Text, "note"},
                  {5, Kind::Hparams, "config"}};
    batch.schemas = {{1, {1, 2}}};
    return batch;
}

SampleRows::SampleRows(std::uint64_t writer, std::uint64_t first, std::size_t count,
                       std::uint32_t route) {
    for (std::uint64_t seq = first; seq < first + count; ++seq) {
        Columns& columns = seq % 4 == 3 ? lone_ : wide_;
        columns.seq.push_back(seq);
        columns.step.push_back(static_cast<std::int64_t>(seq));
        columns.time_ns.push_back(1'000'000'000 + static_cast<std::int64_t>(seq) * 1000);
        columns.route.push_back(route);
        if (seq % 4 == 3) {
            lone_keys_.push_back(3);
            lone_values_.push_back(sample_value(writer, 3, seq));
        } else {
            loss_.push_back(sample_value(writer, 1, seq));
            accuracy_.push_back(sample_value(writer, 2, seq));
        }
    }
    if (!wide_.seq.empty()) {
        batch_.wide.push_back({1, wide_.axes(), {loss_, accuracy_}});
    }
    if (!lone_.seq.empty()) {
        batch_.long_rows.push_back({lone_keys_, lone_.axes(), lone_values_});
    }
    batch_.ring_positions = {{0, first + count}};
    batch_.first_seq = first;
    batch_.rows = static_cast<std::uint32_t>(count);
}

tlog::FileIdentity sample_identity(std::uint64_t writer) {
    tlog::FileIdentity identity;
    identity.run_id = "01SAMPLE";
    identity.writer = writer;
    identity.host = "host";
    return identity;
}

std::string fresh_folder(const std::string& scheme) {
    static std::atomic<int> next = 0;
    if (scheme == "memory") {
        return "memory://store/runs/" + std::to_string(next++);
    }
    std::string pattern = "/tmp/taffrail-store-XXXXXX";
    return (scheme == "file" ? "" : scheme + "://") + std::string(mkdtemp(pattern.data()));
}

Delivered deliver(record::LogReader& reader, record::LogPosition from, std::size_t chunk_size,
                  RouteMask mask) {
    Delivered delivered;
    delivered.end = from;
    while (true) {
        auto chunk = reader.read(delivered.end, mask, chunk_size);
        EXPECT_TRUE(chunk.ok()) << (chunk.ok() ? "" : chunk.error().message);
        if (!chunk.ok() || (chunk->records.empty() && chunk->next == delivered.end)) {
            return delivered;
        }
        EXPECT_LE(chunk->records.size(), chunk_size);
        for (const Record& record : chunk->records) {
            delivered.rows.emplace_back(record.seq, std::string(record.key));
            delivered.wrong_value |=
                record.kind == Kind::Scalar &&
                record.scalar !=
                    sample_value(record.writer, key_number(std::string(record.key)), record.seq);
        }
        delivered.end = chunk->next;
    }
}

std::vector<std::pair<std::uint64_t, std::string>> expected_rows(std::size_t count) {
    std::vector<std::pair<std::uint64_t, std::string>> rows;
    for (std::uint64_t seq = 0; seq < count; ++seq) {
        if (seq % 4 == 3) {
            rows.emplace_back(seq, "lone");
        } else {
            rows.emplace_back(seq, "train/loss");
            rows.emplace_back(seq, "train/acc");
        }
    }
    return rows;
}

}  // namespace taffrail::store
