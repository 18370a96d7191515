#include "codec/mesh.h"

#include <gmock/gmock.h>

#include <array>

namespace taffrail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MeshArrays tetrahedron() {
    return {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.5f},
            {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
            {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7},
            {0, 0, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

void expect_equal(const MeshArrays& a, const MeshArrays& b) {
    EXPECT_EQ(a.vertices, b.vertices);
    EXPECT_EQ(a.faces, b.faces);
    EXPECT_EQ(a.colors, b.colors);
    EXPECT_EQ(a.normals, b.normals);
}

TEST(Mesh, ObjPlyAndGlbKeepEverything) {
    const MeshArrays mesh = tetrahedron();
    expect_equal(read_obj(write_obj(mesh)).value(), mesh);
    expect_equal(read_ply(write_ply(mesh)).value(), mesh);
    expect_equal(read_glb(write_glb(mesh)).value(), mesh);
}

TEST(Mesh, PointCloudsHaveNoFaces) {
    const MeshArrays cloud{{1, 2, 3, 4, 5, 6}, {}, {}, {}};
    expect_equal(read_obj(write_obj(cloud)).value(), cloud);
    expect_equal(read_ply(write_ply(cloud)).value(), cloud);
    expect_equal(read_glb(write_glb(cloud)).value(), cloud);
}

TEST(Mesh, ArraysRoundTripThroughTheirPackedForm) {
    const MeshArrays mesh = tetrahedron();
    const Mesh value{"arrays", 4, 4, true, true, "", {}};
    const Bytes packed = pack_mesh(view_of(mesh));
    expect_equal(read_mesh(value, packed).value(), mesh);
    EXPECT_FALSE(read_mesh(value, ByteSpan(packed).first(packed.size() - 1)).ok());
}

TEST(Mesh, ObjPolygonsBecomeFansAndNegativeNumbersCountBack) {
    const auto mesh = read_obj(as_bytes(
        "# quad\r\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1 4/1\nf -4 -3 -2\n"));
    EXPECT_THAT(mesh.value().faces, ElementsAre(0, 1, 2, 0, 2, 3, 0, 1, 2));
    EXPECT_TRUE(mesh.value().normals.empty());
}

TEST(Mesh, ObjErrorsNameTheLine) {
    EXPECT_THAT(read_obj(as_bytes("v 0 0 0\nf 1 2 3\n")).error().message, HasSubstr("line 2: '2'"));
    EXPECT_THAT(read_obj(as_bytes("v 0 0\n")).error().message, HasSubstr("line 1"));
    EXPECT_FALSE(read_obj(as_bytes("hello")).ok());
}

TEST(Mesh, PlyTextAndBigEndianAreRead) {
    const auto text = read_ply(
        as_bytes("ply\nformat ascii 1.0\ncomment c\nelement vertex 3\nproperty double x\nproperty "
                 "double y\nproperty double z\n"
                 "property float red\nproperty float green\nproperty float blue\nelement face 1\n"
                 "property list uchar int vertex_index\nend_header\n0 0 0 1 0 0.5\n1 0 0 0 0 0\n0 "
                 "1 0 0 0 0\n3 0 1 2\n"));
    EXPECT_THAT(text.value().faces, ElementsAre(0, 1, 2));
    EXPECT_THAT(text.value().colors, ElementsAre(255, 0, 128, 0, 0, 0, 0, 0, 0));
    std::string big =
        "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty float "
        "y\nproperty float z\nend_header\n";
    big += std::string("\x3f\x80\0\0\x40\0\0\0\xc0\0\0\0", 12);
    EXPECT_THAT(read_ply(as_bytes(big)).value().vertices, ElementsAre(1, 2, -2));
}

TEST(Mesh, PlyCountsBeyondTheFileAreRefused) {
    EXPECT_THAT(read_ply(as_bytes("ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty "
                                  "float x\nend_header\n1\n"))
                    .error()
                    .message,
                HasSubstr("longer than the file"));
}

TEST(Mesh, StlJoinsEqualCornersInBothForms) {
    const auto text =
        read_stl(as_bytes("solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 "
                          "0\nvertex 0 1 0\nendloop\nendfacet\n"
                          "facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 "
                          "0\nendloop\nendfacet\nendsolid\n"));
    EXPECT_THAT(text.value().faces, ElementsAre(0, 1, 2, 1, 3, 2));
    Bytes binary(80);
    append(binary, std::uint32_t{1});
    append(binary, std::array<float, 12>{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0});
    append(binary, std::uint16_t{0});
    EXPECT_THAT(read_stl(binary).value().faces, ElementsAre(0, 1, 2));
    EXPECT_FALSE(read_stl(as_bytes("solid nothing")).ok());
}

TEST(Mesh, GlbTruncationsAreErrors) {
    const Bytes file = write_glb(tetrahedron());
    for (std::size_t cut = 0; cut < file.size(); cut += 5) {
        EXPECT_FALSE(read_glb(ByteSpan(file).first(cut)).ok()) << cut;
    }
}

TEST(Mesh, ChecksNameTheFaultAndTheRemedy) {
    MeshArrays mesh = tetrahedron();
    mesh.faces[4] = 99;
    EXPECT_THAT(check_mesh(view_of(mesh)).error().message, HasSubstr("face 1 names vertex 99"));
    mesh = tetrahedron();
    mesh.colors.pop_back();
    EXPECT_THAT(check_mesh(view_of(mesh)).error().message, HasSubstr("r, g, b of each vertex"));
    EXPECT_FALSE(check_mesh(MeshView{}).ok());
}

}  // namespace
}  // namespace taffrail
