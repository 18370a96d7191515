#include <taffrail/version.h>

#include "cli/commands.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"
#include "codec/video_encoder.h"
#include "system/nvml.h"

#include <boost/version.hpp>
#include <openssl/crypto.h>
#include <zstd.h>

namespace taffrail::cli {
namespace {

std::vector<std::pair<std::string, std::string>> facts() {
    std::vector<std::pair<std::string, std::string>> out;
    out.emplace_back("taffrail", version());
#if defined(__clang__)
    out.emplace_back("compiler", __VERSION__);  // begins with "Clang" or the vendor's name for it
#else
    out.emplace_back("compiler", std::string("GCC ") + __VERSION__);
#endif
#if defined(NDEBUG)
    out.emplace_back("build", "release");
#else
    out.emplace_back("build", "debug");
#endif
#if defined(__x86_64__)
    out.emplace_back("machine", "Linux x86-64");
#else
    out.emplace_back("machine", "Linux aarch64");
#endif
    out.emplace_back("zstd", ZSTD_versionString());
    out.emplace_back("openssl", OpenSSL_version(OPENSSL_VERSION));
    out.emplace_back("boost", BOOST_LIB_VERSION);
    out.emplace_back("video", describe_video_module());
    const auto nvml = system::Nvml::open();
    out.emplace_back("nvidia", nvml.ok() ? "driver " + (*nvml)->driver_version() + ", " +
                                               std::to_string((*nvml)->gpus().size()) + " GPUs"
                                         : nvml.error().message);
    return out;
}

class Version final : public Command {
  public:
    std::string_view name() const override { return "version"; }

    std::string_view summary() const override {
        return "Prints the version; --all adds libraries, modules and GPUs";
    }

    std::string_view example() const override { return "taffrail version --all"; }

    void declare(Arguments& arguments) override {
        arguments.flag("-a,--all", all_, "libraries, modules and GPUs too");
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override {
        if (!all_ && !json_) {
            session.print(std::string("taffrail ") + version() + "\n");
            return ExitCode::Ok;
        }
        TextTable table;
        table.column("");
        table.column("");
        JsonWriter json(1);
        json.begin_object();
        for (const auto& [name, value] : facts()) {
            table.row({{name, Style::Bold}, value});
            json.member(name, value);
        }
        session.print(json_ ? json.end_object().text() + "\n"
                            : table.render(session, "", Fit::Whole));
        return ExitCode::Ok;
    }

  private:
    bool all_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_version() {
    return std::make_unique<Version>();
}

}  // namespace taffrail::cli
