// Arrays of any Python library as borrowed tensors: by the buffer protocol (NumPy, array, bytes),
// by DLPack (PyTorch, JAX, CuPy, TensorFlow on the CPU), or numbers in nested lists.
#pragma once

#include <taffrail/value.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace taffrail::python {

namespace nb = nanobind;

/// Keeps an array alive and shows it as a TensorView. Made and ended with the interpreter lock; the
/// view may be read without it. A wrong type, or memory of a device, is a TypeError.
class HeldTensor {
  public:
    explicit HeldTensor(nb::handle object);
    ~HeldTensor();
    HeldTensor(const HeldTensor&) = delete;
    HeldTensor& operator=(const HeldTensor&) = delete;

    [[nodiscard]] const TensorView& view() const noexcept { return view_; }

    [[nodiscard]] std::size_t bytes() const noexcept;

    /// The elements as a contiguous span; a TypeError when they are of another type or strided.
    template <typename T>
    [[nodiscard]] std::span<const T> span(DType dtype, const char* what) const {
        check_contiguous(dtype, what);
        return {static_cast<const T*>(view_.data),
                static_cast<std::size_t>(view_.shape.elements())};
    }

  private:
    bool take_buffer(nb::handle object);
    bool take_dlpack(nb::handle object);
    void take_numbers(nb::handle object);
    void check_contiguous(DType dtype, const char* what) const;

    Py_buffer buffer_{};
    bool holds_buffer_ = false;
    std::optional<nb::ndarray<nb::ro>> array_;
    std::vector<double> numbers_;
    TensorView view_;
};

/// Runs `work` without the interpreter lock where it touches enough bytes to be worth it.
template <typename Work>
void without_lock(std::size_t bytes, Work&& work) {
    constexpr std::size_t kWorthIt = 32 << 10;
    if (bytes < kWorthIt) {
        work();
        return;
    }
    const nb::gil_scoped_release released;
    work();
}

/// From a list of dicts with the words of GraphNode.
Graph to_graph(nb::handle nodes);
/// From labels (u8), predictions (f64) and weights (f64, or None).
PrCurve pr_curve(nb::handle labels, nb::handle predictions, std::size_t thresholds,
                 nb::handle weights);

}  // namespace taffrail::python
