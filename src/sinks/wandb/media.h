// Values that are files there: written below files/media of the run folder, and told of in the row.
#pragma once

#include <taffrail/key.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::sinks::wandb {

/// A file that was written, as rows tell of it.
struct StoredFile {
    std::string path;  ///< below files/
    std::string sha256;
    std::uint64_t size = 0;
};

/// A page of HTML, as a value of its step: it has a place in rows there.
inline bool is_page(const Artifact& artifact) noexcept {
    return artifact.type == "html-file" && artifact.files.size() == 1;
}

/// Writes media of one run folder.
class MediaFiles {
  public:
    /// `folder` is files/ of the run folder.
    explicit MediaFiles(std::string folder) : folder_(std::move(folder)) {}

    /// `media/<kind>/<key>_<step>_<hash>.<ending>`: the name holds its content, so that writing
    /// twice is writing once.
    Result<StoredFile> store(std::string_view kind, std::string_view key, Step step,
                             std::string_view ending, ByteSpan bytes);

    /// The files written since the last call.
    std::vector<std::string> take_written() { return std::exchange(written_, {}); }

    /// A value as JSON for the history, its files written. Nothing for kinds that have no place in
    /// a row: those become artifacts.
    Result<std::optional<std::string>> json_of(std::string_view key, Step step, const Value& value);

  private:
    Result<std::string> image(std::string_view key, Step step, const Image& image);
    Result<std::string> audio(std::string_view key, Step step, const Audio& audio);
    Result<std::string> video(std::string_view key, Step step, const Video& video);
    Result<std::string> mesh(std::string_view key, Step step, const Mesh& mesh);
    Result<std::string> figure(std::string_view key, Step step, const Figure& figure);

    std::string folder_;
    std::vector<std::string> written_;
};

}  // namespace taffrail::sinks::wandb
