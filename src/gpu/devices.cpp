// What the CUDA driver says of its devices, in the words of PyTorch's traces.
#include "codec/json_writer.h"
#include "gpu/collector.h"

#include <dlfcn.h>

#include <array>

namespace taffrail::gpu {
namespace {

struct Attribute {
    const char* name;
    int number;  ///< CUdevice_attribute
};

constexpr int kMultiprocessors = 16;

constexpr Attribute kAttributes[] = {
    {"computeMajor", 75},
    {"computeMinor", 76},
    {"maxThreadsPerBlock", 1},
    {"maxThreadsPerMultiprocessor", 39},
    {"regsPerBlock", 12},
    {"warpSize", 10},
    {"sharedMemPerBlock", 8},
    {"numSms", kMultiprocessors},
    {"regsPerMultiprocessor", 82},
    {"sharedMemPerBlockOptin", 97},
    {"sharedMemPerMultiprocessor", 81},
};

template <typename Function>
Function find_function(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

DeviceFacts device_facts() {
    DeviceFacts facts;
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) {
        return facts;
    }
    const auto init = find_function<int (*)(unsigned)>(driver, "cuInit");
    const auto count_of = find_function<int (*)(int*)>(driver, "cuDeviceGetCount");
    const auto get = find_function<int (*)(int*, int)>(driver, "cuDeviceGet");
    const auto name_of = find_function<int (*)(char*, int, int)>(driver, "cuDeviceGetName");
    const auto memory_of = find_function<int (*)(std::size_t*, int)>(driver, "cuDeviceTotalMem_v2");
    const auto attribute_of =
        find_function<int (*)(int*, int, int)>(driver, "cuDeviceGetAttribute");
    int count = 0;
    if (init == nullptr || count_of == nullptr || get == nullptr || name_of == nullptr ||
        memory_of == nullptr || attribute_of == nullptr || init(0) != 0 || count_of(&count) != 0) {
        return facts;
    }
    JsonWriter json;
    json.begin_array();
    for (int index = 0; index < count; ++index) {
        int device = 0;
        std::array<char, 256> name = {};
        std::size_t memory = 0;
        if (get(&device, index) != 0 ||
            name_of(name.data(), static_cast<int>(name.size()) - 1, device) != 0 ||
            memory_of(&memory, device) != 0) {
            continue;
        }
        json.begin_object().member("id", index).member("name", name.data());
        json.member("totalGlobalMem", memory);
        for (const Attribute& attribute : kAttributes) {
            int value = 0;
            if (attribute_of(&value, attribute.number, device) == 0) {
                json.member(attribute.name, value);
            }
            if (attribute.number == kMultiprocessors) {
                facts.multiprocessors.push_back(value);
            }
        }
        json.end_object();
    }
    facts.json = std::move(json.end_array()).take();
    return facts;
}

}  // namespace taffrail::gpu
