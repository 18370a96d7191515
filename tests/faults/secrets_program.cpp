// A training program in miniature, started by secrets_test with secrets all around it:
//     secrets_program ROOT CONFIG finish|die [arguments of any kind]
// It records what programs record about themselves, then finishes, or dies with its rings on the
// disk.
#include <taffrail/config.h>
#include <taffrail/logger.h>
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "io/files.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

int main(int count, char** arguments) {
    using namespace taffrail;
    if (count < 4) {
        return 2;
    }
    const std::string root = arguments[1], config = arguments[2], ending = arguments[3];
    RunOptions options;
    options.root = root;
    options.id = "open";
    options.machine_load.reset();
    Run run = init(options);
    const std::string text = io::read_text(config).value();
    ComposeOptions composing;
    composing.sources.built_in = {{"config.yaml", "defaults: [{experiment: e}]\n"},
                                  {"experiment/e.yaml", text}};
    const auto composed = compose(composing);
    if (!composed.ok()) {
        std::fprintf(stderr, "%s\n", composed.error().message.c_str());
        return 3;
    }
    const auto loggers = make_loggers(run, *composed);
    if (!loggers.ok()) {
        std::fprintf(stderr, "%s\n", loggers.error().message.c_str());
        return 4;
    }
    run.log_hparams(composed->config.flattened());
    run.log_hparams({{"config_file", text}, {"lr", 3e-4}, {"token_length", std::int64_t{77}}});
    const std::string file = root + "/readme";
    (void)io::write_file_atomically(file, as_bytes(std::string_view("weights")));
    run.log_artifact("model", file, {.metadata = composed->config.flattened()});
    run.log("loss", 0.5, 0);
    if (ending == "finish") {
        return run.finish().ok() ? 0 : 5;
    }
    // The snapshot has a thread of its own: die when it has arrived.
    for (int tries = 0; tries < 500; ++tries) {
        (void)run.flush();
        const auto runs = read(root).value();
        if (!runs->run("open").value()->environment().empty()) {
            break;
        }
        usleep(10'000);
    }
    run.log_hparams(composed->config.flattened());
    kill(getpid(), SIGKILL);
}
