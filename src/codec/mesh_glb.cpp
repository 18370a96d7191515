// glTF 2.0 binary: a JSON description and one buffer in a single file.
#include "codec/json.h"
#include "codec/json_writer.h"
#include "codec/mesh.h"
#include "codec/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace taffrail {
namespace {

constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
using Matrix = std::array<double, 16>;  // column-major, as glTF writes it
constexpr Matrix kIdentity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

Error bad_glb(std::string_view why) {
    return Error{ErrorCode::Corrupt, "not a readable GLB file: " + std::string(why)};
}

const Json* item(const Json& root, std::string_view array, std::int64_t index) {
    const Json* list = root.find(array);
    const Json::Array* items = list != nullptr ? list->array() : nullptr;
    return items != nullptr && index >= 0 && index < static_cast<std::int64_t>(items->size())
               ? &(*items)[static_cast<std::size_t>(index)]
               : nullptr;
}

std::vector<double> numbers_of(const Json* list) {
    std::vector<double> numbers;
    if (const auto* items = list != nullptr ? list->array() : nullptr) {
        for (const Json& entry : *items) {
            numbers.push_back(entry.number().value_or(0));
        }
    }
    return numbers;
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix out{};
    for (std::size_t column = 0; column < 4; ++column) {
        for (std::size_t row = 0; row < 4; ++row) {
            for (std::size_t k = 0; k < 4; ++k) {
                out[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k];
            }
        }
    }
    return out;
}

Matrix transform_of(const Json& node) {
    if (const auto given = numbers_of(node.find("matrix")); given.size() == 16) {
        Matrix matrix{};
        std::copy(given.begin(), given.end(), matrix.begin());
        return matrix;
    }
    auto move = numbers_of(node.find("translation")), turn = numbers_of(node.find("rotation")),
         scale = numbers_of(node.find("scale"));
    move.resize(3, 0), scale.resize(scale.size() == 3 ? 3 : 0), scale.resize(3, 1);
    if (turn.size() != 4) {
        turn = {0, 0, 0, 1};
    }
    const double x = turn[0], y = turn[1], z = turn[2], w = turn[3];
    return {(1 - 2 * (y * y + z * z)) * scale[0],
            2 * (x * y + z * w) * scale[0],
            2 * (x * z - y * w) * scale[0],
            0,
            2 * (x * y - z * w) * scale[1],
            (1 - 2 * (x * x + z * z)) * scale[1],
            2 * (y * z + x * w) * scale[1],
            0,
            2 * (x * z + y * w) * scale[2],
            2 * (y * z - x * w) * scale[2],
            (1 - 2 * (x * x + y * y)) * scale[2],
            0,
            move[0],
            move[1],
            move[2],
            1};
}

class GlbReader {
  public:
    GlbReader(const Json& root, ByteSpan buffer) : root_(root), buffer_(buffer) {}

    Result<MeshArrays> read() {
        const Json* scene = item(root_, "scenes", root_.integer_or("scene", 0));
        const Json* roots = scene != nullptr ? scene->find("nodes") : nullptr;
        if (const auto* nodes = roots != nullptr ? roots->array() : nullptr) {
            for (const Json& node : *nodes) {
                visit(node.integer().value_or(-1), kIdentity, 0);
            }
        }
        if (!error_.empty()) {
            return bad_glb(error_);
        }
        if (mesh_.vertices.empty()) {
            return bad_glb("no vertices in its scene");
        }
        const std::size_t count = mesh_.vertices.size();
        if (mesh_.colors.size() != count) {
            mesh_.colors.clear();
        }
        if (mesh_.normals.size() != count) {
            mesh_.normals.clear();
        }
        return std::move(mesh_);
    }

  private:
    void visit(std::int64_t index, const Matrix& parent, int depth) {
        const Json* node = item(root_, "nodes", index);
        if (node == nullptr || depth > 64 || ++visited_ > 100000) {
            error_ = "its nodes are not a tree";
            return;
        }
        const Matrix matrix = product(parent, transform_of(*node));
        if (const Json* mesh = item(root_, "meshes", node->integer_or("mesh", -1))) {
            const Json* list = mesh->find("primitives");
            if (const auto* primitives = list != nullptr ? list->array() : nullptr) {
                for (const Json& primitive : *primitives) {
                    add(primitive, matrix);
                }
            }
        }
        const Json* list = node->find("children");
        if (const auto* children = list != nullptr ? list->array() : nullptr) {
            for (const Json& child : *children) {
                if (error_.empty()) {
                    visit(child.integer().value_or(-1), matrix, depth + 1);
                }
            }
        }
    }

    /// The numbers of an accessor, `width` of them an element; whole numbers marked `normalized`
    /// become 0…1.
    std::vector<double> accessor(std::int64_t index, std::size_t& width) {
        const Json* accessor = item(root_, "accessors", index);
        if (accessor == nullptr) {
            return {};
        }
        const std::string type = accessor->string_or("type", "");
        width = type == "SCALAR" ? 1
                : type == "VEC2" ? 2
                : type == "VEC3" ? 3
                : type == "VEC4" ? 4
                                 : 0;
        DType dtype = DType::F32;
        double scale = 1;
        switch (accessor->integer_or("componentType", 0)) {
            case 5120:
                dtype = DType::I8, scale = 127;
                break;
            case 5121:
                dtype = DType::U8, scale = 255;
                break;
            case 5122:
                dtype = DType::I16, scale = 32767;
                break;
            case 5123:
                dtype = DType::U16, scale = 65535;
                break;
            case 5125:
                dtype = DType::U32;
                break;
            case 5126:
                dtype = DType::F32;
                break;
            default:
                width = 0;
        }
        const Json* view = item(root_, "bufferViews", accessor->integer_or("bufferView", -1));
        const std::int64_t count = accessor->integer_or("count", 0);
        const std::size_t bytes = size_of(dtype) * width;
        if (view == nullptr || width == 0 || count <= 0 || view->integer_or("buffer", 0) != 0) {
            error_ = "an accessor is of a kind that is not read";
            return {};
        }
        const std::int64_t stride =
            view->integer_or("byteStride", static_cast<std::int64_t>(bytes));
        const std::int64_t start = view->integer_or("byteOffset", 0),
                           within = accessor->integer_or("byteOffset", 0);
        const auto size = static_cast<std::int64_t>(buffer_.size());
        if (start < 0 || within < 0 || start > size || within > size - start ||
            stride < static_cast<std::int64_t>(bytes) || stride > 4096 || count > size ||
            (count - 1) * stride + static_cast<std::int64_t>(bytes) > size - start - within) {
            error_ = "an accessor reaches beyond the buffer";
            return {};
        }
        Bytes packed;
        packed.reserve(static_cast<std::size_t>(count) * bytes);
        for (std::int64_t i = 0; i < count; ++i) {
            append(packed,
                   buffer_.subspan(static_cast<std::size_t>(start + within + i * stride), bytes));
        }
        std::vector<double> numbers =
            to_f64(TensorView(packed.data(), dtype, {count * static_cast<std::int64_t>(width)}));
        if (accessor->truth_or("normalized", false)) {
            for (double& number : numbers) {
                number /= scale;
            }
        }
        return numbers;
    }

    void add(const Json& primitive, const Matrix& matrix) {
        const std::int64_t mode = primitive.integer_or("mode", 4);
        const Json* attributes = primitive.find("attributes");
        if ((mode != 4 && mode != 0) || attributes == nullptr || !error_.empty()) {
            return;
        }
        std::size_t width = 0;
        const std::vector<double> positions =
            accessor(attributes->integer_or("POSITION", -1), width);
        if (positions.empty() || width != 3) {
            return;
        }
        const std::size_t count = positions.size() / 3;
        const auto base = static_cast<std::uint32_t>(mesh_.vertices.size() / 3);
        for (std::size_t i = 0; i < count * 3; i += 3) {
            for (std::size_t row = 0; row < 3; ++row) {
                mesh_.vertices.push_back(static_cast<float>(
                    matrix[row] * positions[i] + matrix[4 + row] * positions[i + 1] +
                    matrix[8 + row] * positions[i + 2] + matrix[12 + row]));
            }
        }
        const std::vector<double> normals = accessor(attributes->integer_or("NORMAL", -1), width);
        if (normals.size() == count * 3) {
            add_normals(normals, matrix);
        }
        const std::vector<double> colors = accessor(attributes->integer_or("COLOR_0", -1), width);
        if (colors.size() == count * width && width >= 3) {
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t c = 0; c < 3; ++c) {
                    mesh_.colors.push_back(static_cast<std::uint8_t>(
                        std::clamp(colors[i * width + c], 0.0, 1.0) * 255 + 0.5));
                }
            }
        }
        add_faces(primitive, mode, base, count);
    }

    void add_normals(const std::vector<double>& normals, const Matrix& matrix) {
        for (std::size_t i = 0; i < normals.size(); i += 3) {
            std::array<double, 3> turned{};
            for (std::size_t row = 0; row < 3; ++row) {
                turned[row] = matrix[row] * normals[i] + matrix[4 + row] * normals[i + 1] +
                              matrix[8 + row] * normals[i + 2];
            }
            const double length = std::hypot(turned[0], turned[1], turned[2]);
            for (double value : turned) {
                mesh_.normals.push_back(static_cast<float>(length > 0 ? value / length : value));
            }
        }
    }

    void add_faces(const Json& primitive, std::int64_t mode, std::uint32_t base,
                   std::size_t count) {
        if (mode != 4) {
            return;
        }
        const std::int64_t index = primitive.integer_or("indices", -1);
        if (index < 0) {
            for (std::uint32_t i = 0; i < count / 3 * 3; ++i) {
                mesh_.faces.push_back(base + i);
            }
            return;
        }
        std::size_t width = 0;
        const std::vector<double> indices = accessor(index, width);
        for (std::size_t i = 0; i < indices.size() / 3 * 3; ++i) {
            if (!(indices[i] >= 0 && indices[i] < static_cast<double>(count))) {
                error_ = "a face names a vertex that is not there";
                return;
            }
            mesh_.faces.push_back(base + static_cast<std::uint32_t>(indices[i]));
        }
    }

    const Json& root_;
    ByteSpan buffer_;
    MeshArrays mesh_;
    std::string error_;
    int visited_ = 0;
};

}  // namespace

Result<MeshArrays> read_glb(ByteSpan file) {
    ByteCursor cursor(file);
    if (cursor.read<std::uint32_t>() != kMagic || cursor.read<std::uint32_t>() != 2) {
        return bad_glb("no glTF 2 header");
    }
    cursor.read<std::uint32_t>();
    const auto json_size = cursor.read<std::uint32_t>();
    if (cursor.read<std::uint32_t>() != kJsonChunk) {
        return bad_glb("no JSON chunk");
    }
    const std::string_view text = as_text(cursor.take(json_size));
    ByteSpan buffer;
    if (cursor.remaining() >= 8) {
        const auto size = cursor.read<std::uint32_t>();
        if (cursor.read<std::uint32_t>() == kBinaryChunk) {
            buffer = cursor.take(size);
        }
    }
    if (!cursor.ok()) {
        return bad_glb("cut short");
    }
    const auto root = parse_json(text);
    if (!root.ok()) {
        return bad_glb(root.error().message);
    }
    return GlbReader(*root, buffer).read();
}

Bytes write_glb(const MeshArrays& mesh) {
    const std::size_t count = mesh.vertices.size() / 3;
    Bytes buffer;
    JsonWriter views, accessors, attributes;
    views.begin_array(), accessors.begin_array(), attributes.begin_object();
    int next = 0;
    const auto add = [&](ByteSpan bytes, int target, int component, std::string_view type,
                         std::size_t elements) -> JsonWriter& {
        views.begin_object()
            .member("buffer", 0)
            .member("byteOffset", buffer.size())
            .member("byteLength", bytes.size());
        views.member("target", target).end_object();
        append(buffer, bytes);
        buffer.resize((buffer.size() + 3) / 4 * 4);
        accessors.begin_object()
            .member("bufferView", next)
            .member("componentType", component)
            .member("count", elements);
        accessors.member("type", type);
        ++next;
        return accessors;
    };
    constexpr int kVertexData = 34962, kIndexData = 34963, kF32 = 5126, kU32 = 5125, kU8 = 5121;
    std::array<float, 3> low{}, high{};
    for (std::size_t i = 0; i < count * 3; ++i) {
        low[i % 3] = i < 3 ? mesh.vertices[i] : std::min(low[i % 3], mesh.vertices[i]);
        high[i % 3] = i < 3 ? mesh.vertices[i] : std::max(high[i % 3], mesh.vertices[i]);
    }
    attributes.member("POSITION", next);
    add(std::as_bytes(std::span(mesh.vertices)), kVertexData, kF32, "VEC3", count);
    for (const auto& [name, bound] : {std::pair{"min", low}, std::pair{"max", high}}) {
        accessors.key(name).begin_array();
        for (float value : bound) {
            accessors.value(static_cast<double>(value));
        }
        accessors.end_array();
    }
    accessors.end_object();
    if (!mesh.normals.empty()) {
        attributes.member("NORMAL", next);
        add(std::as_bytes(std::span(mesh.normals)), kVertexData, kF32, "VEC3", count).end_object();
    }
    if (!mesh.colors.empty()) {
        // Vertex attributes start at multiples of four bytes, so colours are written with alpha.
        Bytes rgba;
        for (std::size_t i = 0; i < mesh.colors.size(); ++i) {
            append(rgba, mesh.colors[i]);
            if (i % 3 == 2) {
                append(rgba, std::uint8_t{255});
            }
        }
        attributes.member("COLOR_0", next);
        add(rgba, kVertexData, kU8, "VEC4", count).member("normalized", true).end_object();
    }
    attributes.end_object();

    JsonWriter root;
    root.begin_object()
        .key("asset")
        .begin_object()
        .member("version", "2.0")
        .member("generator", "taffrail")
        .end_object();
    root.member("scene", 0)
        .key("scenes")
        .raw(R"([{"nodes":[0]}])")
        .key("nodes")
        .raw(R"([{"mesh":0}])");
    root.key("meshes").begin_array().begin_object().key("primitives").begin_array().begin_object();
    root.key("attributes").raw(attributes.text());
    if (mesh.faces.empty()) {
        root.member("mode", 0);
    } else {
        root.member("indices", next).member("mode", 4);
        add(std::as_bytes(std::span(mesh.faces)), kIndexData, kU32, "SCALAR", mesh.faces.size())
            .end_object();
    }
    root.end_object().end_array().end_object().end_array();
    views.end_array(), accessors.end_array();
    root.key("buffers")
        .begin_array()
        .begin_object()
        .member("byteLength", buffer.size())
        .end_object()
        .end_array();
    root.key("bufferViews").raw(views.text()).key("accessors").raw(accessors.text()).end_object();

    std::string json = std::move(root).take();
    json.resize((json.size() + 3) / 4 * 4, ' ');
    Bytes file;
    append(file, kMagic);
    append(file, std::uint32_t{2});
    append(file, static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + buffer.size()));
    append(file, static_cast<std::uint32_t>(json.size()));
    append(file, kJsonChunk);
    append(file, as_bytes(json));
    append(file, static_cast<std::uint32_t>(buffer.size()));
    append(file, kBinaryChunk);
    append(file, ByteSpan(buffer));
    return file;
}

}  // namespace taffrail
