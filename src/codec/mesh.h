// Meshes and point clouds: OBJ, PLY, STL and GLB read into plain arrays; OBJ, PLY and GLB written.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace taffrail {

/// Triangles over vertices; without faces a point cloud. Colours and normals are empty or one per
/// vertex.
struct MeshArrays {
    std::vector<float> vertices;       ///< xyz
    std::vector<std::uint32_t> faces;  ///< three vertex numbers a triangle
    std::vector<std::uint8_t> colors;  ///< rgb
    std::vector<float> normals;        ///< xyz
};

/// Polygons are cut into fans. Normals are kept when there is one per vertex. Materials and
/// textures are left out.
Result<MeshArrays> read_obj(ByteSpan file);
/// Text and binary, either byte order; "r g b" or "red green blue".
Result<MeshArrays> read_ply(ByteSpan file);
/// Text and binary; equal corners are joined into one vertex.
Result<MeshArrays> read_stl(ByteSpan file);
/// Every triangle and point primitive of the default scene's meshes, node transforms applied.
/// Buffers must be inside the file.
Result<MeshArrays> read_glb(ByteSpan file);
/// By format name: "obj", "ply", "stl", "glb", "arrays" (see below; needs the counts of `mesh`).
Result<MeshArrays> read_mesh(const Mesh& mesh, ByteSpan file);

Bytes write_obj(const MeshArrays& mesh);
Bytes write_ply(const MeshArrays& mesh);  ///< binary, little-endian
Bytes write_glb(const MeshArrays& mesh);

/// f32 vertices, u32 faces, u8 colours, f32 normals, one after the other: how meshes logged from
/// memory are kept.
Bytes pack_mesh(const MeshView& mesh);

/// Faces name existing vertices, colours and normals fit the vertices, lengths divide by three.
Result<void> check_mesh(const MeshView& mesh);
MeshView view_of(const MeshArrays& mesh) noexcept;

}  // namespace taffrail
