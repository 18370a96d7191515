// What a Logger is handed in Python, as what routines take: numbers, texts, tensors and media.
#pragma once

#include <taffrail/routine.h>

#include "tensors.h"

#include <deque>
#include <string>

namespace taffrail::python {

/// Data of one iteration that borrow the arrays they were made of. Made and ended with the
/// interpreter lock; routines may read them without it.
class HeldData {
  public:
    /// `parts` is a list of (name, number, text or tuple); a tuple begins with the name of its
    /// kind, as taffrail._arrays.datum() makes it.
    explicit HeldData(nb::handle parts);

    /// One of them alone.
    HeldData(const std::string& name, nb::handle part) { add(name, part); }

    HeldData(const HeldData&) = delete;
    HeldData& operator=(const HeldData&) = delete;

    DataMap map = {};

  private:
    void add(const std::string& name, nb::handle part);
    Datum::Variant variant_of(nb::handle part);
    const HeldTensor& hold(nb::handle array);

    std::deque<HeldTensor> held_;  // never move: views point into them
    std::deque<std::string> texts_;
};

Layout layout_of(const std::string& said);

}  // namespace taffrail::python
