#include "codec/mesh.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace taffrail {
namespace {

template <typename T>
void append_array(Bytes& to, std::span<const T> values) {
    append(to, ByteSpan(std::as_bytes(values)));
}

template <typename T>
bool take_array(ByteCursor& cursor, std::int64_t count, std::vector<T>& to) {
    if (count < 0 || static_cast<std::uint64_t>(count) > cursor.remaining() / sizeof(T)) {
        return false;
    }
    const ByteSpan bytes = cursor.take(static_cast<std::uint64_t>(count) * sizeof(T));
    to.resize(static_cast<std::size_t>(count));
    if (!bytes.empty()) {
        std::memcpy(to.data(), bytes.data(), bytes.size());
    }
    return true;
}

Result<MeshArrays> unpack_mesh(const Mesh& mesh, ByteSpan bytes) {
    ByteCursor cursor(bytes);
    MeshArrays arrays;
    constexpr std::int64_t kLimit = INT64_MAX / 4;
    if (mesh.vertices < 0 || mesh.vertices > kLimit || mesh.faces < 0 || mesh.faces > kLimit ||
        !take_array(cursor, mesh.vertices * 3, arrays.vertices) ||
        !take_array(cursor, mesh.faces * 3, arrays.faces) ||
        (mesh.has_colors && !take_array(cursor, mesh.vertices * 3, arrays.colors)) ||
        (mesh.has_normals && !take_array(cursor, mesh.vertices * 3, arrays.normals))) {
        return Error{ErrorCode::Corrupt, "the arrays of a mesh are shorter than its counts say"};
    }
    return arrays;
}

void append_number(std::string& to, float value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    to.append(buffer, end);
}

}  // namespace

MeshView view_of(const MeshArrays& mesh) noexcept {
    return MeshView{mesh.vertices, mesh.faces, mesh.colors, mesh.normals, {}};
}

Result<void> check_mesh(const MeshView& mesh) {
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorCode::InvalidArgument,
                     "mesh of " + std::to_string(mesh.vertices.size() / 3) + " vertices and " +
                         std::to_string(mesh.faces.size() / 3) + " faces: " + why};
    };
    if (mesh.vertices.empty() || mesh.vertices.size() % 3 != 0) {
        return refuse("vertices hold " + std::to_string(mesh.vertices.size()) +
                      " numbers; give x, y, z of each");
    }
    if (mesh.faces.size() % 3 != 0) {
        return refuse("faces hold " + std::to_string(mesh.faces.size()) +
                      " numbers; give three vertex numbers a triangle");
    }
    if (!mesh.colors.empty() && mesh.colors.size() != mesh.vertices.size()) {
        return refuse("colors hold " + std::to_string(mesh.colors.size()) +
                      " numbers; give r, g, b of each vertex");
    }
    if (!mesh.normals.empty() && mesh.normals.size() != mesh.vertices.size()) {
        return refuse("normals hold " + std::to_string(mesh.normals.size()) +
                      " numbers; give x, y, z of each vertex");
    }
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(mesh.vertices.size() / 3, UINT32_MAX));
    const auto wrong = std::find_if(mesh.faces.begin(), mesh.faces.end(),
                                    [&](std::uint32_t at) { return at >= count; });
    if (wrong != mesh.faces.end()) {
        return refuse("face " + std::to_string((wrong - mesh.faces.begin()) / 3) +
                      " names vertex " + std::to_string(*wrong) + "; vertices are numbered from 0");
    }
    return {};
}

Bytes pack_mesh(const MeshView& mesh) {
    Bytes out;
    out.reserve(mesh.vertices.size_bytes() + mesh.faces.size_bytes() + mesh.colors.size_bytes() +
                mesh.normals.size_bytes());
    append_array(out, mesh.vertices);
    append_array(out, mesh.faces);
    append_array(out, mesh.colors);
    append_array(out, mesh.normals);
    return out;
}

Result<MeshArrays> read_mesh(const Mesh& mesh, ByteSpan file) {
    if (mesh.format == "arrays") {
        return unpack_mesh(mesh, file);
    }
    if (mesh.format == "obj") {
        return read_obj(file);
    }
    if (mesh.format == "ply") {
        return read_ply(file);
    }
    if (mesh.format == "stl") {
        return read_stl(file);
    }
    if (mesh.format == "glb") {
        return read_glb(file);
    }
    return Error{ErrorCode::Unsupported,
                 "mesh format '" + mesh.format + "'; obj, ply, stl and glb are read"};
}

Bytes write_obj(const MeshArrays& mesh) {
    std::string text;
    for (std::size_t i = 0; i + 2 < mesh.vertices.size(); i += 3) {
        text += "v";
        for (std::size_t c = 0; c < 3; ++c) {
            text += ' ';
            append_number(text, mesh.vertices[i + c]);
        }
        for (std::size_t c = 0; c < 3 && !mesh.colors.empty(); ++c) {
            text += ' ';
            append_number(text, static_cast<float>(mesh.colors[i + c]) / 255.0f);
        }
        text += '\n';
    }
    for (std::size_t i = 0; i + 2 < mesh.normals.size(); i += 3) {
        text += "vn";
        for (std::size_t c = 0; c < 3; ++c) {
            text += ' ';
            append_number(text, mesh.normals[i + c]);
        }
        text += '\n';
    }
    for (std::size_t i = 0; i + 2 < mesh.faces.size(); i += 3) {
        text += "f";
        for (std::size_t c = 0; c < 3; ++c) {
            const std::string at = std::to_string(std::uint64_t{mesh.faces[i + c]} + 1);
            text += ' ';
            text += mesh.normals.empty() ? at : at + "//" + at;
        }
        text += '\n';
    }
    const ByteSpan bytes = as_bytes(text);
    return Bytes(bytes.begin(), bytes.end());
}

Bytes write_ply(const MeshArrays& mesh) {
    const std::size_t count = mesh.vertices.size() / 3;
    std::string header = "ply\nformat binary_little_endian 1.0\nelement vertex " +
                         std::to_string(count) +
                         "\nproperty float x\nproperty float y\nproperty float z\n";
    if (!mesh.normals.empty()) {
        header += "property float nx\nproperty float ny\nproperty float nz\n";
    }
    if (!mesh.colors.empty()) {
        header += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    }
    if (!mesh.faces.empty()) {
        header += "element face " + std::to_string(mesh.faces.size() / 3) +
                  "\nproperty list uchar uint vertex_indices\n";
    }
    header += "end_header\n";
    Bytes out;
    append(out, as_bytes(header));
    for (std::size_t i = 0; i < count * 3; i += 3) {
        append_array(out, std::span<const float>(mesh.vertices).subspan(i, 3));
        if (!mesh.normals.empty()) {
            append_array(out, std::span<const float>(mesh.normals).subspan(i, 3));
        }
        if (!mesh.colors.empty()) {
            append_array(out, std::span<const std::uint8_t>(mesh.colors).subspan(i, 3));
        }
    }
    for (std::size_t i = 0; i + 2 < mesh.faces.size(); i += 3) {
        out.push_back(std::byte{3});
        append_array(out, std::span<const std::uint32_t>(mesh.faces).subspan(i, 3));
    }
    return out;
}

}  // namespace taffrail
