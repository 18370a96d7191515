// Records a run with every kind and element type, and writes the numbers it gave away beside it,
// for test_kinds.py:
//     kinds_tool ROOT RAW
#include <taffrail/run.h>

#include "io/files.h"

#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace taffrail {
namespace {

std::mt19937_64 numbers(20);

// Bit patterns of sensible numbers: floats between 0.5 and 1, everything else any value.
Bytes random_elements(DType dtype, std::int64_t count) {
    Bytes bytes;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t bits = numbers();
        switch (dtype) {
            case DType::Bool:
                append(bytes, static_cast<std::uint8_t>(bits & 1));
                break;
            case DType::F16:
                append(bytes, static_cast<std::uint16_t>(0x3800 | (bits & 0x3FF)));
                break;
            case DType::BF16:
                append(bytes, static_cast<std::uint16_t>(0x3F00 | (bits & 0x7F)));
                break;
            case DType::F32:
                append(bytes, static_cast<std::uint32_t>(0x3F000000 | (bits & 0x7FFFFF)));
                break;
            case DType::F64:
                append(bytes, 0x3FE0000000000000 | (bits & 0xFFFFFFFFFFFFF));
                break;
            case DType::F8E4M3:
                append(bytes, static_cast<std::uint8_t>(0x30 | (bits & 0x7)));
                break;
            case DType::F8E5M2:
                append(bytes, static_cast<std::uint8_t>(0x38 | (bits & 0x3)));
                break;
            default:
                for (std::size_t byte = 0; byte < size_of(dtype); ++byte) {
                    bytes.push_back(static_cast<std::byte>(bits >> (8 * byte)));
                }
        }
    }
    return bytes;
}

class Recording {
  public:
    Recording(Run run, std::string raw) : run_(std::move(run)), raw_(std::move(raw)) {}

    TensorView tensor(const std::string& key, DType dtype, Shape shape) {
        kept_.push_back(random_elements(dtype, shape.elements()));
        write(key, kept_.back());
        return {kept_.back().data(), dtype, shape};
    }

    void write(const std::string& key, ByteSpan bytes) const {
        (void)io::write_file_atomically(io::join(raw_, key + ".raw"), bytes, false);
    }

    void images() {
        for (const DType dtype : {DType::U8, DType::U16, DType::F16, DType::BF16, DType::F32}) {
            for (const int channels : {1, 3, 4}) {
                const std::string key = name("image", dtype) + "-" + std::to_string(channels);
                run_.log_image(key, {tensor(key, dtype, {11, 13, channels}), Layout::Hwc}, 1);
                run_.log_image(key + "-chw",
                               {tensor(key + "-chw", dtype, {channels, 11, 13}), Layout::Chw}, 1);
            }
        }
        run_.log_image("image-batch", {tensor("image-batch", DType::U8, {5, 8, 9, 3}), Layout::Hwc},
                       1);
    }

    void sounds() {
        for (const DType dtype : {DType::U8, DType::I16, DType::I32, DType::F32}) {
            for (const int channels : {1, 2}) {
                const std::string key = name("audio", dtype) + "-" + std::to_string(channels);
                run_.log_audio(key, {tensor(key, dtype, {400, channels}), 16000}, 1);
            }
        }
    }

    void tensors() {
        for (int number = 1; number <= 15; ++number) {
            const auto dtype = static_cast<DType>(number);
            const std::string key = name("tensor", dtype);
            run_.log_tensor(key, tensor(key, dtype, {3, 4, 5}), 1);
            const std::string histogram = name("histogram", dtype);
            run_.log_histogram(histogram, tensor(histogram, dtype, {200}), 1, {.bins = 10});
        }
        run_.log_embedding("embedding", tensor("embedding", DType::F32, {6, 4}), 1);
    }

    void shapes() {
        const TensorView vertices = tensor("mesh-vertices", DType::F32, {5, 3});
        const TensorView colors = tensor("mesh-colors", DType::U8, {5, 3});
        const std::vector<std::uint32_t> faces = {0, 1, 2, 2, 3, 4, 0, 2, 4};
        const std::span<const float> places(static_cast<const float*>(vertices.data), 15);
        const std::span<const std::uint8_t> paint(static_cast<const std::uint8_t*>(colors.data),
                                                  15);
        run_.log_mesh("mesh", {.vertices = places, .faces = faces, .colors = paint}, 1);
        run_.log_mesh("cloud", {.vertices = places, .colors = paint}, 1);
    }

    void rest() {
        run_.log_video("video", {tensor("video", DType::U8, {4, 16, 16, 3}), Layout::Hwc, 5.0}, 1);
        run_.log_table("table",
                       {{"a", "b", "c"},
                        {{std::int64_t{1}, 0.5, std::string("x,\"y\"\n")},
                         {std::monostate(), true, std::string("ü")}}},
                       1);
        run_.log_text("text", "# Überschrift\n\0x", 1);
        run_.log_artifact("files", raw_ + "/tensor-u8.raw");
        run_.log_figure("figure", R"({"data": [{"y": [1, 2]}]})", 1);
    }

    Result<void> finish() { return run_.finish(); }

    std::uint64_t errors() const { return run_.stats().errors; }

  private:
    static std::string name(const char* kind, DType dtype) {
        return std::string(kind) + "-" + std::string(to_string(dtype));
    }

    Run run_;
    std::string raw_;
    std::vector<Bytes> kept_;
};

}  // namespace
}  // namespace taffrail

int main(int count, char** arguments) {
    using namespace taffrail;
    if (count != 3) {
        return 2;
    }
    RunOptions options;
    options.root = arguments[1];
    options.id = "kinds";
    options.name = "kinds";
    options.environment = false;
    options.machine_load.reset();
    if (!io::make_directories(arguments[2]).ok()) {
        return 3;
    }
    Recording recording(init(options), arguments[2]);
    recording.images();
    recording.sounds();
    recording.tensors();
    recording.shapes();
    recording.rest();
    const auto finished = recording.finish();
    if (!finished.ok() || recording.errors() != 0) {
        std::fprintf(stderr, "%llu errors\n", static_cast<unsigned long long>(recording.errors()));
        return 4;
    }
    return 0;
}
