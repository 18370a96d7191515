// A thousand numbers of a column in as few bytes as their likeness allows.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace taffrail::model {

inline constexpr std::size_t kPackedRows = 1024;  ///< of a block

/// Whole numbers: first + row · stride + what is left, which is kept in `width` bytes. Doubles:
/// their bits, or those of the float they are. Wraps around as unsigned numbers do.
class PackedBlock {
  public:
    enum class Form : std::uint8_t { Integers, Floats, Doubles };

    template <typename T>
    [[nodiscard]] T at(std::size_t row) const noexcept {
        if constexpr (std::is_same_v<T, double>) {
            return form_ == Form::Floats ? static_cast<double>(load<float>(row))
                                         : load<double>(row);
        } else {
            return static_cast<T>(first_ + row * stride_ + rest(row));
        }
    }

    template <typename T>
    void copy(std::size_t first, std::size_t count, T* to) const noexcept {
        if constexpr (std::is_same_v<T, double>) {
            if (form_ == Form::Doubles) {
                std::memcpy(to, bytes_.get() + first * sizeof(double), count * sizeof(double));
                return;
            }
            for (std::size_t i = 0; i < count; ++i) {
                to[i] = static_cast<double>(load<float>(first + i));
            }
        } else {
            switch (width_) {
                case 0:
                    copy_integers(first, count, to, [](std::size_t) { return std::uint64_t{0}; });
                    break;
                case 1:
                    copy_integers(first, count, to,
                                  [this](std::size_t i) { return load<std::uint8_t>(i); });
                    break;
                case 2:
                    copy_integers(first, count, to,
                                  [this](std::size_t i) { return load<std::uint16_t>(i); });
                    break;
                case 4:
                    copy_integers(first, count, to,
                                  [this](std::size_t i) { return load<std::uint32_t>(i); });
                    break;
                default:
                    copy_integers(first, count, to,
                                  [this](std::size_t i) { return load<std::uint64_t>(i); });
            }
        }
    }

  private:
    friend PackedBlock pack_block(std::span<const std::uint64_t> values);
    friend PackedBlock pack_block(std::span<const double> values);

    template <typename T>
    [[nodiscard]] T load(std::size_t row) const noexcept {
        T value;
        std::memcpy(&value, bytes_.get() + row * sizeof(T), sizeof(T));
        return value;
    }

    [[nodiscard]] std::uint64_t rest(std::size_t row) const noexcept {
        switch (width_) {
            case 0:
                return 0;
            case 1:
                return load<std::uint8_t>(row);
            case 2:
                return load<std::uint16_t>(row);
            case 4:
                return load<std::uint32_t>(row);
            default:
                return load<std::uint64_t>(row);
        }
    }

    template <typename T, typename Rest>
    void copy_integers(std::size_t first, std::size_t count, T* to, Rest rest) const noexcept {
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = static_cast<T>(first_ + (first + i) * stride_ + rest(first + i));
        }
    }

    std::unique_ptr<std::byte[]> bytes_;
    std::uint64_t first_ = 0, stride_ = 0;
    std::uint8_t width_ = 0;
    Form form_ = Form::Integers;
};

/// `values` are kPackedRows.
PackedBlock pack_block(std::span<const std::uint64_t> values);
PackedBlock pack_block(std::span<const double> values);

inline PackedBlock pack_block(std::span<const std::int64_t> values) {
    return pack_block(
        std::span(reinterpret_cast<const std::uint64_t*>(values.data()), values.size()));
}

inline constexpr std::size_t kShelfBlocks = 64;

/// Blocks are put in one after the other and never moved.
struct PackedShelf {
    std::array<PackedBlock, kShelfBlocks> blocks;
};

}  // namespace taffrail::model
