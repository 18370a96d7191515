#include "data.h"

#include "convert.h"
#include "errors.h"

#include <nanobind/stl/string.h>

namespace taffrail::python {

HeldData::HeldData(nb::handle parts) {
    for (nb::handle pair : nb::iter(parts)) {
        const nb::object name = nb::borrow(pair[0]), part = nb::borrow(pair[1]);
        add(nb::cast<std::string>(name), part);
    }
}

void HeldData::add(const std::string& name, nb::handle part) {
    map.values[name] = Datum::borrowed(variant_of(part));
}

const HeldTensor& HeldData::hold(nb::handle array) {
    return held_.emplace_back(array);
}

Datum::Variant HeldData::variant_of(nb::handle part) {
    if (nb::isinstance<nb::str>(part)) {
        return nb::cast<std::string>(part);
    }
    if (!nb::isinstance<nb::tuple>(part)) {
        return nb::cast<double>(part);
    }
    const auto at = [&](std::size_t place) { return nb::object(part[place]); };
    const std::string kind = nb::cast<std::string>(at(0));
    if (kind == "tensor") {
        return hold(at(1)).view();
    }
    if (kind == "image") {
        return ImageView{hold(at(1)).view(), layout_of(nb::cast<std::string>(at(2)))};
    }
    if (kind == "audio") {
        return AudioView{hold(at(1)).view(), nb::cast<int>(at(2))};
    }
    if (kind == "video") {
        return VideoView{hold(at(1)).view(), layout_of(nb::cast<std::string>(at(3))),
                         nb::cast<double>(at(2))};
    }
    if (kind == "mesh") {
        MeshView view{.vertices = hold(at(1)).span<float>(DType::F32, "vertices")};
        if (!at(2).is_none()) {
            view.faces = hold(at(2)).span<std::uint32_t>(DType::U32, "faces");
        }
        if (!at(3).is_none()) {
            view.colors = hold(at(3)).span<std::uint8_t>(DType::U8, "colors");
        }
        if (!at(4).is_none()) {
            view.normals = hold(at(4)).span<float>(DType::F32, "normals");
        }
        view.config_json = texts_.emplace_back(nb::cast<std::string>(at(5)));
        return view;
    }
    if (kind == "values") {
        return Histogram::from_values(hold(at(1)).span<double>(DType::F64, "values"),
                                      nb::cast<std::size_t>(at(2)));
    }
    if (kind == "bins") {
        return to_histogram(at(1), at(2));
    }
    if (kind == "table") {
        return to_table(at(1), at(2));
    }
    if (kind == "graph") {
        return to_graph(at(1));
    }
    if (kind == "hparams") {
        return to_hparams(at(1));
    }
    if (kind == "map") {
        std::map<std::string, double> numbers;
        for (nb::handle pair : nb::iter(at(1))) {
            numbers.emplace(nb::cast<std::string>(nb::object(pair[0])),
                            nb::cast<double>(nb::object(pair[1])));
        }
        return numbers;
    }
    raise_type_error("there is no datum of the kind '" + kind + "'");
}

Layout layout_of(const std::string& said) {
    if (said == "hwc") {
        return Layout::Hwc;
    }
    if (said == "chw") {
        return Layout::Chw;
    }
    raise_value_error("layout must be 'hwc' or 'chw', not '" + said + "'");
}

}  // namespace taffrail::python
