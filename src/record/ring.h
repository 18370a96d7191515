// A ring file of this process: made, mapped and locked here; pushed to by one producer, drained by
// the collector.
#pragma once

#include <taffrail/result.h>

#include "io/file.h"
#include "record/identity.h"
#include "record/ring_layout.h"

#include <memory>
#include <string>

namespace taffrail::record {

class Ring {
  public:
    /// Makes `<folder>/<writer>-<number>.ring` with room for `bytes` of entries (rounded up to a
    /// power of two) and real blocks behind it, so that no later store can fail.
    static Result<std::unique_ptr<Ring>> create(const std::string& folder,
                                                const WriterIdentity& identity,
                                                std::uint32_t number, std::uint32_t producer,
                                                std::uint32_t generation, std::uint64_t bytes);
    /// The same without a file behind it: nothing is left of it when the process dies.
    static Result<std::unique_ptr<Ring>> create_in_memory(const WriterIdentity& identity,
                                                          std::uint32_t number,
                                                          std::uint32_t producer,
                                                          std::uint32_t generation,
                                                          std::uint64_t bytes);
    /// Leaves the file; the mapping goes.
    ~Ring() = default;

    [[nodiscard]] RingState& state() const noexcept {
        return *reinterpret_cast<RingState*>(mapping_.data() + kRingStateOffset);
    }

    [[nodiscard]] std::uint64_t* words() const noexcept {
        return reinterpret_cast<std::uint64_t*>(mapping_.data() + kRingDataOffset);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }

    [[nodiscard]] std::uint64_t bytes() const noexcept { return capacity_ * 8; }

    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

    /// In the first lap: makes the pages ahead of `head` ready, so that log calls do not fault.
    /// Collector only.
    void prefault(std::uint64_t head) noexcept;
    /// Collector: puts the drained words out of this core's cache. A line that two cores hold makes
    /// the producer's next store to it wait for the other core (6.5 ns a value instead of 0.6).
    void hand_back(std::uint64_t from, std::uint64_t to) noexcept;
    /// Removes the file; the mapping stays until the destructor.
    void remove() noexcept;
    /// Removes the file, gives back its blocks and its descriptor, and swaps the mapping for
    /// private zero pages: a log call that is still under way in another thread then writes into
    /// nothing instead of crashing.
    void retire() noexcept;

  private:
    Ring(std::unique_ptr<io::File> file, io::Mapping mapping, std::uint64_t capacity,
         const WriterIdentity& identity, std::uint32_t number, std::uint32_t producer,
         std::uint32_t generation);

    std::unique_ptr<io::File> file_;  ///< null: in memory, or retired
    io::Mapping mapping_;
    std::uint64_t capacity_ = 0;
    std::uint32_t number_ = 0;
    std::uint64_t prefaulted_ = 0;  ///< bytes of entries
};

/// Checks magic, version and CRC of a header read from a file nobody vouches for.
Result<RingHeader> check_ring_header(ByteSpan bytes, const std::string& path);

}  // namespace taffrail::record
