// What names of events mean: the words of PyTorch, CUDA, NCCL and cuBLAS, and our own.
#pragma once

#include <cstdint>
#include <string_view>

namespace taffrail::profile::analysis {

/// What an event is, by its category (and for steps, loaders and collectives by its name).
enum class Kind : std::uint8_t {
    Ignored,
    Operator,    ///< an operator of PyTorch, a zone
    Python,      ///< counts as work of the processor, is no operator
    Step,        ///< ProfilerStep#n
    Annotation,  ///< named by the user; counts as nothing unless its name says more
    Runtime,     ///< a call of the CUDA runtime or driver
    Kernel,
    Memcpy,
    Memset,
    Function,  ///< a Python function
    Module,    ///< a Python function that is the call of a module
    Trace,     ///< the span of the profiler itself
};

/// By category, whatever its case; Ignored for those that have no meaning here.
Kind kind_of_category(std::string_view category) noexcept;

/// Properties of a name, or-ed.
using NameFlag = std::uint16_t;
inline constexpr NameFlag kIsStep = 1;
inline constexpr NameFlag kIsLoader = 2;
inline constexpr NameFlag kIsCollective = 4;
inline constexpr NameFlag kIsTensorCoreKernel = 8;
inline constexpr NameFlag kIsTensorCoreOperator = 16;
/// A wrapper that tables of operators leave out.
inline constexpr NameFlag kIsNoOperator = 32;
inline constexpr NameFlag kIsCommunicationKernel = 64;
/// A call that blocks until the device is done.
inline constexpr NameFlag kWaits = 128;
/// A call that gets memory from the driver or gives it back.
inline constexpr NameFlag kIsAllocation = 256;
inline constexpr NameFlag kIsDataParallel = 512;
inline constexpr NameFlag kIsDistributedDataParallel = 1024;
inline constexpr NameFlag kIsNccl = 2048;

NameFlag flags_of_name(std::string_view name) noexcept;

}  // namespace taffrail::profile::analysis
