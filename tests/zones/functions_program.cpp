// A program of many kinds of calls, compiled twice: with -finstrument-functions, and without for
// callgrind. Instrumented, it prints how often each of its functions ran.
#if defined(WITH_FUNCTIONS)
#include <taffrail/zone.h>
#endif

#include <csetjmp>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>

namespace shapes {

struct Shape {
    virtual ~Shape() = default;
    virtual int corners() const = 0;
};

struct Triangle final : Shape {
    int corners() const override;
};

struct Square final : Shape {
    int corners() const override;
};

int Triangle::corners() const {
    asm volatile("");
    return 3;
}

int Square::corners() const {
    asm volatile("");
    return 4;
}

template <typename Number>
Number twice(Number value) {
    asm volatile("");
    return value + value;
}

template int twice<int>(int);
template double twice<double>(double);

}  // namespace shapes

namespace {

volatile int sink = 0;

int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

bool is_odd(int n);

bool is_even(int n) {
    return n == 0 || is_odd(n - 1);
}

bool is_odd(int n) {
    return n != 0 && is_even(n - 1);
}

// Deeper than the tree of zones.
int deep(int n) {
    const int below = n == 0 ? 0 : deep(n - 1);
    sink = sink + 1;
    return below + 1;
}

void thrower(int n) {
    if (n == 0) {
        throw std::runtime_error("on purpose");
    }
    thrower(n - 1);
}

void catcher(int turn) {
    try {
        thrower(turn % 4);
    } catch (const std::runtime_error&) {
        sink = sink + 1;
    }
}

std::jmp_buf back;

void jumper() {
    std::longjmp(back, 1);
}

void over_frames() {
    jumper();
}

void jump() {
    if (setjmp(back) == 0) {
        over_frames();
    }
}

void on_thread(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
        sink = sink + shapes::twice(turn);
    }
}

void overloaded(int) {
    sink = sink + 1;
}

void overloaded(double) {
    sink = sink + 2;
}

}  // namespace

extern "C" int in_c(int n);

int in_c(int n) {
    asm volatile("");
    return n + 1;
}

int main() {
    sink = sink + fibonacci(15);
    sink = sink + (is_even(301) ? 1 : 0);
    sink = sink + deep(1000);
    for (int turn = 0; turn < 40; ++turn) {
        catcher(turn);
        jump();
        sink = sink + in_c(turn);
        sink = sink + static_cast<int>(shapes::twice(0.5));
        overloaded(turn);
        overloaded(1.5);
        overloaded(2.5);
    }
    const std::unique_ptr<shapes::Shape> triangle(new shapes::Triangle), square(new shapes::Square);
    for (int turn = 0; turn < 30; ++turn) {
        sink = sink + triangle->corners() + (turn % 3 == 0 ? square->corners() : 0);
    }
    std::thread one(on_thread, 50), two(on_thread, 60);
    one.join();
    two.join();
#if defined(WITH_FUNCTIONS)
    taffrail::print_zones_at_exit(taffrail::ZoneReport::None);
    double of_library = 0, whole = 0;
    for (const taffrail::ZoneRow& row : taffrail::zone_rows()) {
        std::printf("%llu\t%s\n", static_cast<unsigned long long>(row.calls), row.name.c_str());
        whole += row.self;
        of_library += row.name.find("taffrail") != std::string::npos ? row.self : 0;
    }
    std::printf("%.6f\tof the library\n", whole > 0 ? of_library / whole : 0.0);
#endif
    return 0;
}
