// What CUPTI does, without a GPU, in records of the lengths that CUDA 13 uses. A flush hands out
// the records a test has given it, else what the test has launched, else three launches and a copy.
// FAKE_CUPTI_FAILS makes enabling fail with that number.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define EXPORTED extern "C" [[gnu::visibility("default")]]

namespace {

using Requested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Completed = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
Requested requested = nullptr;
Completed completed = nullptr;
std::uint64_t enabled = 0, disabled = 0;  // the latter from the next flush on
bool has_given_everything = false;
std::vector<std::uint8_t> recorded;

struct Launch {
    const char* name;
    std::uint64_t begin, end;
    std::uint32_t thread;
};

std::vector<Launch> launches;

std::size_t size_of(std::uint32_t kind) {
    switch (kind) {
        case 10:
            return 216;
        case 1:
            return 88;
        case 2:
            return 72;
        case 12:
            return 56;
        case 4:
        case 5:
            return 40;
        default:
            return 24;
    }
}

class Buffer {
  public:
    Buffer() { requested(&bytes_, &size_, &most_); }

    ~Buffer() { completed(nullptr, 0, bytes_, size_, used_); }

    [[nodiscard]] bool has_room(std::size_t bytes) const { return used_ + bytes <= size_; }

    void add(const std::uint8_t* record, std::size_t bytes) {
        std::memcpy(bytes_ + used_, record, bytes);
        used_ += bytes;
    }

    std::uint8_t* add(std::uint32_t kind) {
        std::uint8_t* record = bytes_ + used_;
        std::memset(record, 0, size_of(kind));
        std::memcpy(record, &kind, 4);
        used_ += size_of(kind);
        return record;
    }

  private:
    std::uint8_t* bytes_ = nullptr;
    std::size_t size_ = 0, most_ = 0, used_ = 0;
};

template <typename Value>
void put(std::uint8_t* record, std::size_t offset, Value value) {
    std::memcpy(record + offset, &value, sizeof value);
}

bool is_enabled(std::uint32_t kind) {
    return (enabled >> kind & 1) != 0;
}

void add_call(Buffer& buffer, std::uint32_t kind, std::uint64_t begin, std::uint32_t correlation) {
    if (!is_enabled(kind)) {
        return;
    }
    std::uint8_t* record = buffer.add(kind);
    put<std::uint32_t>(record, 4, kind == 5 ? 211 : 307);
    put<std::uint64_t>(record, 8, begin);
    put<std::uint64_t>(record, 16, begin + 4'000);
    put<std::uint32_t>(record, 24, 4711);
    put<std::uint32_t>(record, 28, 4712);
    put<std::uint32_t>(record, 32, correlation);
}

void add_everything() {
    Buffer buffer;
    for (std::uint32_t launch = 1; launch <= 3; ++launch) {
        const std::uint64_t begin = 1'000'000 + launch * 10'000;
        add_call(buffer, 5, begin, launch);
        add_call(buffer, 4, begin + 500, launch);          // the driver below it
        add_call(buffer, 4, begin + 5'000, 100 + launch);  // and one that launches nothing
        std::uint8_t* record = buffer.add(10);
        put<std::uint16_t>(record, 6, 168);
        put<std::uint64_t>(record, 16, begin + 6'000);
        put<std::uint64_t>(record, 24, begin + 8'500);
        put<std::uint32_t>(record, 40, 0);
        put<std::uint32_t>(record, 44, 1);
        put<std::uint32_t>(record, 48, 7);
        for (std::size_t side = 0; side < 3; ++side) {
            put<std::uint32_t>(record, 52 + side * 4, side == 0 ? 128 : 1);
            put<std::uint32_t>(record, 64 + side * 4, side == 0 ? 384 : 1);
        }
        put<std::uint32_t>(record, 76, 1'024);
        put<std::uint32_t>(record, 80, 212'196);
        put<std::uint32_t>(record, 92, launch);
        put<const char*>(record, 104, launch == 3 ? "_Z6kernelIfEvPT_" : "nvjet_sm90_tst");
    }
    add_call(buffer, 5, 1'050'000, 9);
    std::uint8_t* copy = buffer.add(1);
    copy[4] = 1;
    copy[5] = 1;
    copy[6] = 3;
    put<std::uint64_t>(copy, 8, 4'096);
    put<std::uint64_t>(copy, 16, 1'055'000);
    put<std::uint64_t>(copy, 24, 1'056'000);
    put<std::uint32_t>(copy, 40, 7);
    put<std::uint32_t>(copy, 44, 9);
    (void)buffer.add(17);  // of a kind nobody asked for
    if (is_enabled(12)) {
        for (const bool is_end : {false, true}) {
            std::uint8_t* marker = buffer.add(12);
            put<std::uint32_t>(marker, 4, is_end ? 4 : 2);
            put<std::uint64_t>(marker, 8, is_end ? 1'060'000 : 1'000'000);
            put<std::uint32_t>(marker, 16, 5);
            put<std::uint32_t>(marker, 24, 4711);
            put<std::uint32_t>(marker, 28, 4712);
            put<const char*>(marker, 40, is_end ? nullptr : "forward");
        }
    }
}

/// Whole records only, in as many buffers as they need.
void add_recorded() {
    for (std::size_t at = 0; at < recorded.size();) {
        Buffer buffer;
        while (at < recorded.size()) {
            std::uint32_t kind = 0;
            std::memcpy(&kind, recorded.data() + at, 4);
            if (!buffer.has_room(size_of(kind))) {
                break;
            }
            if (is_enabled(kind)) {
                buffer.add(recorded.data() + at, size_of(kind));
            }
            at += size_of(kind);
        }
    }
    recorded.clear();
}

/// Each kernel begins when its call ends and runs for 10 microseconds.
void add_launches() {
    Buffer buffer;
    std::uint32_t correlation = 0;
    for (const Launch& launch : launches) {
        ++correlation;
        if (is_enabled(5)) {
            std::uint8_t* call = buffer.add(5);
            put<std::uint32_t>(call, 4, 211);
            put<std::uint64_t>(call, 8, launch.begin);
            put<std::uint64_t>(call, 16, launch.end);
            put<std::uint32_t>(call, 24, static_cast<std::uint32_t>(::getpid()));
            put<std::uint32_t>(call, 28, launch.thread);
            put<std::uint32_t>(call, 32, correlation);
        }
        std::uint8_t* kernel = buffer.add(10);
        put<std::uint64_t>(kernel, 16, launch.end);
        put<std::uint64_t>(kernel, 24, launch.end + 10'000);
        put<std::uint32_t>(kernel, 48, 7);
        for (std::size_t side = 0; side < 3; ++side) {
            put<std::uint32_t>(kernel, 52 + side * 4, 64);
            put<std::uint32_t>(kernel, 64 + side * 4, 1);
        }
        put<std::uint32_t>(kernel, 92, correlation);
        put<const char*>(kernel, 104, launch.name);
    }
    launches.clear();
}

std::uint64_t now() {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

/// Handed out at the next flush as they are; names are pointers into memory of the test.
EXPORTED void fake_cupti_replay(const std::uint8_t* records, std::size_t size) {
    recorded.assign(records, records + size);
}

/// A program on this thread launches a kernel; unseen where nobody records.
EXPORTED void fake_cupti_launch(const char* name) {
    if (is_enabled(10) && (disabled >> 10 & 1) == 0) {
        const std::uint64_t begin = now();
        launches.push_back({name, begin, now(), static_cast<std::uint32_t>(::syscall(SYS_gettid))});
    }
}

EXPORTED void fake_cupti_launch_late() {
    fake_cupti_launch("late");
}

EXPORTED int cuptiGetVersion(std::uint32_t* version) {
    *version = 130001;
    return 0;
}

EXPORTED int cuptiActivityRegisterCallbacks(Requested request, Completed complete) {
    requested = request;
    completed = complete;
    return 0;
}

EXPORTED int cuptiActivityEnable(std::uint32_t kind) {
    if (const char* number = std::getenv("FAKE_CUPTI_FAILS"); number != nullptr) {
        return std::atoi(number);
    }
    enabled |= std::uint64_t{1} << kind;
    disabled &= ~(std::uint64_t{1} << kind);
    has_given_everything = false;
    return 0;
}

EXPORTED int cuptiActivityDisable(std::uint32_t kind) {
    disabled |= std::uint64_t{1} << kind;
    return 0;
}

EXPORTED int cuptiActivityFlushAll(std::uint32_t) {
    if (!recorded.empty()) {
        add_recorded();
        has_given_everything = true;
    } else if (!launches.empty()) {
        add_launches();
        has_given_everything = true;
    } else if (is_enabled(10) && !std::exchange(has_given_everything, true)) {
        add_everything();
    }
    enabled &= ~std::exchange(disabled, 0);
    return 0;
}

EXPORTED int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t size,
                                        std::uint8_t** record) {
    std::uint8_t* next = buffer;
    if (*record != nullptr) {
        std::uint32_t kind = 0;
        std::memcpy(&kind, *record, 4);
        next = *record + size_of(kind);
    }
    if (next >= buffer + size) {
        return 12;
    }
    *record = next;
    return 0;
}

EXPORTED int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* count) {
    *count = 2;
    return 0;
}

EXPORTED int cuptiGetResultString(int, const char** text) {
    *text = "CUPTI_ERROR_UNKNOWN";
    return 0;
}

EXPORTED int cuptiGetCallbackName(int domain, std::uint32_t, const char** name) {
    *name = domain == 2 ? "cudaLaunchKernel_v7000" : "cuLaunchKernelEx";
    return 0;
}
