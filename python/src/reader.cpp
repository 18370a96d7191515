// Reading: catalogues, runs and series. A series is read at once, in chunks that are Arrow's record
// batches already; arrays and streams made of it share that memory.
#include <taffrail/reader.h>

#include "arrow.h"
#include "blob.h"
#include "convert.h"
#include "errors.h"
#include "python_sink.h"
#include "run_object.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace taffrail::python {
namespace {

constexpr std::array<const char*, kColumnKinds> kColumnNames{
    "step", "time", "value", "epoch", "samples", "rank", "attempt", "phase", "writer", "seq"};

Column column_named(const std::string& name) {
    const auto found = std::find(kColumnNames.begin(), kColumnNames.end(), name);
    if (found == kColumnNames.end()) {
        raise_value_error("there is no column '" + name +
                          "'; there are step, time, value, epoch, samples, rank, attempt, phase, "
                          "writer and seq");
    }
    return static_cast<Column>(found - kColumnNames.begin());
}

std::optional<Axis> axis_named(const std::optional<std::string>& name) {
    constexpr std::array<const char*, 5> kNames{"steps", "wall_time", "relative_time", "epoch",
                                                "samples"};
    if (!name) {
        return std::nullopt;
    }
    const auto found = std::find(kNames.begin(), kNames.end(), *name);
    if (found == kNames.end()) {
        raise_value_error(
            "axis must be 'steps', 'wall_time', 'relative_time', 'epoch' or "
            "'samples', not '" +
            *name + "'");
    }
    return static_cast<Axis>(found - kNames.begin());
}

nb::dict damage_dict(const Damage& damage) {
    nb::dict said;
    said["file"] = text(damage.file);
    said["offset"] = damage.offset;
    said["length"] = damage.length;
    said["first_seq"] = damage.first_seq;
    said["last_seq"] = damage.last_seq;
    said["reason"] = text(damage.reason);
    return said;
}

nb::list damage_list(const std::vector<Damage>& all) {
    nb::list list;
    for (const Damage& one : all) {
        list.append(damage_dict(one));
    }
    return list;
}

Result<SeriesObject> read_all(const RecordedRun& run, const std::string& key,
                              const ReadRequest& request) {
    auto cursor = run.read(key, request);
    if (!cursor.ok()) {
        return std::move(cursor).error();
    }
    SeriesObject series;
    series.key = key;
    series.columns = request.columns;
    for (;;) {
        auto step = (*cursor)->next();
        if (!step.ok()) {
            return std::move(step).error();
        }
        if (ReadEnd* end = std::get_if<ReadEnd>(&*step)) {
            series.damage = std::move(end->damage);
            return series;
        }
        series.chunks.push_back(std::get<Chunk>(*std::move(step)));
        series.rows += series.chunks.back().rows();
    }
}

SeriesObject read_series(const RecordedRun& run, const std::string& key, nb::handle columns,
                         std::optional<double> from, std::optional<double> to, bool all_attempts,
                         const std::optional<std::string>& axis, bool backwards) {
    ReadRequest request;
    request.columns = {};
    for (const std::string& name : to_texts(columns)) {
        request.columns = request.columns | Columns{column_named(name)};
    }
    request.from = from;
    request.to = to;
    request.attempts = all_attempts ? Attempts::All : Attempts::Winning;
    request.axis = axis_named(axis);
    request.direction = backwards ? Direction::Backwards : Direction::Forwards;
    std::optional<Result<SeriesObject>> series;
    {
        const nb::gil_scoped_release released;
        series.emplace(read_all(run, key, request));
    }
    return take(*std::move(series));
}

template <typename T>
nb::object column_array(const SeriesObject& self, Column column) {
    using Array = nb::ndarray<nb::memview, const T, nb::ndim<1>>;
    if (self.chunks.size() == 1) {
        auto* kept = new Chunk(self.chunks.front());
        const nb::capsule owner(kept, [](void* it) noexcept { delete static_cast<Chunk*>(it); });
        return nb::cast(Array(static_cast<const T*>(kept->data(column)), {self.rows}, owner));
    }
    auto* joined = new T[std::max<std::size_t>(self.rows, 1)];
    const nb::capsule owner(joined, [](void* it) noexcept { delete[] static_cast<T*>(it); });
    {
        const nb::gil_scoped_release released;
        T* next = joined;
        for (const Chunk& chunk : self.chunks) {
            std::memcpy(next, chunk.data(column), chunk.rows() * sizeof(T));
            next += chunk.rows();
        }
    }
    return nb::cast(Array(joined, {self.rows}, owner));
}

nb::object column_of(const SeriesObject& self, const std::string& name) {
    const Column column = column_named(name);
    if (!self.columns.contains(column)) {
        raise_value_error("the column '" + name + "' was not read; name it in columns=");
    }
    switch (column) {
        case Column::Step:
        case Column::Time:
        case Column::Samples:
            return column_array<std::int64_t>(self, column);
        case Column::Value:
        case Column::Epoch:
            return column_array<double>(self, column);
        case Column::Rank:
            return column_array<std::int32_t>(self, column);
        case Column::Attempt:
            return column_array<std::uint32_t>(self, column);
        case Column::Phase:
            return column_array<std::uint8_t>(self, column);
        case Column::Writer:
        case Column::Seq:
            break;
    }
    return column_array<std::uint64_t>(self, column);
}

nb::dict info_dict(const RunInfo& info) {
    nb::dict said;
    said["id"] = text(info.id);
    said["name"] = text(info.name);
    said["project"] = text(info.project);
    said["group"] = text(info.group);
    said["job_type"] = text(info.job_type);
    said["notes"] = text(info.notes);
    said["tags"] = texts(info.tags);
    said["state"] = text(to_string(info.state));
    said["start_time_ns"] = info.start_time_ns;
    said["end_time_ns"] = info.end_time_ns;
    said["attempts"] = info.attempts;
    said["world_size"] = info.world_size;
    said["location"] = text(info.location);
    said["source"] = text(info.source);
    said["archived"] = info.archived;
    said["deleted"] = info.deleted;
    said["color"] = text(info.color);
    said["config"] = from_hparams(info.config);
    nb::dict summary;
    for (const auto& [name, value] : info.summary) {
        summary[text(name)] = from_cell(value);
    }
    said["summary"] = summary;
    said["message"] = text(info.message);
    return said;
}

nb::object or_none(std::optional<double> number) {
    return number ? nb::object(nb::float_(*number)) : nb::none();
}

nb::list keys_list(const RecordedRun& run) {
    std::vector<KeyInfo> all;
    {
        const nb::gil_scoped_release released;
        all = run.keys();
    }
    nb::list list;
    for (const KeyInfo& info : all) {
        nb::dict said;
        said["key"] = text(info.key);
        said["kind"] = text(to_string(info.kind));
        said["count"] = info.count;
        if (info.kind == Kind::Scalar) {
            const SeriesSummary& scalar = info.scalar;
            said["min"] = or_none(scalar.smallest());
            said["max"] = or_none(scalar.largest());
            said["last"] = or_none(scalar.newest());
            said["mean"] = or_none(scalar.mean());
            said["nan_count"] = scalar.nan_count;
            said["infinity_count"] = scalar.infinity_count();
            said["first_step"] = scalar.first_step;
            said["last_step"] = scalar.last_step;
        }
        list.append(said);
    }
    return list;
}

/// Blobs inside a value of a run know where their bytes are.
void attach(nb::handle value, const std::shared_ptr<const RecordedRun>& run) {
    if (nb::isinstance<BlobObject>(value)) {
        nb::inst_ptr<BlobObject>(value)->run = run;
    } else if (nb::isinstance<nb::dict>(value)) {
        for (nb::handle part : nb::iter(value.attr("values")())) {
            attach(part, run);
        }
    } else if (nb::isinstance<nb::list>(value)) {
        for (nb::handle part : nb::iter(value)) {
            attach(part, run);
        }
    }
}

nb::list entries_list(const std::shared_ptr<RecordedRun>& run, const std::string& key) {
    std::optional<Result<std::vector<Entry>>> read;
    {
        const nb::gil_scoped_release released;
        read.emplace(run->entries(key));
    }
    nb::list list;
    for (const Entry& entry : take(*std::move(read))) {
        const nb::object value = entry.value ? from_value(*entry.value) : nb::none();
        attach(value, run);
        list.append(nb::make_tuple(
            entry.step, entry.time_ns,
            entry.epoch ? nb::object(nb::float_(*entry.epoch)) : nb::none(),
            entry.samples ? nb::object(nb::int_(*entry.samples)) : nb::none(), entry.attempt,
            entry.rank, text(to_string(entry.phase)), entry.writer, entry.seq,
            text(entry.value ? to_string(kind_of(*entry.value)) : ""), value));
    }
    return list;
}

nb::bytes load_blob(const BlobObject& self) {
    std::shared_ptr<const std::vector<std::byte>> bytes = self.bytes;
    if (!bytes && self.run) {
        std::optional<Result<std::shared_ptr<const std::vector<std::byte>>>> loaded;
        {
            const nb::gil_scoped_release released;
            loaded.emplace(self.run->load(self.ref));
        }
        bytes = take(*std::move(loaded));
    }
    return bytes ? nb::bytes(bytes->data(), bytes->size()) : nb::bytes("", 0);
}

std::string hexadecimal(const BlobRef& ref) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string said;
    for (const std::uint8_t byte : ref.sha256) {
        said += kDigits[byte >> 4];
        said += kDigits[byte & 15];
    }
    return said;
}

nb::list console_list(const RecordedRun& run, std::size_t first, std::size_t count) {
    nb::list list;
    for (const ConsoleLine& line : run.console(first, count)) {
        nb::dict said;
        said["time_ns"] = line.time_ns;
        said["is_error"] = line.is_error;
        said["rank"] = line.rank;
        said["text"] = text(line.text);
        list.append(said);
    }
    return list;
}

void bind_series(nb::module_& module) {
    nb::class_<SeriesObject>(module, "Series")
        .def_prop_ro("key", [](const SeriesObject& self) { return text(self.key); })
        .def("__len__", [](const SeriesObject& self) { return self.rows; })
        .def("column", &column_of, nb::arg("name"))
        .def_prop_ro("columns",
                     [](const SeriesObject& self) {
                         nb::list names;
                         for (std::size_t i = 0; i < kColumnKinds; ++i) {
                             if (self.columns.contains(static_cast<Column>(i))) {
                                 names.append(kColumnNames[i]);
                             }
                         }
                         return names;
                     })
        .def_prop_ro("damage", [](const SeriesObject& self) { return damage_list(self.damage); })
        .def("arrow_stream", [](const SeriesObject& self) { return arrow_stream(self); })
        .def("arrow_schema", [](const SeriesObject& self) { return arrow_schema(self); });
    nb::class_<BlobObject>(module, "Blob", "Bytes of a value, loaded when asked for.")
        .def_prop_ro("size", [](const BlobObject& self) { return self.ref.size; })
        .def_prop_ro("sha256", [](const BlobObject& self) { return hexadecimal(self.ref); })
        .def("load", &load_blob, "The bytes, checked against their SHA-256.");
}

}  // namespace

const char* column_name(Column column) noexcept {
    return kColumnNames[static_cast<std::size_t>(column)];
}

void bind_reader(nb::module_& module) {
    bind_series(module);
    nb::class_<RecordedRun>(module, "RecordedRun")
        .def("info", [](const RecordedRun& self) { return info_dict(self.info()); })
        .def("keys", &keys_list)
        .def("read", &read_series, nb::arg("key"), nb::arg("columns"), nb::arg("from_").none(),
             nb::arg("to").none(), nb::arg("all_attempts"), nb::arg("axis").none(),
             nb::arg("backwards"))
        .def("entries", &entries_list, nb::arg("key"))
        .def("console", &console_list, nb::arg("first"), nb::arg("count"))
        .def("environment",
             [](const RecordedRun& self) { return from_hparams(self.environment()); })
        .def("damage", [](const RecordedRun& self) { return damage_list(self.damage()); })
        .def("refresh", [](RecordedRun& self) { return take(self.refresh()); })
        .def_prop_ro("revision", &RecordedRun::revision);
    nb::class_<Catalogue>(module, "Catalogue")
        .def(
            "runs",
            [](const Catalogue& self, bool include_deleted) {
                nb::list list;
                for (const RunInfo& info : self.runs(include_deleted)) {
                    list.append(info_dict(info));
                }
                return list;
            },
            nb::arg("include_deleted"))
        .def("run",
             [](const Catalogue& self, const std::string& id) {
                 std::optional<Result<std::shared_ptr<RecordedRun>>> run;
                 {
                     const nb::gil_scoped_release released;
                     run.emplace(self.run(id));
                 }
                 return take(*std::move(run));
             })
        .def("unreadable",
             [](const Catalogue& self) {
                 nb::list list;
                 for (const UnreadableRun& run : self.unreadable()) {
                     list.append(nb::make_tuple(text(run.location), text(run.reason)));
                 }
                 return list;
             })
        .def("refresh", [](Catalogue& self) { return texts(take(self.refresh())); });
    module.def("read", [](const std::string& path, nb::dict options) {
        const OptionMap given = to_options(options);
        std::optional<Result<std::shared_ptr<Catalogue>>> opened;
        {
            const nb::gil_scoped_release released;
            opened.emplace(taffrail::read(path, given));
        }
        return take(*std::move(opened));
    });
}

}  // namespace taffrail::python
