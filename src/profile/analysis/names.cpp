#include "profile/analysis/names.h"

#include "base/strings.h"

#include <algorithm>
#include <array>

namespace taffrail::profile::analysis {
namespace {

struct Category {
    std::string_view name;
    Kind kind;
};

constexpr Category kCategories[] = {
    {"cpu_op", Kind::Operator},
    {"operator", Kind::Operator},
    {"zone", Kind::Operator},
    {"python", Kind::Python},
    {"user_annotation", Kind::Annotation},
    {"cuda_runtime", Kind::Runtime},
    {"cuda_driver", Kind::Runtime},
    {"hip_runtime", Kind::Runtime},
    {"runtime", Kind::Runtime},
    {"kernel", Kind::Kernel},
    {"gpu_memcpy", Kind::Memcpy},
    {"memcpy", Kind::Memcpy},
    {"gpu_memset", Kind::Memset},
    {"memset", Kind::Memset},
    {"python_function", Kind::Function},
    {"trace", Kind::Trace},
};

// Words in names of kernels that multiply on Tensor Cores: instructions of Volta to Ampere, the
// families of cuDNN and cuBLAS, and of Hopper and Blackwell nvjet, wgmma and cutlass by its target.
constexpr std::string_view kTensorCoreWords[] = {
    "h884",
    "s884",
    "h1688",
    "s1688",
    "c1688",
    "hmma",
    "i8816",
    "16816",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
    "nvjet",
    "wgmma",
    "tensorop",
    "cutlass3x_sm90",
    "cutlass3x_sm100",
    "_sm80_xmma",
    "_sm90_xmma",
    "_sm100_xmma",
    "flash_fwd",
    "flash_bwd",
    "fmha_cutlass",
    "mma_gemm",
    "tcgen05",
    "umma",
};

constexpr std::string_view kTensorCoreOperators[] = {
    "AddbmmBackward",
    "AddmmBackward",
    "AddmmBackward0",
    "AddmvBackward",
    "BmmBackward0",
    "CudnnConvolutionBackward",
    "CudnnConvolutionTransposeBackward",
    "MmBackward",
    "MmBackward0",
    "MvBackward",
    "aten::_convolution",
    "aten::_thnn_fused_gru_cell",
    "aten::_thnn_fused_lstm_cell",
    "aten::addbmm",
    "aten::addmm",
    "aten::addmm_",
    "aten::addmv",
    "aten::addr",
    "aten::baddbmm",
    "aten::bmm",
    "aten::chain_matmul",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv_tbc",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::convolution",
    "aten::cudnn_convolution",
    "aten::cudnn_convolution_backward",
    "aten::cudnn_convolution_backward_input",
    "aten::cudnn_convolution_backward_weight",
    "aten::cudnn_convolution_transpose",
    "aten::cudnn_convolution_transpose_backward",
    "aten::cudnn_convolution_transpose_backward_input",
    "aten::cudnn_convolution_transpose_backward_weight",
    "aten::gru_cell",
    "aten::linalg_multi_dot",
    "aten::linear",
    "aten::lstm_cell",
    "aten::matmul",
    "aten::mm",
    "aten::mv",
    "aten::prelu",
    "aten::rnn_relu_cell",
    "aten::rnn_tanh_cell",
};

constexpr std::string_view kCollectives[] = {
    "all_gather",
    "all_reduce",
    "all_to_all",
    "allgather",
    "allreduce",
    "alltoall",
    "alltoall_base",
    "barrier",
    "broadcast",
    "coalesced",
    "gather",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_base",
    "scatter",
    "send",
    "_all_gather_base",
    "_reduce_scatter_base",
};

constexpr std::string_view kWaiting[] = {
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "cudaMemcpy",
    "cudaThreadSynchronize",
};

constexpr std::string_view kAllocations[] = {
    "cudaMalloc", "cudaFree", "cuMemAlloc", "cuMemAlloc_v2", "cuMemFree", "cuMemFree_v2",
};

/// Words that say the opposite, in names of the same families: ordinary multiplications.
constexpr std::string_view kOrdinaryWords[] = {"ffma", "simt", "dfma"};

template <std::size_t Count>
bool is_part(const std::string_view (&words)[Count], std::string_view name) noexcept {
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return name.find(word) != std::string_view::npos;
    });
}

template <std::size_t Count>
bool contains(const std::string_view (&words)[Count], std::string_view word) noexcept {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_collective(std::string_view name) noexcept {
    if (!name.starts_with("nccl:") && !name.starts_with("gloo:")) {
        return false;
    }
    return contains(kCollectives, name.substr(5));
}

bool is_loader(std::string_view name) noexcept {
    return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
           name.starts_with("enumerate(DataPipe)#") || name.ends_with("dataloader_next") ||
           (name.starts_with("get_") && name.ends_with("_batch"));
}

bool is_step(std::string_view name) noexcept {
    constexpr std::string_view kPrefix = "ProfilerStep#";
    return name.starts_with(kPrefix) && parse_int(name.substr(kPrefix.size())).has_value();
}

}  // namespace

Kind kind_of_category(std::string_view category) noexcept {
    for (const Category& known : kCategories) {
        if (known.name.size() == category.size() &&
            starts_with_ignoring_case(category, known.name)) {
            return known.kind;
        }
    }
    return Kind::Ignored;
}

NameFlag flags_of_name(std::string_view name) noexcept {
    unsigned flags = 0;
    flags |= is_step(name) ? kIsStep : 0U;
    flags |= is_loader(name) ? kIsLoader : 0U;
    flags |= is_collective(name) ? kIsCollective : 0U;
    flags |= contains(kTensorCoreOperators, name) ? kIsTensorCoreOperator : 0U;
    flags |= contains(kWaiting, name) ? kWaits : 0U;
    flags |= contains(kAllocations, name) ? kIsAllocation : 0U;
    if (is_part(kTensorCoreWords, name) && !is_part(kOrdinaryWords, name)) {
        flags |= kIsTensorCoreKernel;
    }
    if (name.starts_with("ncclDevKernel") || name.starts_with("ncclKernel")) {
        flags |= kIsCommunicationKernel | kIsNccl;
    }
    if (name.starts_with("nccl:")) {
        flags |= kIsNccl;
    }
    flags |= name == "DataParallel.forward" ? kIsDataParallel | kIsNoOperator : 0U;
    flags |=
        name == "DistributedDataParallel.forward" ? kIsDistributedDataParallel | kIsNoOperator : 0U;
    flags |=
        name.starts_with("Optimizer.") || (flags & (kIsLoader | kIsStep)) != 0 ? kIsNoOperator : 0U;
    return static_cast<NameFlag>(flags);
}

}  // namespace taffrail::profile::analysis
