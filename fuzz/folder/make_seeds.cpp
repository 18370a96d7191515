// Turns folders into seeds: make_seeds FOLDER SEED writes the folder's decoded form.
// `put SEED FOLDER` is the way back, to look at a crash with the command.
#include "document.h"
#include "io/files.h"

#include <cstdio>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
    return size;
}

int main(int count, char** words) {
    using namespace taffrail;
    if (count == 4 && std::string_view(words[1]) == "put") {
        const auto bytes = io::read_file(words[2]);
        const auto folder = bytes.ok() ? fuzzing::parse(*bytes) : std::nullopt;
        if (!folder) {
            std::fprintf(stderr, "%s is no seed\n", words[2]);
            return 1;
        }
        fuzzing::put_together(*folder, words[3]);
        return 0;
    }
    if (count != 3) {
        std::fprintf(stderr, "make_seeds FOLDER SEED, or make_seeds put SEED FOLDER\n");
        return 2;
    }
    const Bytes bytes = fuzzing::serialise(fuzzing::take_apart(words[1]));
    if (auto done = io::write_file_atomically(words[2], bytes, false); !done.ok()) {
        std::fprintf(stderr, "%s\n", done.error().message.c_str());
        return 1;
    }
    return 0;
}
