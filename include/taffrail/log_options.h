// What can be logged from a training hook, and the options of one log() call.
#pragma once

#include <taffrail/api.h>
#include <taffrail/value.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace taffrail {

class Metric;

/// How the values of an epoch become one.
enum class Reduce : std::uint8_t { Mean, Sum, Min, Max };

/// A Reduce, or its name in any case ("mean", "avg", "sum", "min", "max"). Other names are refused
/// by log().
class TAFFRAIL_API Reduction {
  public:
    Reduction(Reduce reduce = Reduce::Mean) noexcept
        : reduce_(reduce) {}  // NOLINT: implicit on purpose

    Reduction(std::string_view name) noexcept;  // NOLINT

    Reduction(const char* name) noexcept : Reduction(std::string_view(name)) {}  // NOLINT

    [[nodiscard]] bool known() const noexcept { return known_; }

    [[nodiscard]] Reduce reduce() const noexcept { return reduce_; }

    /// The name as it was given, for the message about an unknown one.
    [[nodiscard]] std::string_view given() const noexcept { return given_; }

  private:
    std::string_view given_ = {};
    Reduce reduce_ = Reduce::Mean;
    bool known_ = true;
};

/// "mean", "sum", "min", "max".
TAFFRAIL_API std::string_view to_string(Reduce reduce) noexcept;

/// Options of log(). What is not set takes the default of the hook it is called in.
struct LogOptions {
    bool prog_bar = false;               ///< show it on the progress bar
    std::optional<bool> logger = {};     ///< send it to the sinks (default yes)
    std::optional<bool> on_step = {};    ///< one point per step; default in train batches
    std::optional<bool> on_epoch = {};   ///< one reduced point per epoch; default elsewhere
    Reduction reduce_fx = Reduce::Mean;  ///< over the epoch; ignored for Metric objects
    bool enable_graph = false;  ///< accepted and without effect: plain numbers keep no graph
    /// Reduce over ranks: step values in the call, epoch values when computed.
    bool sync_dist = false;
    /// A group made by Communicator::group(); "" = all ranks.
    std::string_view sync_dist_group = {};
    /// Append /dataloader_idx_N when several loaders are evaluated.
    bool add_dataloader_idx = true;
    std::optional<std::int64_t> batch_size =
        {};                       ///< weight in the epoch mean; default: found in the batch
    bool rank_zero_only = false;  ///< only rank 0 makes this call: it is never synced
};

/// A value given to log(): a number, a tensor of one element, or a Metric.
class TAFFRAIL_API LogValue {
  public:
    enum class Form : std::uint8_t { Number, Tensor, MetricObject, Unsupported };

    template <typename Number>
        requires std::is_arithmetic_v<Number>
    LogValue(Number number) noexcept
        : number_(static_cast<double>(number)) {}  // NOLINT: implicit on purpose

    /// Read at once. Whole numbers and truth values are converted with one warning.
    LogValue(const TensorView& tensor) noexcept;  // NOLINT

    LogValue(Metric& metric) noexcept : form_(Form::MetricObject), metric_(&metric) {}  // NOLINT

    /// For callers with dynamic types: something log() refuses, such as a "text" or a "list".
    static LogValue unsupported(std::string_view type_name) noexcept;

    [[nodiscard]] Form form() const noexcept { return form_; }

    [[nodiscard]] double number() const noexcept { return number_; }

    [[nodiscard]] DType dtype() const noexcept { return dtype_; }

    [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }

    [[nodiscard]] Metric* metric() const noexcept { return metric_; }

    [[nodiscard]] std::string_view type_name() const noexcept { return type_name_; }

  private:
    LogValue() = default;

    Form form_ = Form::Number;
    DType dtype_ = DType::F64;
    std::int64_t elements_ = 1;
    double number_ = 0;
    Metric* metric_ = nullptr;
    std::string_view type_name_ = {};
};

/// What kind of mistake a refused log() call or trainer setting is.
enum class MisuseKind : std::uint8_t { Configuration, BadValue, Runtime };

/// "configuration", "value", "runtime".
TAFFRAIL_API std::string_view to_string(MisuseKind kind) noexcept;

/// A mistake in the training program. The trainer stops at the end of the hook it was made in.
struct Misuse {
    /// "E1" … "E17", see docs/guide/training.md; "group" for an unknown group.
    std::string code = {};
    MisuseKind kind = MisuseKind::Configuration;
    std::string message = {};  ///< what, where in the program, and the cure
};

/// How numbers of log() are kept between steps.
enum class LogPrecision : std::uint8_t {
    Double,  ///< 64 bits
    Single,  ///< 32 bits, as PyTorch programs keep them, unless a 64-bit tensor was logged
};

}  // namespace taffrail
