#include "arrow.h"

#include <cerrno>
#include <cstdint>
#include <memory>

// The structs of https://arrow.apache.org/docs/format/CDataInterface.html: their layout is the
// interface.
extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace taffrail::python {
namespace {

constexpr std::int64_t kNullable = 2;

const char* format_of(Column column) {
    switch (column) {
        case Column::Time:
            return "tsn:UTC";
        case Column::Value:
        case Column::Epoch:
            return "g";
        case Column::Rank:
            return "i";
        case Column::Attempt:
            return "I";
        case Column::Phase:
            return "C";
        case Column::Writer:
        case Column::Seq:
            return "L";
        case Column::Step:
        case Column::Samples:
            break;
    }
    return "l";
}

std::vector<Column> listed(Columns columns) {
    std::vector<Column> all;
    for (std::size_t i = 0; i < kColumnKinds; ++i) {
        if (columns.contains(static_cast<Column>(i))) {
            all.push_back(static_cast<Column>(i));
        }
    }
    return all;
}

struct SchemaParts {
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> pointers;
};

void release_child(ArrowSchema* schema) {
    schema->release = nullptr;
}

void release_schema(ArrowSchema* schema) {
    auto* parts = static_cast<SchemaParts*>(schema->private_data);
    for (ArrowSchema& child : parts->children) {
        if (child.release != nullptr) {
            child.release(&child);
        }
    }
    delete parts;
    schema->release = nullptr;
}

void fill_schema(Columns columns, ArrowSchema* schema) {
    auto parts = std::make_unique<SchemaParts>();
    for (const Column column : listed(columns)) {
        const bool nullable = column == Column::Epoch || column == Column::Samples;
        parts->children.push_back({format_of(column), column_name(column), nullptr,
                                   nullable ? kNullable : 0, 0, nullptr, nullptr, &release_child,
                                   nullptr});
    }
    for (ArrowSchema& child : parts->children) {
        parts->pointers.push_back(&child);
    }
    *schema = {"+s",
               "",
               nullptr,
               0,
               static_cast<std::int64_t>(parts->children.size()),
               parts->pointers.data(),
               nullptr,
               &release_schema,
               parts.get()};
    static_cast<void>(parts.release());
}

/// What a consumer holds of one column: it may outlive the batch it came in.
struct ColumnParts {
    Chunk chunk;
    std::array<const void*, 2> buffers;
};

struct BatchParts {
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
    std::array<const void*, 1> no_validity{nullptr};
};

void release_column(ArrowArray* array) {
    delete static_cast<ColumnParts*>(array->private_data);
    array->release = nullptr;
}

void release_batch(ArrowArray* array) {
    auto* parts = static_cast<BatchParts*>(array->private_data);
    for (ArrowArray& child : parts->children) {
        if (child.release != nullptr) {
            child.release(&child);
        }
    }
    delete parts;
    array->release = nullptr;
}

void fill_batch(const Chunk& chunk, ArrowArray* array) {
    auto parts = std::make_unique<BatchParts>();
    const auto rows = static_cast<std::int64_t>(chunk.rows());
    for (const Column column : listed(chunk.columns())) {
        auto* held = new ColumnParts{chunk, {chunk.validity(column), chunk.data(column)}};
        parts->children.push_back({rows, static_cast<std::int64_t>(chunk.null_count(column)), 0, 2,
                                   0, held->buffers.data(), nullptr, nullptr, &release_column,
                                   held});
    }
    for (ArrowArray& child : parts->children) {
        parts->pointers.push_back(&child);
    }
    *array = {rows,
              0,
              0,
              1,
              static_cast<std::int64_t>(parts->children.size()),
              parts->no_validity.data(),
              parts->pointers.data(),
              nullptr,
              &release_batch,
              parts.get()};
    static_cast<void>(parts.release());
}

struct StreamParts {
    Columns columns;
    std::vector<Chunk> chunks;
    std::size_t next = 0;
};

int stream_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
    try {
        fill_schema(static_cast<StreamParts*>(stream->private_data)->columns, schema);
        return 0;
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
}

int stream_next(ArrowArrayStream* stream, ArrowArray* array) {
    auto* parts = static_cast<StreamParts*>(stream->private_data);
    if (parts->next == parts->chunks.size()) {
        array->release = nullptr;
        return 0;
    }
    try {
        fill_batch(parts->chunks[parts->next++], array);
        return 0;
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
}

const char* stream_error(ArrowArrayStream*) {
    return nullptr;
}

void release_stream(ArrowArrayStream* stream) {
    delete static_cast<StreamParts*>(stream->private_data);
    stream->release = nullptr;
}

template <typename T>
nb::object capsule_of(std::unique_ptr<T> made, const char* name) {
    PyObject* capsule = PyCapsule_New(made.get(), name, [](PyObject* self) {
        auto* held = static_cast<T*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
        if (held == nullptr) {
            PyErr_Clear();
            return;
        }
        if (held->release != nullptr) {
            held->release(held);
        }
        delete held;
    });
    if (capsule == nullptr) {
        made->release(made.get());
        throw nb::python_error();
    }
    static_cast<void>(made.release());
    return nb::steal(capsule);
}

}  // namespace

nb::object arrow_stream(const SeriesObject& series) {
    auto stream = std::make_unique<ArrowArrayStream>();
    *stream = {&stream_schema, &stream_next, &stream_error, &release_stream,
               new StreamParts{series.columns, series.chunks}};
    return capsule_of(std::move(stream), "arrow_array_stream");
}

nb::object arrow_schema(const SeriesObject& series) {
    auto schema = std::make_unique<ArrowSchema>();
    fill_schema(series.columns, schema.get());
    return capsule_of(std::move(schema), "arrow_schema");
}

}  // namespace taffrail::python
