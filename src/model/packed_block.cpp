#include "model/packed_block.h"

#include <algorithm>

namespace taffrail::model {
namespace {

template <typename To, typename From>
void put(std::byte* to, std::span<const From> values, From smallest) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto narrow = static_cast<To>(values[i] - smallest);
        std::memcpy(to + i * sizeof(To), &narrow, sizeof(To));
    }
}

bool all_are_floats(std::span<const double> values) {
    // NaN payloads and the sign of zero must survive, so the bits are compared, not the numbers.
    return std::ranges::all_of(values, [](double value) {
        const auto narrow = static_cast<float>(value);
        return std::bit_cast<std::uint64_t>(static_cast<double>(narrow)) ==
               std::bit_cast<std::uint64_t>(value);
    });
}

}  // namespace

PackedBlock pack_block(std::span<const std::uint64_t> values) {
    PackedBlock block;
    const auto whole = static_cast<std::int64_t>(values.back() - values.front());
    block.stride_ =
        static_cast<std::uint64_t>(whole / static_cast<std::int64_t>(values.size() - 1));
    std::uint64_t rest[kPackedRows];
    std::int64_t low = 0, high = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        rest[i] = values[i] - values.front() - i * block.stride_;
        low = std::min(low, static_cast<std::int64_t>(rest[i]));
        high = std::max(high, static_cast<std::int64_t>(rest[i]));
    }
    const auto smallest = static_cast<std::uint64_t>(low);
    const std::uint64_t range = static_cast<std::uint64_t>(high) - smallest;
    block.first_ = values.front() + smallest;
    block.width_ = range == 0            ? 0
                   : range <= UINT8_MAX  ? 1
                   : range <= UINT16_MAX ? 2
                   : range <= UINT32_MAX ? 4
                                         : 8;
    const std::span<const std::uint64_t> all(rest, values.size());
    if (block.width_ > 0) {
        block.bytes_ = std::make_unique_for_overwrite<std::byte[]>(values.size() * block.width_);
    }
    switch (block.width_) {
        case 0:
            break;
        case 1:
            put<std::uint8_t>(block.bytes_.get(), all, smallest);
            break;
        case 2:
            put<std::uint16_t>(block.bytes_.get(), all, smallest);
            break;
        case 4:
            put<std::uint32_t>(block.bytes_.get(), all, smallest);
            break;
        default:
            put<std::uint64_t>(block.bytes_.get(), all, smallest);
    }
    return block;
}

PackedBlock pack_block(std::span<const double> values) {
    PackedBlock block;
    const bool floats = all_are_floats(values);
    block.form_ = floats ? PackedBlock::Form::Floats : PackedBlock::Form::Doubles;
    const std::size_t width = floats ? sizeof(float) : sizeof(double);
    block.bytes_ = std::make_unique_for_overwrite<std::byte[]>(values.size() * width);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (floats) {
            const auto narrow = static_cast<float>(values[i]);
            std::memcpy(block.bytes_.get() + i * width, &narrow, width);
        } else {
            std::memcpy(block.bytes_.get() + i * width, &values[i], width);
        }
    }
    return block;
}

}  // namespace taffrail::model
