// The words of a ring that a dead process left, whatever they are: drained to the end or refused,
// never read beyond the ring.
#include "record/drain.h"

#include <cstring>
#include <vector>

using namespace taffrail;
using namespace taffrail::record;

namespace {

/// Three scalar keys, a text key, a lone scalar and a row of three.
class FewNames final : public DefinitionSource {
  public:
    [[nodiscard]] const Definitions::Key* find_key(std::uint32_t id) const override {
        return id >= 1 && id <= keys_.size() ? &keys_[id - 1] : nullptr;
    }

    [[nodiscard]] const Definitions::Schema* find_schema(std::uint32_t id) const override {
        return id >= 1 && id <= schemas_.size() ? &schemas_[id - 1] : nullptr;
    }

  private:
    std::vector<Definitions::Key> keys_{{1, Kind::Scalar, "a"},
                                        {2, Kind::Scalar, "b"},
                                        {3, Kind::Scalar, "c"},
                                        {4, Kind::Text, "note"}};
    std::vector<Definitions::Schema> schemas_{{1, {1}}, {2, {1, 2, 3}}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kCapacity = 256;  // words
    std::vector<std::uint64_t> words(kCapacity);
    std::memcpy(words.data(), data, std::min(size, kCapacity * 8));
    static const FewNames names;
    Drain drain(names, TickClock{}, 1);
    RingCursor cursor;
    cursor.words = words.data();
    cursor.capacity = kCapacity;
    // A lap that begins anywhere: the first byte says where.
    cursor.position = size > 0 ? data[0] : 0;
    const std::uint64_t head = cursor.position + std::min(size / 8, kCapacity);
    for (auto outcome = Drain::Outcome::BatchFull; outcome == Drain::Outcome::BatchFull;) {
        drain.start_batch();
        outcome = drain.take(cursor, head);
        (void)drain.finish_batch();
    }
    return 0;
}
