#include "sinks/tensorboard/sink.h"

namespace taffrail::sinks::tensorboard {

const OptionSchema<SinkOptions>& sink_options() {
    static const auto schema =
        OptionSchema<SinkOptions>("tensorboard")
            .add("log_dir", &SinkOptions::log_dir,
                 "the folder of the event file; `tensorboard` inside the run's own where it is not "
                 "given",
                 {.other_names = {"logdir", "save_dir"}})
            .add("name", &SinkOptions::name, "files go to log_dir/name/version_k")
            .add("version", &SinkOptions::version,
                 "a number becomes version_<k>, a text is taken as it is")
            .add("comment", &SinkOptions::comment,
                 "appended to the folder's name where log_dir is not given")
            .add("filename_suffix", &SinkOptions::filename_suffix,
                 "appended to the name of the event file")
            .add("purge_step", &SinkOptions::purge_step,
                 "readers drop what earlier files have from this step on")
            .add("max_queue", &SinkOptions::max_queue, "records between two writes to the file",
                 {.least = 0})
            .add("flush_secs", &SinkOptions::flush_secs, "seconds between two writes to the file",
                 {.above = 0})
            .add("group_name", &SinkOptions::group_name,
                 "runs with the same one are one trial on the HPARAMS page");
    return schema;
}

Result<SinkOptions> parse_options(const OptionMap& options) {
    return sink_options().parse(options);
}

}  // namespace taffrail::sinks::tensorboard
