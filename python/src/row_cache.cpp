#include "run_object.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace taffrail::python {
namespace {

// A leaked list: C++ statics end before the exit handler of the library runs.
std::vector<std::shared_ptr<Run>>& open_runs_of_python() {
    static auto* runs = new std::vector<std::shared_ptr<Run>>;
    return *runs;
}

}  // namespace

RunObject::RunObject(Run opened) : run(std::make_shared<Run>(std::move(opened))) {
    if (run->active()) {
        open_runs_of_python().push_back(run);
    } else {
        finished = true;
    }
}

void forget_open(const std::shared_ptr<Run>& run) noexcept {
    std::erase(open_runs_of_python(), run);
}

RowCache::~RowCache() {
    for (const auto& place : entries_) {
        for (const Entry& entry : place) {
            for (PyObject* key : entry.keys) {
                Py_DECREF(key);
            }
        }
    }
}

RowCache::Entry* RowCache::find(Run& run, std::span<PyObject* const> keys, std::uint64_t hash) {
    auto& place = entries_[hash % kPlaces];
    ++uses_;
    const auto found = std::ranges::find_if(place, [&](const Entry& entry) {
        return entry.keys.size() == keys.size() &&
               std::equal(keys.begin(), keys.end(), entry.keys.begin());
    });
    if (found != place.end()) {
        Entry& entry = *found;
        entry.last_use = uses_;
        if (entry.bound) [[likely]] {
            return &entry;
        }
        std::vector<std::string_view> names;
        names.reserve(keys.size());
        for (PyObject* key : keys) {
            Py_ssize_t size = 0;
            const char* bytes = PyUnicode_AsUTF8AndSize(key, &size);
            if (bytes == nullptr) {
                PyErr_Clear();  // the slow way says what is wrong with it
                return nullptr;
            }
            names.emplace_back(bytes, static_cast<std::size_t>(size));
        }
        entry.row = run.row(std::span<const std::string_view>(names));
        entry.bound = true;
        entry.last.resize(keys.size());
        return &entry;
    }
    Entry& entry = *std::ranges::min_element(place, {}, &Entry::last_use);
    for (PyObject* key : entry.keys) {
        Py_DECREF(key);
    }
    entry.last_use = uses_;
    entry.keys.assign(keys.begin(), keys.end());
    for (PyObject* key : entry.keys) {
        Py_INCREF(key);
    }
    entry.bound = false;
    entry.last_call = 0;
    return nullptr;
}

std::vector<const RowCache::Entry*> RowCache::logged() const {
    std::vector<const Entry*> rows;
    for (const auto& place : entries_) {
        for (const Entry& entry : place) {
            if (entry.last_call != 0) {
                rows.push_back(&entry);
            }
        }
    }
    std::ranges::sort(rows, std::ranges::greater(), &Entry::last_call);
    return rows;
}

}  // namespace taffrail::python
