// The command line TensorBoard starts a data server with.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <optional>
#include <string>

namespace taffrail::tb_data_server {

struct Flags {
    std::string logdir;
    std::optional<int> reload_seconds = 5;  ///< absent: read once
    int port = 0;
    std::string port_file, error_file;
    bool die_after_stdin = false;
    int verbose = 0;
    bool help = false;
};

/// `--name=value` and `--name value`; flags we have no use for (sampling limits: nothing is
/// sampled) are taken and ignored.
Result<Flags> parse_flags(int count, char** words);
const char* usage() noexcept;

}  // namespace taffrail::tb_data_server
