#include "base/try.h"
#include "io/expand.h"
#include "sinks/csv/sink.h"

namespace taffrail::sinks::csv {

const OptionSchema<CsvSinkOptions>& csv_options() {
    static const auto schema =
        OptionSchema<CsvSinkOptions>("csv")
            .add("log_dir", &CsvSinkOptions::log_dir, "the folder of metrics.csv")
            .add("save_dir", &CsvSinkOptions::save_dir,
                 "without log_dir: files go to save_dir/name/version_k")
            .add("name", &CsvSinkOptions::name, "the folder below save_dir")
            .add("version", &CsvSinkOptions::version,
                 "a number becomes version_<k>, a text is taken as it is; the next free number "
                 "where none is given")
            .add("prefix", &CsvSinkOptions::prefix, "joined to every key with '-'")
            .add("flush_logs_every_n_steps", &CsvSinkOptions::flush_logs_every_n_steps,
                 "save when (step + 1) is a multiple of it; every 100 steps and every 5 s where it "
                 "is not given",
                 {.least = 1});
    return schema;
}

Result<CsvSinkOptions> parse_csv_options(const OptionMap& options) {
    TAFFRAIL_ASSIGN(CsvSinkOptions parsed, csv_options().parse(options));
    parsed.log_dir = io::expand_path(parsed.log_dir);
    parsed.save_dir = io::expand_path(parsed.save_dir);
    return parsed;
}

Result<std::unique_ptr<Sink>> make_csv_sink(const OptionMap& options) {
    TAFFRAIL_ASSIGN(CsvSinkOptions parsed, parse_csv_options(options));
    return std::unique_ptr<Sink>(std::make_unique<CsvSink>(std::move(parsed)));
}

}  // namespace taffrail::sinks::csv
