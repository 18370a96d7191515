// Writes logdirs for measurements: generate FOLDER RUNS TAGS POINTS
// [scalar|multi|tensor|blob:BYTES]
#include "codec/formats/tensorboard/encode.h"
#include "codec/formats/tensorboard/framing.h"
#include "codec/formats/tensorboard/tensor.h"
#include "io/files.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

using namespace taffrail;
using namespace taffrail::formats::tensorboard;

namespace {

void append_value_event(Bytes& to, double wall, std::int64_t step, std::span<const Bytes> values) {
    Bytes payload;
    append_event(payload, wall, step, event::kSummary, encode_summary(values));
    append_record(to, payload);
}

/// As TensorFlow 2 writes its scalars.
EncodedValue scalar_tensor(const std::string& tag, float number) {
    EncodedValue encoded = encode_scalar(tag, 0);
    encoded.field = value::kTensor;
    encoded.body = encode_tensor(TensorType::Float, {}, std::as_bytes(std::span(&number, 1)));
    return encoded;
}

Bytes make_run(int run, int tags, int points, const std::string& form) {
    Bytes file, payload;
    append_file_version_event(payload, 1.7e9 + run);
    append_record(file, payload);
    std::vector<std::string> names;
    for (int tag = 0; tag < tags; ++tag) {
        names.push_back("train/metric_" + std::to_string(tag));
    }
    const auto blob_bytes =
        form.starts_with("blob:") ? std::strtoull(form.c_str() + 5, nullptr, 10) : 0;
    const Bytes blob(blob_bytes, std::byte{0x37});
    for (int point = 0; point < points; ++point) {
        const double wall = 1.7e9 + run + point * 0.731;
        std::vector<Bytes> values;
        for (int tag = 0; tag < tags; ++tag) {
            const auto value =
                static_cast<float>(std::exp(-point * 1e-3) + 0.01 * ((point * 7919 + tag) % 101));
            const std::string& name = names[static_cast<std::size_t>(tag)];
            if (form == "scalar") {
                append_scalar_record(file, wall, point, name, value, {});
            } else if (form == "multi") {
                values.push_back(
                    encode_summary_value(encode_scalar(name, static_cast<double>(value)), false));
            } else if (form == "tensor") {
                const Bytes one = encode_summary_value(scalar_tensor(name, value), true);
                append_value_event(file, wall, point, {&one, 1});
            } else {
                const ByteSpan picture = blob;
                const Bytes one =
                    encode_summary_value(encode_pictures(name, 64, 64, {&picture, 1}), point == 0);
                append_value_event(file, wall, point, {&one, 1});
            }
        }
        if (form == "multi") {
            append_value_event(file, wall, point, values);
        }
    }
    return file;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fprintf(stderr,
                     "usage: generate FOLDER RUNS TAGS POINTS [scalar|multi|tensor|blob:BYTES]\n");
        return 2;
    }
    const std::string form = argc > 5 ? argv[5] : "scalar";
    std::uint64_t bytes = 0;
    for (int run = 0; run < std::atoi(argv[2]); ++run) {
        char name[32];
        std::snprintf(name, sizeof name, "run_%05d", run);
        const std::string folder = io::join(argv[1], name);
        const Bytes file = make_run(run, std::atoi(argv[3]), std::atoi(argv[4]), form);
        bytes += file.size();
        if (!io::make_directories(folder).ok() ||
            !io::write_file_atomically(io::join(folder, "events.out.tfevents.1700000000.host.1.0"),
                                       file, false)
                 .ok()) {
            std::fprintf(stderr, "cannot write below %s\n", argv[1]);
            return 1;
        }
    }
    std::printf("{\"id\": \"generate\", \"bytes\": %llu}\n",
                static_cast<unsigned long long>(bytes));
    return 0;
}
