// Any bytes as a batch payload: what decodes can be encoded and decoded again to the same rows.
#include "codec/tlog/decode.h"
#include "codec/tlog/encode.h"

#include <cstdlib>
#include <cstring>

namespace {

using namespace taffrail;

bool same(std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t kMaxCells = 1u << 16;
    const ByteSpan payload(reinterpret_cast<const std::byte*>(data), size);
    tlog::DecodedBatch first;
    if (!first.decode(payload, kMaxCells)) {
        return 0;
    }
    Bytes again;
    tlog::encode_batch(again, first.batch());
    tlog::DecodedBatch second;
    if (!second.decode(again, kMaxCells) ||
        second.batch().wide.size() != first.batch().wide.size() ||
        second.batch().values.size() != first.batch().values.size() ||
        second.batch().meta.size() != first.batch().meta.size()) {
        std::abort();
    }
    for (std::size_t i = 0; i < first.batch().wide.size(); ++i) {
        const auto& before = first.batch().wide[i];
        const auto& after = second.batch().wide[i];
        if (before.columns.size() != after.columns.size()) {
            std::abort();
        }
        for (std::size_t column = 0; column < before.columns.size(); ++column) {
            if (!same(before.columns[column], after.columns[column])) {
                std::abort();
            }
        }
    }
    return 0;
}
