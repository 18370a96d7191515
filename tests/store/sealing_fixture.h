// A run folder in memory with logs that are ready to be sealed.
#pragma once

#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "store/open_log.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace taffrail::store {

class SealingTest : public ::testing::Test {
  protected:
    void add(std::uint64_t writer, std::uint32_t attempt, std::uint64_t first, std::size_t rows) {
        tlog::FileIdentity identity = sample_identity(writer);
        identity.attempt = attempt;
        identity.start_time_ns = 1000 + static_cast<std::int64_t>(attempt);
        auto log = open_log(folder_, identity, {.roll_bytes = 3000}).value();
        tlog::Batch batch = sample_definitions();
        const Bytes hparams = encode_value(Value(Hparams{{"lr", 0.1 + attempt}}));
        tlog::ValueRecord& value = batch.values.emplace_back();
        value.seq = first;
        value.key = 5;
        value.kind = Kind::Hparams;
        value.metadata = hparams;
        value.epoch = std::numeric_limits<double>::quiet_NaN();
        value.time_ns = attempt;
        batch.meta = {{tlog::MetaType::Project, 1, 1, as_bytes("digits")}};
        batch.first_seq = first;
        batch.rows = 1;
        log->append(batch).value();
        for (std::size_t row = 1; row < rows; row += 20) {
            log->append(SampleRows(writer, first + row, 20).batch()).value();
        }
        log->close(RunState::Finished).value();
    }

    std::string folder_ = fresh_folder("memory") + "/01SAMPLE-x";
};

}  // namespace taffrail::store
