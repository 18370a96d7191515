#include "codec/mesh.h"
#include "codec/mesh_text.h"

#include <array>
#include <bit>
#include <string>
#include <unordered_map>

namespace taffrail {
namespace {

constexpr std::size_t kHeader = 84, kTriangle = 50;

/// Joins corners with the same coordinates, bit for bit.
class VertexJoiner {
  public:
    explicit VertexJoiner(MeshArrays& mesh) : mesh_(mesh) {}

    void add(const std::array<float, 3>& corner) {
        const auto [found, is_new] = known_.try_emplace(
            std::string(reinterpret_cast<const char*>(corner.data()), sizeof corner),
            static_cast<std::uint32_t>(mesh_.vertices.size() / 3));
        if (is_new) {
            mesh_.vertices.insert(mesh_.vertices.end(), corner.begin(), corner.end());
        }
        mesh_.faces.push_back(found->second);
    }

  private:
    MeshArrays& mesh_;
    std::unordered_map<std::string, std::uint32_t> known_;
};

Result<MeshArrays> read_text(std::string_view text) {
    MeshArrays mesh;
    VertexJoiner joiner(mesh);
    while (!text.empty()) {
        if (next_word(text) != "vertex") {
            continue;
        }
        std::array<float, 3> corner{};
        for (float& value : corner) {
            const std::string_view word = next_word(text);
            const auto number = parse_number<float>(word);
            if (!number) {
                return Error{ErrorCode::Corrupt, "not a readable STL file: '" + std::string(word) +
                                                     "' is not a number"};
            }
            value = *number;
        }
        joiner.add(corner);
    }
    if (mesh.faces.empty() || mesh.faces.size() % 3 != 0) {
        return Error{ErrorCode::Corrupt,
                     "not a readable STL file: no triangles, or one is cut short"};
    }
    return mesh;
}

}  // namespace

Result<MeshArrays> read_stl(ByteSpan file) {
    // Binary files may begin with "solid" too: only the length tells for sure.
    const bool sized_as_binary =
        file.size() >= kHeader &&
        file.size() == kHeader + kTriangle * std::uint64_t{load<std::uint32_t>(file.data() + 80)};
    if (!sized_as_binary) {
        return read_text(as_text(file));
    }
    MeshArrays mesh;
    VertexJoiner joiner(mesh);
    ByteCursor cursor(file.subspan(kHeader));
    while (cursor.remaining() >= kTriangle) {
        cursor.take(12);  // the normal follows from the corners
        for (int corner = 0; corner < 3; ++corner) {
            joiner.add(cursor.read<std::array<float, 3>>());
        }
        cursor.take(2);
    }
    if (mesh.faces.empty()) {
        return Error{ErrorCode::Corrupt, "not a readable STL file: it has no triangles"};
    }
    return mesh;
}

}  // namespace taffrail
