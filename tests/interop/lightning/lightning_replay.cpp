// lightning_replay [FILE]: reads run scripts, one JSON object per line, from the file or standard
// input, plays them on Taffrail's Trainer and prints one output object per line, in the same order.
// Exit 2 on a line that is no script.
#include "base/diagnostics.h"
#include "interop/lightning/player.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
    using namespace taffrail;
    set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    std::ifstream file;
    if (argc > 1 && std::string(argv[1]) != "-") {
        file.open(argv[1]);
        if (!file) {
            std::fprintf(stderr, "lightning_replay: cannot read %s\n", argv[1]);
            return 2;
        }
    }
    std::istream& input = file.is_open() ? file : std::cin;
    std::string line;
    for (int number = 1; std::getline(input, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            continue;
        }
        auto json = parse_json(line);
        auto script =
            json.ok() ? replay::parse_script(*json) : Result<replay::Script>(json.error());
        if (!script.ok()) {
            std::fprintf(stderr, "lightning_replay: line %d: %s\n", number,
                         script.error().message.c_str());
            return 2;
        }
        std::printf("%s\n", replay::play(*script).dump().c_str());
        std::fflush(stdout);
    }
    return 0;
}
