#include "codec/parquet/thrift.h"

namespace taffrail::parquet {
namespace {

constexpr std::size_t kMaxDepth = 32;

}  // namespace

void ThriftWriter::header(int field, ThriftType type) {
    const int delta = field - last_field_;
    if (delta >= 1 && delta <= 15) {
        to_.push_back(static_cast<std::byte>((delta << 4) | static_cast<int>(type)));
    } else {
        to_.push_back(static_cast<std::byte>(type));
        append_zigzag(to_, field);
    }
    last_field_ = field;
}

void ThriftWriter::number(int field, ThriftType type, std::int64_t value) {
    header(field, type);
    append_zigzag(to_, value);
}

void ThriftWriter::binary(int field, std::string_view value) {
    header(field, ThriftType::Binary);
    append_text(to_, value);
}

void ThriftWriter::begin_struct(int field) {
    header(field, ThriftType::Struct);
    begin();
}

void ThriftWriter::end_struct() {
    to_.push_back(std::byte{0});
    last_field_ = outer_.back();
    outer_.pop_back();
}

void ThriftWriter::begin_list(int field, ThriftType element, std::size_t count) {
    header(field, ThriftType::List);
    if (count < 15) {
        to_.push_back(static_cast<std::byte>((count << 4) | static_cast<std::size_t>(element)));
    } else {
        to_.push_back(static_cast<std::byte>(0xF0 | static_cast<int>(element)));
        append_varint(to_, count);
    }
}

ThriftReader::Field ThriftReader::next() {
    const auto byte = static_cast<int>(cursor_.read<std::byte>());
    if (!ok() || byte == 0) {
        return {};
    }
    const int delta = byte >> 4;
    const std::int64_t id = delta == 0 ? cursor_.zigzag() : last_field_ + delta;
    if ((byte & 15) > static_cast<int>(ThriftType::Struct) || id < -32768 || id > 32767) {
        fail();
        return {};
    }
    last_field_ = static_cast<int>(id);
    return ok() ? Field{last_field_, static_cast<ThriftType>(byte & 15)} : Field{};
}

void ThriftReader::begin_struct() {
    if (outer_.size() >= kMaxDepth) {
        fail();
    }
    outer_.push_back(last_field_);
    last_field_ = 0;
}

void ThriftReader::end_struct() {
    last_field_ = outer_.back();
    outer_.pop_back();
}

ThriftReader::List ThriftReader::list() {
    const auto byte = static_cast<unsigned>(cursor_.read<std::byte>());
    const std::uint64_t count = (byte >> 4) == 15 ? cursor_.varint() : byte >> 4;
    if (!ok() || count > cursor_.remaining() ||
        (byte & 15) > static_cast<unsigned>(ThriftType::Struct)) {
        fail();
        return {};
    }
    return {static_cast<ThriftType>(byte & 15), static_cast<std::size_t>(count)};
}

void ThriftReader::skip(ThriftType type) {
    switch (type) {
        case ThriftType::Stop:
        case ThriftType::True:
        case ThriftType::False:
            return;
        case ThriftType::Byte:
            cursor_.take(1);
            return;
        case ThriftType::I16:
        case ThriftType::I32:
        case ThriftType::I64:
            cursor_.varint();
            return;
        case ThriftType::Double:
            cursor_.take(8);
            return;
        case ThriftType::Binary:
            cursor_.text();
            return;
        case ThriftType::List:
        case ThriftType::Set: {
            const List elements = list();
            const bool booleans =
                elements.element == ThriftType::True || elements.element == ThriftType::False;
            // Lists count as nesting too: each element may hold another list.
            begin_struct();
            for (std::size_t i = 0; i < elements.count && ok(); ++i) {
                skip(booleans ? ThriftType::Byte : elements.element);
            }
            end_struct();
            return;
        }
        case ThriftType::Map:
            fail();  // Parquet's headers have none
            return;
        case ThriftType::Struct:
            begin_struct();
            for (Field field = next(); field.type != ThriftType::Stop && ok(); field = next()) {
                skip(field.type);
            }
            end_struct();
            return;
    }
    fail();
}

}  // namespace taffrail::parquet
