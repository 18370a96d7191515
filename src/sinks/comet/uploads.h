// Values that are files there: written into the archive's folder, and told of in messages.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>

#include "codec/value_files.h"
#include "sinks/comet/archive.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail::sinks::comet {

class Uploads {
  public:
    /// `number` is that of the last message.
    Uploads(ArchiveFolder& folder, std::int64_t& number) : folder_(folder), number_(number) {}

    /// Files and messages of any value but scalars and what describes the run.
    Result<void> take(const Record& record);

  private:
    struct About {
        std::string_view key, kind, type;
        Step step = 0;
        std::int64_t time_ns = 0;
        std::int64_t value = 0;  ///< number of its first message: what belongs together has one
        std::string_view caption;
    };

    Result<void> put(const About& about, const std::string& shown, const ValueFile& file);
    /// The name in the folder.
    Result<std::string> store(const ValueFile& file);
    Result<void> mesh(const About& about, const Mesh& mesh);
    Result<void> embedding(const About& about, const Embedding& embedding);

    ArchiveFolder& folder_;
    std::int64_t& number_;
};

}  // namespace taffrail::sinks::comet
