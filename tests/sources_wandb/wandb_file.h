// `.wandb` files for tests: records in, bytes out.
#pragma once

#include "../test_files.h"
#include "codec/formats/wandb/encode.h"
#include "codec/formats/wandb/framing.h"
#include "sources/wandb/catalogue.h"

#include <string>

namespace taffrail::test {

class WandbFile {
  public:
    WandbFile() {
        for (const std::uint8_t byte : formats::wandb::kFileHeader) {
            bytes_.push_back(static_cast<std::byte>(byte));
        }
    }

    WandbFile& add(const Bytes& record) {
        formats::wandb::append_record(bytes_, 0, record);
        return *this;
    }

    WandbFile& run(const std::string& id, std::int64_t start_s, bool resume = false) {
        return add(formats::wandb::encode_run(1, {.run_id = id,
                                                  .project = "p",
                                                  .display_name = id,
                                                  .start_time_ns = start_s * 1'000'000'000,
                                                  .resume = resume}));
    }

    WandbFile& row(std::int64_t step, double value) {
        formats::wandb::HistoryRow row;
        row.add(formats::wandb::item_prefix("loss"), std::to_string(value));
        row.add(formats::wandb::item_prefix("_step"), std::to_string(step));
        row.add(formats::wandb::item_prefix("_timestamp"), std::to_string(1000 + step));
        return add(row.encode(1, step));
    }

    [[nodiscard]] const Bytes& bytes() const { return bytes_; }

    [[nodiscard]] std::string text() const { return std::string(as_text(bytes_)); }

  private:
    Bytes bytes_;
};

inline std::shared_ptr<Catalogue> open_folder(const TestFolder& folder) {
    return sources::wandb::open_runs(folder.path()).value();
}

}  // namespace taffrail::test
