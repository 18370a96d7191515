// The compact protocol in which Parquet writes its headers: as much of it as those structures need.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace taffrail::parquet {

enum class ThriftType : std::uint8_t {
    Stop = 0,
    True = 1,
    False = 2,
    Byte = 3,
    I16 = 4,
    I32 = 5,
    I64 = 6,
    Double = 7,
    Binary = 8,
    List = 9,
    Set = 10,
    Map = 11,
    Struct = 12,
};

/// Writes fields in rising order of their ids.
class ThriftWriter {
  public:
    explicit ThriftWriter(Bytes& to) : to_(to) {}

    void i16(int field, std::int64_t value) { number(field, ThriftType::I16, value); }

    void i32(int field, std::int64_t value) { number(field, ThriftType::I32, value); }

    void i64(int field, std::int64_t value) { number(field, ThriftType::I64, value); }

    void boolean(int field, bool value) {
        header(field, value ? ThriftType::True : ThriftType::False);
    }

    void binary(int field, std::string_view value);
    void begin_struct(int field);
    void end_struct();
    /// `count` elements follow: numbers by element(), texts by element(), structs between
    /// begin_element() and end_struct().
    void begin_list(int field, ThriftType element, std::size_t count);

    void element(std::int64_t value) { append_zigzag(to_, value); }

    void element(std::string_view value) { append_text(to_, value); }

    void begin_element() { begin(); }

    /// Ends the outermost struct.
    void finish() { to_.push_back(std::byte{0}); }

  private:
    void header(int field, ThriftType type);
    void number(int field, ThriftType type, std::int64_t value);

    void begin() {
        outer_.push_back(last_field_);
        last_field_ = 0;
    }

    Bytes& to_;
    int last_field_ = 0;
    std::vector<int> outer_;
};

/// Walks a struct from bytes nobody vouches for. Deep nesting and broken lengths end it with ok()
/// false.
class ThriftReader {
  public:
    explicit ThriftReader(ByteSpan bytes) : cursor_(bytes) {}

    struct Field {
        int id = 0;
        ThriftType type = ThriftType::Stop;
    };

    /// The next field of the struct being read; type Stop at its end or after an error.
    Field next();

    [[nodiscard]] std::int64_t number() { return cursor_.zigzag(); }

    [[nodiscard]] static bool truth(const Field& field) { return field.type == ThriftType::True; }

    [[nodiscard]] std::string_view binary() { return cursor_.text(); }

    void begin_struct();
    /// After next() said Stop.
    void end_struct();

    struct List {
        ThriftType element = ThriftType::Stop;
        std::size_t count = 0;
    };

    /// The count is never more than the bytes that are left.
    [[nodiscard]] List list();
    void skip(ThriftType type);

    [[nodiscard]] bool ok() const noexcept { return cursor_.ok(); }

    [[nodiscard]] std::size_t offset() const noexcept { return cursor_.offset(); }

    void fail() noexcept { cursor_.fail(); }

  private:
    ByteCursor cursor_;
    int last_field_ = 0;
    std::vector<int> outer_;
};

}  // namespace taffrail::parquet
