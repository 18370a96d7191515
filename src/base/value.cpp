#include <taffrail/key.h>
#include <taffrail/record.h>
#include <taffrail/value.h>

#include <algorithm>
#include <type_traits>

namespace taffrail {

std::string_view to_string(Phase phase) noexcept {
    switch (phase) {
        case Phase::None:
            return "";
        case Phase::Train:
            return "train";
        case Phase::Validate:
            return "validate";
        case Phase::Test:
            return "test";
        case Phase::Predict:
            return "predict";
        case Phase::Sanity:
            return "sanity";
    }
    return "";
}

std::string_view to_string(RunState state) noexcept {
    switch (state) {
        case RunState::Running:
            return "running";
        case RunState::Finished:
            return "finished";
        case RunState::Failed:
            return "failed";
        case RunState::Crashed:
            return "crashed";
        case RunState::Aborted:
            return "aborted";
        case RunState::Idle:
            return "idle";
    }
    return "unknown";
}

std::string_view to_string(Kind kind) noexcept {
    switch (kind) {
        case Kind::Scalar:
            return "scalar";
        case Kind::Histogram:
            return "histogram";
        case Kind::Image:
            return "image";
        case Kind::Audio:
            return "audio";
        case Kind::Video:
            return "video";
        case Kind::Mesh:
            return "mesh";
        case Kind::Text:
            return "text";
        case Kind::Table:
            return "table";
        case Kind::Figure:
            return "figure";
        case Kind::Graph:
            return "graph";
        case Kind::PrCurve:
            return "pr_curve";
        case Kind::Embedding:
            return "embedding";
        case Kind::Hparams:
            return "hparams";
        case Kind::Artifact:
            return "artifact";
        case Kind::Alert:
            return "alert";
        case Kind::Note:
            return "note";
        case Kind::Tag:
            return "tag";
        case Kind::Tensor:
            return "tensor";
        case Kind::MetricDefinition:
            return "metric_definition";
        case Kind::Summary:
            return "summary";
    }
    return "unknown";
}

std::size_t size_of(DType dtype) noexcept {
    switch (dtype) {
        case DType::Bool:
        case DType::U8:
        case DType::I8:
        case DType::F8E4M3:
        case DType::F8E5M2:
            return 1;
        case DType::U16:
        case DType::I16:
        case DType::F16:
        case DType::BF16:
            return 2;
        case DType::U32:
        case DType::I32:
        case DType::F32:
            return 4;
        case DType::U64:
        case DType::I64:
        case DType::F64:
            return 8;
    }
    return 0;
}

std::string_view to_string(DType dtype) noexcept {
    switch (dtype) {
        case DType::Bool:
            return "bool";
        case DType::U8:
            return "u8";
        case DType::I8:
            return "i8";
        case DType::U16:
            return "u16";
        case DType::I16:
            return "i16";
        case DType::U32:
            return "u32";
        case DType::I32:
            return "i32";
        case DType::U64:
            return "u64";
        case DType::I64:
            return "i64";
        case DType::F16:
            return "f16";
        case DType::BF16:
            return "bf16";
        case DType::F32:
            return "f32";
        case DType::F64:
            return "f64";
        case DType::F8E4M3:
            return "f8e4m3";
        case DType::F8E5M2:
            return "f8e5m2";
    }
    return "unknown";
}

std::int64_t Shape::elements() const noexcept {
    if (!valid()) {
        return -1;
    }
    std::int64_t product = 1;
    for (std::int64_t extent : extents()) {
        if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) {
            return -1;
        }
    }
    return product;
}

bool Shape::operator==(const Shape& other) const noexcept {
    return rank_ == other.rank_ && std::ranges::equal(extents(), other.extents());
}

Kind kind_of(const Value& value) noexcept {
    static constexpr Kind kKinds[] = {Kind::Scalar,
                                      Kind::Histogram,
                                      Kind::Image,
                                      Kind::Audio,
                                      Kind::Video,
                                      Kind::Mesh,
                                      Kind::Text,
                                      Kind::Table,
                                      Kind::Figure,
                                      Kind::Graph,
                                      Kind::PrCurve,
                                      Kind::Embedding,
                                      Kind::Hparams,
                                      Kind::Artifact,
                                      Kind::Alert,
                                      Kind::Note,
                                      Kind::Tag,
                                      Kind::Tensor,
                                      Kind::MetricDefinition,
                                      Kind::Summary};
    static_assert(std::size(kKinds) == std::variant_size_v<Value>);
    return kKinds[value.index()];
}

}  // namespace taffrail
