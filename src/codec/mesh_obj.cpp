#include "codec/mesh.h"
#include "codec/mesh_text.h"

#include <algorithm>
#include <array>
#include <string>

namespace taffrail {
namespace {

struct Corner {
    std::int64_t vertex = -1, normal = -1;
};

Error bad_line(std::size_t number, std::string_view why) {
    return Error{ErrorCode::Corrupt,
                 "OBJ line " + std::to_string(number) + ": " + std::string(why)};
}

/// "7", "7/1", "7//3" or "7/1/3"; negative numbers count from the end.
std::optional<Corner> parse_corner(std::string_view word, std::size_t vertices,
                                   std::size_t normals) {
    Corner corner;
    const std::size_t slash = word.find('/');
    const auto resolve = [](std::string_view text,
                            std::size_t count) -> std::optional<std::int64_t> {
        const auto number = parse_number<std::int64_t>(text);
        if (!number || *number == 0) {
            return std::nullopt;
        }
        const std::int64_t at =
            *number > 0 ? *number - 1 : static_cast<std::int64_t>(count) + *number;
        return at >= 0 && at < static_cast<std::int64_t>(count) ? std::optional(at) : std::nullopt;
    };
    const auto vertex = resolve(word.substr(0, slash), vertices);
    if (!vertex) {
        return std::nullopt;
    }
    corner.vertex = *vertex;
    if (slash != std::string_view::npos) {
        const std::size_t second = word.find('/', slash + 1);
        if (second != std::string_view::npos) {
            const auto normal = resolve(word.substr(second + 1), normals);
            if (!normal) {
                return std::nullopt;
            }
            corner.normal = *normal;
        }
    }
    return corner;
}

}  // namespace

Result<MeshArrays> read_obj(ByteSpan file) {
    std::string_view text = as_text(file);
    MeshArrays mesh;
    std::vector<float> normals;
    std::vector<Corner> corners, polygon;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = next_line(text);
        const std::string_view word = next_word(line);
        if (word == "v" || word == "vn") {
            std::array<float, 7> values{};
            std::size_t count = 0;
            for (std::string_view item = next_word(line); !item.empty() && count < 7;
                 item = next_word(line)) {
                const auto value = parse_number<float>(item);
                if (!value) {
                    return bad_line(number, "'" + std::string(item) + "' is not a number");
                }
                values[count++] = *value;
            }
            if (count < 3) {
                return bad_line(number, "needs three coordinates");
            }
            auto& to = word == "v" ? mesh.vertices : normals;
            to.insert(to.end(), values.begin(), values.begin() + 3);
            if (word == "v" && count >= 6) {
                for (std::size_t c = count - 3; c < count; ++c) {
                    const float level = std::clamp(values[c], 0.0f, 1.0f);
                    mesh.colors.push_back(static_cast<std::uint8_t>(level * 255.0f + 0.5f));
                }
            }
        } else if (word == "f") {
            polygon.clear();
            for (std::string_view item = next_word(line); !item.empty(); item = next_word(line)) {
                const auto corner =
                    parse_corner(item, mesh.vertices.size() / 3, normals.size() / 3);
                if (!corner) {
                    return bad_line(number,
                                    "'" + std::string(item) + "' names no vertex read so far");
                }
                polygon.push_back(*corner);
            }
            for (std::size_t i = 2; i < polygon.size(); ++i) {
                corners.insert(corners.end(), {polygon[0], polygon[i - 1], polygon[i]});
            }
        }
    }
    if (mesh.vertices.empty()) {
        return Error{ErrorCode::Corrupt, "not an OBJ file: it has no vertices"};
    }
    if (mesh.colors.size() != mesh.vertices.size()) {
        mesh.colors.clear();
    }
    mesh.normals.assign(normals.empty() ? 0 : mesh.vertices.size(), 0.0f);
    for (const Corner& corner : corners) {
        mesh.faces.push_back(static_cast<std::uint32_t>(corner.vertex));
        if (corner.normal >= 0) {
            std::copy_n(normals.begin() + corner.normal * 3, 3,
                        mesh.normals.begin() + corner.vertex * 3);
        }
    }
    return mesh;
}

}  // namespace taffrail
