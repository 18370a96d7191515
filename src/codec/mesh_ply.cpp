#include "codec/mesh.h"
#include "codec/mesh_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace taffrail {
namespace {

enum class Encoding : std::uint8_t { Text, Little, Big };

struct Property {
    DType type = DType::F32;
    std::optional<DType> count_type;  // a list
    std::string name;
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};

std::optional<DType> type_named(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, DType>, 16> kNames = {{
        {"char", DType::I8},
        {"int8", DType::I8},
        {"uchar", DType::U8},
        {"uint8", DType::U8},
        {"short", DType::I16},
        {"int16", DType::I16},
        {"ushort", DType::U16},
        {"uint16", DType::U16},
        {"int", DType::I32},
        {"int32", DType::I32},
        {"uint", DType::U32},
        {"uint32", DType::U32},
        {"float", DType::F32},
        {"float32", DType::F32},
        {"double", DType::F64},
        {"float64", DType::F64},
    }};
    for (const auto& [known, type] : kNames) {
        if (known == name) {
            return type;
        }
    }
    return std::nullopt;
}

Error bad_ply(std::string_view why) {
    return Error{ErrorCode::Corrupt, "not a readable PLY file: " + std::string(why)};
}

/// The body of the file as a stream of numbers, whatever its encoding.
class Numbers {
  public:
    Numbers(ByteSpan body, Encoding encoding)
        : cursor_(body), text_(as_text(body)), encoding_(encoding) {}

    double next(DType type) {
        if (encoding_ == Encoding::Text) {
            const auto number = parse_number<double>(next_word(text_));
            failed_ = failed_ || !number;
            return number.value_or(0);
        }
        switch (type) {
            case DType::I8:
                return static_cast<double>(read<std::int8_t>());
            case DType::U8:
                return static_cast<double>(read<std::uint8_t>());
            case DType::I16:
                return static_cast<double>(read<std::int16_t>());
            case DType::U16:
                return static_cast<double>(read<std::uint16_t>());
            case DType::I32:
                return static_cast<double>(read<std::int32_t>());
            case DType::U32:
                return static_cast<double>(read<std::uint32_t>());
            case DType::F32:
                return static_cast<double>(read<float>());
            default:
                return read<double>();
        }
    }

    [[nodiscard]] bool ok() const { return !failed_ && cursor_.ok(); }

  private:
    template <typename T>
    T read() {
        auto bytes = cursor_.read<std::array<std::byte, sizeof(T)>>();
        if (encoding_ == Encoding::Big) {
            std::reverse(bytes.begin(), bytes.end());
        }
        return load<T>(bytes.data());
    }

    ByteCursor cursor_;
    std::string_view text_;
    Encoding encoding_;
    bool failed_ = false;
};

/// Where a vertex property goes: vertices 0-2, normals 3-5, colours 6-8, or nowhere.
int slot_of(std::string_view name) {
    constexpr std::array<std::string_view, 9> kSlots = {"x",  "y",   "z",     "nx",  "ny",
                                                        "nz", "red", "green", "blue"};
    constexpr std::array<std::string_view, 3> kShort = {"r", "g", "b"};
    for (std::size_t i = 0; i < kSlots.size(); ++i) {
        if (name == kSlots[i] ||
            (i >= 6 && (name == kShort[i - 6] || name == "diffuse_" + std::string(kSlots[i])))) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

void read_vertices(const Element& element, Numbers& numbers, MeshArrays& mesh) {
    std::array<bool, 9> present{};
    std::array<bool, 9> is_float{};
    for (const Property& property : element.properties) {
        if (const int slot = slot_of(property.name); slot >= 0) {
            present[static_cast<std::size_t>(slot)] = true;
            is_float[static_cast<std::size_t>(slot)] = property.type >= DType::F16;
        }
    }
    for (std::uint64_t i = 0; i < element.count && numbers.ok(); ++i) {
        std::array<double, 9> values{};
        for (const Property& property : element.properties) {
            const auto repeats = property.count_type ? numbers.next(*property.count_type) : 1.0;
            for (double k = 0; k < repeats && numbers.ok(); ++k) {
                const double value = numbers.next(property.type);
                if (const int slot = slot_of(property.name); slot >= 0) {
                    values[static_cast<std::size_t>(slot)] = value;
                }
            }
        }
        for (std::size_t c = 0; c < 3; ++c) {
            mesh.vertices.push_back(static_cast<float>(values[c]));
        }
        for (std::size_t c = 3; c < 6 && present[3]; ++c) {
            mesh.normals.push_back(static_cast<float>(values[c]));
        }
        for (std::size_t c = 6; c < 9 && present[6]; ++c) {
            const double level = is_float[c] ? values[c] * 255.0 + 0.5 : values[c];
            mesh.colors.push_back(
                static_cast<std::uint8_t>(level > 0 ? std::min(level, 255.0) : 0.0));
        }
    }
}

bool read_faces(const Element& element, Numbers& numbers, MeshArrays& mesh) {
    for (std::uint64_t i = 0; i < element.count && numbers.ok(); ++i) {
        for (const Property& property : element.properties) {
            const auto repeats = property.count_type ? numbers.next(*property.count_type) : 1.0;
            const bool is_face =
                property.name == "vertex_indices" || property.name == "vertex_index";
            std::uint32_t first = 0, before = 0;
            for (double k = 0; k < repeats && numbers.ok(); ++k) {
                const double value = numbers.next(property.type);
                if (!is_face) {
                    continue;
                }
                if (!(value >= 0 && value < 4294967296.0)) {
                    return false;
                }
                const auto vertex = static_cast<std::uint32_t>(value);
                if (k == 0) {
                    first = vertex;
                } else if (k >= 2) {
                    mesh.faces.insert(mesh.faces.end(), {first, before, vertex});
                }
                before = vertex;
            }
        }
    }
    return true;
}

}  // namespace

Result<MeshArrays> read_ply(ByteSpan file) {
    std::string_view text = as_text(file);
    if (next_line(text) != "ply") {
        return bad_ply("the first line is not 'ply'");
    }
    std::optional<Encoding> encoding;
    std::vector<Element> elements;
    for (;;) {
        if (text.empty()) {
            return bad_ply("no end_header");
        }
        std::string_view line = next_line(text);
        const std::string_view word = next_word(line);
        if (word == "end_header") {
            break;
        }
        if (word == "format") {
            const std::string_view name = next_word(line);
            encoding = name == "ascii"                  ? Encoding::Text
                       : name == "binary_little_endian" ? Encoding::Little
                                                        : Encoding::Big;
        } else if (word == "element") {
            const std::string_view name = next_word(line);
            const auto count = parse_number<std::uint64_t>(next_word(line));
            if (!count) {
                return bad_ply("an element has no count");
            }
            elements.push_back({std::string(name), *count, {}});
        } else if (word == "property" && !elements.empty()) {
            Property property;
            std::string_view type = next_word(line);
            if (type == "list") {
                property.count_type = type_named(next_word(line));
                type = next_word(line);
                if (!property.count_type) {
                    return bad_ply("a list has no count type");
                }
            }
            const auto known = type_named(type);
            if (!known) {
                return bad_ply("unknown type '" + std::string(type) + "'");
            }
            property.type = *known;
            property.name = next_word(line);
            elements.back().properties.push_back(std::move(property));
        }
    }
    if (!encoding) {
        return bad_ply("no format line");
    }
    Numbers numbers(as_bytes(text), *encoding);
    MeshArrays mesh;
    for (const Element& element : elements) {
        // Each element takes at least a byte, so a count beyond the file is a lie; stop before
        // believing it.
        if (element.properties.empty() || element.count > text.size()) {
            return bad_ply("element '" + element.name + "' is longer than the file");
        }
        if (element.name == "vertex") {
            read_vertices(element, numbers, mesh);
        } else if (!read_faces(element, numbers, mesh)) {
            return bad_ply("a face names a negative vertex");
        }
        if (!numbers.ok()) {
            return bad_ply("element '" + element.name + "' is cut short");
        }
    }
    const std::size_t count = mesh.vertices.size() / 3;
    if (count == 0 ||
        std::any_of(mesh.faces.begin(), mesh.faces.end(), [&](auto at) { return at >= count; })) {
        return bad_ply("it has no vertices, or a face names one that is not there");
    }
    return mesh;
}

}  // namespace taffrail
