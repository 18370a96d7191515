#include <taffrail/log_options.h>

#include "base/strings.h"
#include "codec/tensor.h"

namespace taffrail {

Reduction::Reduction(std::string_view name) noexcept : given_(name) {
    const auto is = [&](std::string_view known) {
        return name.size() == known.size() && starts_with_ignoring_case(name, known);
    };
    if (is("sum")) {
        reduce_ = Reduce::Sum;
    } else if (is("min")) {
        reduce_ = Reduce::Min;
    } else if (is("max")) {
        reduce_ = Reduce::Max;
    } else {
        known_ = is("mean") || is("avg");
    }
}

std::string_view to_string(Reduce reduce) noexcept {
    switch (reduce) {
        case Reduce::Mean:
            return "mean";
        case Reduce::Sum:
            return "sum";
        case Reduce::Min:
            return "min";
        case Reduce::Max:
            return "max";
    }
    return "";
}

std::string_view to_string(MisuseKind kind) noexcept {
    switch (kind) {
        case MisuseKind::Configuration:
            return "configuration";
        case MisuseKind::BadValue:
            return "value";
        case MisuseKind::Runtime:
            return "runtime";
    }
    return "";
}

LogValue::LogValue(const TensorView& tensor) noexcept
    : form_(Form::Tensor), dtype_(tensor.dtype), elements_(tensor.shape.elements()) {
    if (elements_ != 1) {
        return;
    }
    if (!check_tensor(tensor, "value").ok()) {
        elements_ = 0;
        return;
    }
    number_ = to_f64(tensor).front();
}

LogValue LogValue::unsupported(std::string_view type_name) noexcept {
    LogValue value;
    value.form_ = Form::Unsupported;
    value.type_name_ = type_name;
    return value;
}

}  // namespace taffrail
