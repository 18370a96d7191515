#include "base/strings.h"
#include "base/try.h"
#include "sinks/csv/folder.h"
#include "sinks/csv/sink.h"

#include <array>

namespace taffrail {

Result<CsvSinkOptions> parse_csv_options(const OptionMap& options) {
    CsvSinkOptions parsed;
    for (const auto& [name, value] : options) {
        if (name == "log_dir") {
            parsed.log_dir = expand_path(value);
        } else if (name == "save_dir") {
            parsed.save_dir = expand_path(value);
        } else if (name == "name") {
            parsed.name = value;
        } else if (name == "version") {
            parsed.version = value;
        } else if (name == "prefix") {
            parsed.prefix = value;
        } else if (name == "flush_logs_every_n_steps") {
            const auto steps = parse_int(value);
            if (!steps || *steps < 1) {
                return Error{ErrorCode::InvalidArgument,
                             "csv: 'flush_logs_every_n_steps' must be a whole number of at least "
                             "1, found '" +
                                 value + "'"};
            }
            parsed.flush_logs_every_n_steps = *steps;
        } else {
            const std::array<std::string, 6> known = {
                "log_dir", "save_dir", "name", "version", "prefix", "flush_logs_every_n_steps"};
            return Error{
                ErrorCode::InvalidArgument,
                "csv: unknown option '" + name + "'" + did_you_mean(name, known) +
                    " (known: log_dir, save_dir, name, version, prefix, flush_logs_every_n_steps)"};
        }
    }
    return parsed;
}

Result<std::unique_ptr<Sink>> make_csv_sink(const OptionMap& options) {
    TAFFRAIL_ASSIGN(CsvSinkOptions parsed, parse_csv_options(options));
    return std::unique_ptr<Sink>(std::make_unique<CsvSink>(std::move(parsed)));
}

}  // namespace taffrail
