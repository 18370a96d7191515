// Event files made by hand, for tests of the reader.
#pragma once

#include <taffrail/key.h>

#include "codec/formats/tensorboard/encode.h"
#include "codec/formats/tensorboard/framing.h"
#include "io/files.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

namespace taffrail::sources::tensorboard::testing {

using namespace formats::tensorboard;

/// A folder of its own in memory.
inline std::string fresh_folder() {
    static std::atomic<int> counter{0};
    return "memory://tensorboard-test/" + std::to_string(counter++);
}

struct FileMaker {
    Bytes bytes;
    double wall = 1000;

    FileMaker& version() {
        Bytes payload;
        append_file_version_event(payload, wall);
        append_record(bytes, payload);
        return *this;
    }

    FileMaker& start(Step step) {
        Bytes payload;
        append_session_event(payload, wall, step, SessionStatus::Start);
        append_record(bytes, payload);
        return *this;
    }

    FileMaker& scalar(std::string_view tag, Step step, float value) {
        append_scalar_record(bytes, wall, step, tag, value, {});
        wall += 0.25;
        return *this;
    }

    FileMaker& value(const EncodedValue& value, Step step, bool with_metadata = true) {
        const Bytes one = encode_summary_value(value, with_metadata);
        Bytes payload;
        append_event(payload, wall, step, event::kSummary, encode_summary({&one, 1}));
        append_record(bytes, payload);
        return *this;
    }

    FileMaker& raw(ByteSpan junk) {
        append(bytes, junk);
        return *this;
    }

    FileMaker& payload(std::string_view text) {
        append_record(bytes, as_bytes(text));
        return *this;
    }

    void save(const std::string& folder,
              const std::string& name = "events.out.tfevents.1.host.1.0") const {
        ASSERT_TRUE(io::make_directories(folder).ok());
        ASSERT_TRUE(io::write_file_atomically(io::join(folder, name), bytes, false).ok());
    }
};

}  // namespace taffrail::sources::tensorboard::testing
