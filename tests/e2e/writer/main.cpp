// e2e_writer ROOT: writes native runs for the browser tests.
//
// Commands come on standard input, one line of JSON each; "bytes": [n, …] announces blobs that
// follow the line. `sync` answers with one line as soon as everything before it can be read by
// others. Runs opened as live belong to this process: they are running until it ends.
#include "base/try.h"
#include "run_log.h"
#include "values.h"

#include <iostream>
#include <map>

namespace taffrail::e2e {
namespace {

Result<std::vector<Bytes>> read_blobs(const Json& command) {
    std::vector<Bytes> blobs;
    if (const Json* sizes = command.find("bytes"); sizes != nullptr) {
        for (const Json& size : *sizes->array()) {
            Bytes& bytes = blobs.emplace_back(static_cast<std::size_t>(*size.integer()));
            std::cin.read(reinterpret_cast<char*>(bytes.data()),
                          static_cast<std::streamsize>(bytes.size()));
        }
        if (!std::cin) {
            return Error{ErrorCode::InvalidArgument, "standard input ended inside a blob"};
        }
    }
    return blobs;
}

Phase phase_of(std::string_view key) {
    return key.starts_with("train/") ? Phase::Train
           : key.starts_with("val/") ? Phase::Validate
                                     : Phase::None;
}

Result<void> obey(const std::string& root, const Json& command,
                  std::map<std::int64_t, std::unique_ptr<RunLog>>& runs) {
    TAFFRAIL_ASSIGN(std::vector<Bytes> blobs, read_blobs(command));
    const std::string op = command.string_or("op", "");
    if (op == "sync") {
        std::cout << "done" << std::endl;
        return {};
    }
    const std::int64_t handle = command.integer_or("run", -1);
    if (op == "open") {
        TAFFRAIL_ASSIGN(runs[handle], RunLog::open(root, command));
        return {};
    }
    if (!runs.contains(handle)) {
        return Error{ErrorCode::InvalidArgument, op + ": this run was not opened"};
    }
    RunLog& run = *runs[handle];
    const std::string key = command.string_or("key", "");
    if (op == "scalars") {
        const Grid grid{.first = command.integer_or("first", 0),
                        .stride = command.integer_or("stride", 1),
                        .start_ms = command.number_or("start_ms", 0),
                        .step_ms = command.number_or("step_ms", 1),
                        .epoch_steps = command.number_or("epoch_steps", 0),
                        .samples = command.integer_or("samples", 0),
                        .phase = phase_of(key)};
        return run.scalars(key, grid, blobs.at(0),
                           blobs.size() > 1 ? ByteSpan(blobs[1]) : ByteSpan());
    }
    if (op == "value") {
        TAFFRAIL_ASSIGN(Value value, value_of(*command.find("value"), blobs));
        return run.value(key, command.integer_or("step", 0),
                         static_cast<std::int64_t>(command.number_or("time_ms", 0) * 1e6),
                         std::move(value));
    }
    if (op == "console") {
        if (const std::int64_t count = command.integer_or("count", 0); count > 0) {
            return run.console_lines(count);
        }
        return run.console(*command.find("lines"));
    }
    if (op == "define") {
        return run.define(command);
    }
    if (op == "summary") {
        return run.summary(cells_of(command.find("cells")));
    }
    if (op == "finish") {
        TAFFRAIL_TRY(
            run.finish(command.string_or("state", "finished"), command.string_or("message", "")));
        runs.erase(handle);
        return {};
    }
    return Error{ErrorCode::InvalidArgument, "e2e_writer knows no command \"" + op + "\""};
}

int write(const std::string& root) {
    std::ios::sync_with_stdio(false);
    std::map<std::int64_t, std::unique_ptr<RunLog>> runs;
    std::string line;
    while (std::getline(std::cin, line)) {
        const Result<Json> command = parse_json(line);
        const Result<void> done =
            command.ok() ? obey(root, *command, runs) : Result<void>(command.error());
        if (!done.ok()) {
            std::cerr << "e2e_writer: " << done.error().message << " (in " << line.substr(0, 200)
                      << ")" << std::endl;
            return 1;
        }
    }
    return 0;
}

}  // namespace
}  // namespace taffrail::e2e

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: e2e_writer ROOT < commands\n";
        return 2;
    }
    return taffrail::e2e::write(arguments[1]);
}
