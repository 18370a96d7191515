// What can be logged: views for the caller's data, and owned values for what comes back.
//
// Views (TensorView, ImageView, …) borrow; they are read before the log call returns and never
// kept. Values (Histogram, Table, …) own their data: sinks and readers receive them inside Value.
#pragma once

#include <taffrail/api.h>
#include <taffrail/metric_options.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace taffrail {

/// The kind of a record. Numbers are part of the file format and never reused.
enum class Kind : std::uint8_t {
    Scalar = 1,
    Histogram = 2,
    Image = 3,
    Audio = 4,
    Video = 5,
    Mesh = 6,
    Text = 7,
    Table = 8,
    Figure = 9,
    Graph = 10,
    PrCurve = 11,
    Embedding = 12,
    Hparams = 13,
    Artifact = 14,
    Alert = 15,
    Note = 16,
    Tag = 17,
    Tensor = 18,
    MetricDefinition = 19,  ///< for sinks: what Run::define_metric said
    Summary = 20,           ///< for sinks: what Run::summary said
};

/// "scalar", "histogram", …, "pr_curve", "embedding", …
TAFFRAIL_API std::string_view to_string(Kind kind) noexcept;

/// Element types. Numbers are part of the file format and never reused.
enum class DType : std::uint8_t {
    Bool = 1,
    U8 = 2,
    I8 = 3,
    U16 = 4,
    I16 = 5,
    U32 = 6,
    I32 = 7,
    U64 = 8,
    I64 = 9,
    F16 = 10,
    BF16 = 11,
    F32 = 12,
    F64 = 13,
    F8E4M3 = 14,
    F8E5M2 = 15,
};

/// Bytes of one element.
TAFFRAIL_API std::size_t size_of(DType dtype) noexcept;
/// "u8", "f16", "bf16", "f32", "f8e4m3", …
TAFFRAIL_API std::string_view to_string(DType dtype) noexcept;

/// Extents of a tensor, outermost first; at most eight.
class TAFFRAIL_API Shape {
  public:
    static constexpr std::size_t kMaxRank = 8;

    Shape() = default;

    Shape(std::initializer_list<std::int64_t> extents) {
        for (std::int64_t extent : extents) {
            push_back(extent);
        }
    }

    explicit Shape(std::span<const std::int64_t> extents) {
        for (std::int64_t extent : extents) {
            push_back(extent);
        }
    }

    /// Beyond kMaxRank the shape turns invalid, which every log call reports as a wrong shape.
    void push_back(std::int64_t extent) {
        if (rank_ < kMaxRank) {
            extents_[rank_] = extent;
        }
        ++rank_;
    }

    [[nodiscard]] bool valid() const noexcept { return rank_ <= kMaxRank; }

    [[nodiscard]] std::size_t rank() const noexcept { return rank_ <= kMaxRank ? rank_ : kMaxRank; }

    [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }

    [[nodiscard]] std::span<const std::int64_t> extents() const noexcept {
        return {extents_.data(), rank()};
    }

    /// Product of the extents, 1 for rank 0, -1 when an extent is negative or the product
    /// overflows.
    [[nodiscard]] std::int64_t elements() const noexcept;
    bool operator==(const Shape& other) const noexcept;

  private:
    std::array<std::int64_t, kMaxRank> extents_{};
    std::size_t rank_ = 0;
};

/// Borrowed tensor: pointer, type, shape and strides in elements (empty = contiguous, row-major).
struct TensorView {
    const void* data = nullptr;
    DType dtype = DType::F32;
    Shape shape = {};
    Shape strides = {};

    TensorView() = default;

    TensorView(const void* pointer, DType type, Shape extents, Shape steps = {})
        : data(pointer), dtype(type), shape(extents), strides(steps) {}

    TensorView(std::span<const float> values)  // NOLINT: implicit on purpose
        : data(values.data()), dtype(DType::F32), shape{static_cast<std::int64_t>(values.size())} {}

    TensorView(std::span<const double> values)  // NOLINT
        : data(values.data()), dtype(DType::F64), shape{static_cast<std::int64_t>(values.size())} {}

    TensorView(const std::vector<float>& values)
        : TensorView(std::span<const float>(values)) {}  // NOLINT

    TensorView(const std::vector<double>& values)
        : TensorView(std::span<const double>(values)) {}  // NOLINT
};

/// Where the channels of an image tensor stand. Batches put N in front: NHWC, NCHW.
enum class Layout : std::uint8_t { Hwc, Chw };

/// Borrowed image or batch: rank 2 (H×W grey), 3 (HWC or CHW) or 4 (a batch); 1, 3 or 4 channels;
/// u8, u16, f16, bf16 or f32 (floats are shown as 0…1 and kept bit for bit).
struct ImageView {
    TensorView pixels = {};
    Layout layout = Layout::Hwc;
};

/// Borrowed audio: [frames] or [frames × channels]; i16, i32, u8 or f32 (-1…1).
struct AudioView {
    TensorView samples = {};
    int sample_rate = 44100;
};

/// Borrowed frames: T×H×W×C or T×C×H×W, u8 or float 0…1.
struct VideoView {
    TensorView frames = {};
    Layout layout = Layout::Hwc;
    double frames_per_second = 10.0;
};

/// Borrowed mesh (with faces) or point cloud (without).
struct MeshView {
    std::span<const float> vertices = {};       ///< xyz per vertex
    std::span<const std::uint32_t> faces = {};  ///< three vertex numbers per triangle
    std::span<const std::uint8_t> colors = {};  ///< rgb per vertex
    std::span<const float> normals = {};        ///< xyz per vertex
    /// Optional camera/material settings, as TensorBoard takes them.
    std::string_view config_json = {};
};

/// A cell of a table, a hyperparameter, a summary value: nothing, truth, whole number, number,
/// text.
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Counts per bin. `edges` has one more element than `counts`. NaN and infinities are counted
/// apart.
struct TAFFRAIL_API Histogram {
    std::vector<double> edges = {};
    std::vector<double> counts = {};
    std::uint64_t nan_count = 0;
    std::uint64_t positive_infinity_count = 0;
    std::uint64_t negative_infinity_count = 0;
    double min = 0, max = 0, sum = 0, sum_squares = 0;  ///< of the finite values

    /// Bins of equal width over [min, max]; the last bin is closed.
    static Histogram from_values(std::span<const double> values, std::size_t bins = 64);
};

/// Columns and rows; every row has columns.size() cells.
struct Table {
    std::vector<std::string> columns = {};
    std::vector<std::vector<Cell>> rows = {};
};

/// One node of a computation graph. `name` groups by `/`; `inputs` name producing nodes.
struct GraphNode {
    std::string name = {};
    std::string op = {};
    std::vector<std::string> inputs = {};
    std::vector<std::int64_t> output_shape = {};
    std::int64_t parameters = 0;
    std::string device = {};
    std::vector<std::pair<std::string, Cell>> attributes = {};
};

struct Graph {
    std::vector<GraphNode> nodes = {};
};

/// Counts per threshold (thresholds rise from 0 to 1).
struct TAFFRAIL_API PrCurve {
    std::vector<double> thresholds = {}, true_positives = {}, false_positives = {},
                        true_negatives = {}, false_negatives = {}, precision = {}, recall = {};

    /// From labels (0/1) and predictions in 0…1, optionally weighted.
    static PrCurve from_predictions(std::span<const std::uint8_t> labels,
                                    std::span<const double> predictions,
                                    std::size_t thresholds = 127,
                                    std::span<const double> weights = {});
};

/// Hyperparameters, flattened with `/`, in the caller's order.
using Hparams = std::vector<std::pair<std::string, Cell>>;

/// Bytes kept outside the record: media, tensors, files. Identity is the SHA-256 of the bytes as
/// stored.
struct BlobRef {
    std::array<std::uint8_t, 32> sha256{};
    std::uint64_t size = 0;
};

/// The blob of a value. In a sink it is loaded (`bytes`); a reader loads it on demand
/// (RecordedRun::load).
struct Blob {
    BlobRef ref = {};
    std::shared_ptr<const std::vector<std::byte>> bytes = {};
};

/// One or several images of one log call. `format` is "png" (u8, u16: one blob per image), "jpeg",
/// "gif", or "raw" (float pixels, row-major HWC, little-endian).
struct Image {
    std::string format = {};
    DType dtype = DType::U8;
    std::int64_t width = 0, height = 0;
    int channels = 0;
    std::vector<Blob> images = {};
    std::vector<std::string> captions = {};  ///< empty, one for all, or one per image
};

/// `format` is "wav" (PCM, or IEEE float for f32: lossless) or that of a file given as it is.
struct Audio {
    std::string format = {};
    int sample_rate = 0;
    int channels = 0;
    std::int64_t frames = 0;
    Blob data = {};
    std::string caption = {};
};

/// `format` is "mp4", "webm", "gif", or "frames" (raw u8 T×H×W×C where no encoder was at hand).
struct Video {
    std::string format = {};
    std::int64_t width = 0, height = 0, frames = 0;
    int channels = 3;
    double frames_per_second = 0;
    Blob data = {};
    std::string caption = {};
};

/// `format` is "arrays" (f32 vertices, u32 faces, u8 colours, f32 normals, concatenated) or obj,
/// ply, stl, glb.
struct Mesh {
    std::string format = {};
    std::int64_t vertices = 0, faces = 0;
    bool has_colors = false, has_normals = false;
    std::string config_json = {};
    Blob data = {};
};

struct Text {
    std::string text = {};  ///< Markdown unless `plain`
    bool plain = false;
};

/// A Plotly figure (JSON text), a picture, or both.
struct Figure {
    std::string plotly_json = {};
    std::string picture_format = {};
    Blob picture = {};
};

/// Rows of vectors with labels, for the embedding view. `vectors` is f32, count × dimensions.
struct Embedding {
    std::int64_t count = 0, dimensions = 0;
    Blob vectors = {};
    Table metadata = {};  ///< one row per vector, or empty
    Blob sprite = {};     ///< PNG of count thumbnails in a square grid, or empty
    std::int64_t thumbnail_width = 0, thumbnail_height = 0;
};

/// Any other tensor, kept bit for bit.
struct Tensor {
    DType dtype = DType::F32;
    Shape shape = {};
    Blob data = {};
};

/// One file of an artifact version.
struct ArtifactFile {
    std::string path = {};  ///< relative, inside the artifact
    Blob data = {};
};

struct Artifact {
    std::string name = {}, type = {};
    std::string version = {};  ///< "v0", "v1", …: one more than the newest of that name in the run
    std::vector<ArtifactFile> files = {};
    Hparams metadata = {};
};

enum class AlertLevel : std::uint8_t { Info, Warning, Error };

struct Alert {
    AlertLevel level = AlertLevel::Info;
    std::string title = {}, text = {};
};

struct Note {
    std::string text = {};
};

struct Tag {
    std::string tag = {};
    bool removed = false;
};

/// What Run::summary said: values of the run as a whole. Later ones overwrite those of that name.
struct SummaryValues {
    Hparams values = {};
};

/// Any logged value, decoded. The alternative matches Record::kind.
using Value = std::variant<double, Histogram, Image, Audio, Video, Mesh, Text, Table, Figure, Graph,
                           PrCurve, Embedding, Hparams, Artifact, Alert, Note, Tag, Tensor,
                           MetricDefinition, SummaryValues>;

/// The kind of the alternative a Value holds.
TAFFRAIL_API Kind kind_of(const Value& value) noexcept;

}  // namespace taffrail
