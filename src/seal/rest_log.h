// What is neither scalar nor value (names, tags, states, console, gaps, sections of newer versions)
// of one writer, carried over as a short log in the live format, with the newest checkpoint.
#pragma once

#include <taffrail/result.h>

#include "codec/tlog/batch.h"
#include "codec/tlog/decode.h"
#include "codec/tlog/frame_encoder.h"
#include "io/file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::seal {

class RestLog {
  public:
    /// `nonce` is that of the writer's first log, so that the same logs give the same file.
    static Result<std::unique_ptr<RestLog>> create(const std::string& path,
                                                   const tlog::FileIdentity& identity,
                                                   std::uint64_t nonce);
    /// Takes everything but rows and values; a batch without any of it leaves no frame.
    Result<void> add(const tlog::DecodedBatch& batch);

    /// Kept until finish(): only the newest counts.
    void keep_checkpoint(ByteSpan payload) { checkpoint_.assign(payload.begin(), payload.end()); }

    void keep_end(ByteSpan payload) { end_.assign(payload.begin(), payload.end()); }

    /// A frame of a type this version does not know.
    Result<void> carry(const tlog::FrameHeader& header, ByteSpan payload);
    Result<void> finish();

  private:
    explicit RestLog(std::unique_ptr<io::File> file) : file_(std::move(file)), encoder_(3) {}

    Result<void> put(tlog::FrameType type, ByteSpan payload);

    std::unique_ptr<io::File> file_;
    tlog::FrameEncoder encoder_;
    Bytes checkpoint_, end_;
    std::map<std::uint32_t, std::uint64_t> ring_positions_;  ///< newest ones
};

}  // namespace taffrail::seal
