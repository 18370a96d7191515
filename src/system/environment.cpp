#include "system/environment.h"

#include "base/secret_names.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "io/files.h"
#include "system/file_text.h"
#include "system/nvml.h"
#include "system/proc_text.h"
#include "system/secrets.h"
#include "system/subprocess.h"

#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

extern char** environ;

namespace taffrail::system {
namespace {

void add_text(Hparams& to, std::string name, std::string_view text) {
    if (!text.empty()) {
        to.emplace_back(std::move(name), Cell(repair_utf8(text)));
    }
}

/// An argument as a shell would need it.
std::string quoted(const std::string& argument) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%[]";
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
        return argument;
    }
    std::string out = "'";
    for (char c : argument) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

void add_command(Hparams& to, const EnvironmentOptions& options) {
    std::vector<std::string> arguments = options.arguments;
    if (arguments.empty()) {
        std::string text = text_of("/proc/self/cmdline");
        if (!text.empty() && text.back() == '\0') {
            text.pop_back();
        }
        for (std::string_view argument : split(text, '\0')) {
            arguments.emplace_back(argument);
        }
    }
    std::string line;
    for (const std::string& argument : scrub_arguments(arguments)) {
        line += line.empty() ? "" : " ";
        line += quoted(argument);
    }
    add_text(to, "command/line", line);
    char folder[4096];
    if (getcwd(folder, sizeof folder) != nullptr) {
        add_text(to, "command/folder", scrub_secrets(folder));
    }
    to.emplace_back("command/pid", Cell(static_cast<std::int64_t>(getpid())));
}

// Asks git about a repository that may be anybody's: nothing that its configuration or attributes
// name is run. No pager, hooks, file monitor or outside diff; no fetching of what is missing (which
// would start the transport it names); nothing written.
class Git {
  public:
    explicit Git(const EnvironmentOptions& options) : options_(options) {}

    std::optional<std::string> ask(const std::vector<std::string>& arguments, std::size_t limit) {
        std::vector<std::string> command{"env",
                                         "GIT_NO_LAZY_FETCH=1",
                                         "GIT_ALLOW_PROTOCOL=",
                                         "GIT_OPTIONAL_LOCKS=0",
                                         "GIT_TERMINAL_PROMPT=0",
                                         "git",
                                         "--no-pager"};
        for (const char* setting : {"core.fsmonitor=false", "core.hooksPath=/dev/null",
                                    "diff.external=", "core.sshCommand=false"}) {
            command.insert(command.end(), {"-c", setting});
        }
        for (const std::string& filter : filters_) {
            command.insert(command.end(), {"-c", filter});
        }
        command.insert(command.end(), {"-C", options_.folder});
        command.insert(command.end(), arguments.begin(), arguments.end());
        return output_of(command, options_.git_limit, limit);
    }

    /// Content filters have names of their own, so each is turned off by name. False when one
    /// cannot be: then the work tree must not be looked at.
    bool turn_filters_off() {
        constexpr std::size_t kLimit = 1 << 20;
        const auto listed = ask({"config", "--null", "--name-only", "--list"}, kLimit);
        if (!listed || listed->size() >= kLimit) {
            return false;
        }
        for (const std::string_view name : split(*listed, '\0')) {
            if (name.starts_with("filter.")) {
                if (name.find('=') != std::string_view::npos) {
                    return false;
                }
                // "required" is a truth value, and empty is false; the others are commands.
                filters_.push_back(std::string(name) + "=");
            }
        }
        return true;
    }

  private:
    const EnvironmentOptions& options_;
    std::vector<std::string> filters_;
};

void add_git(Hparams& to, const EnvironmentOptions& options) {
    Git git(options);
    const auto ask = [&git](const std::vector<std::string>& arguments, std::size_t limit) {
        return git.ask(arguments, limit);
    };
    const auto commit = ask({"rev-parse", "HEAD"}, 100);
    if (!commit) {
        return;
    }
    add_text(to, "git/commit", trim(*commit));
    add_text(to, "git/branch",
             scrub_secrets(trim(ask({"rev-parse", "--abbrev-ref", "HEAD"}, 1000).value_or(""))));
    add_text(to, "git/remote",
             scrub_secrets(trim(ask({"config", "--get", "remote.origin.url"}, 4000).value_or(""))));
    if (!git.turn_filters_off()) {
        return;
    }
    // Submodules bring configurations of their own.
    const auto status =
        ask({"status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"}, 100000);
    const bool dirty = status && !trim(*status).empty();
    to.emplace_back("git/dirty", Cell(dirty));
    if (dirty) {
        auto diff = ask({"diff", "--no-ext-diff", "--no-textconv", "--no-color",
                         "--ignore-submodules=all", "HEAD"},
                        options.diff_limit_bytes);
        if (diff) {
            const bool cut = diff->size() >= options.diff_limit_bytes;
            add_text(to, "git/diff",
                     scrub_secrets(*diff) + (cut ? "\n[cut here: the diff is longer]\n" : ""));
        }
    }
}

void add_host(Hparams& to) {
    utsname names{};
    uname(&names);
    add_text(to, "host/name", names.nodename);
    add_text(to, "host/kernel",
             std::string(names.sysname) + " " + names.release + " " + names.machine);
    const std::string release = text_of("/etc/os-release");
    for (std::string_view line : split(release, '\n')) {
        if (line.starts_with("PRETTY_NAME=")) {
            std::string_view name = line.substr(12);
            name.remove_prefix(name.starts_with('"') ? 1 : 0);
            name.remove_suffix(name.ends_with('"') ? 1 : 0);
            add_text(to, "host/system", name);
        }
    }
    add_text(to, "cpu/model", parse_cpu_model(text_of("/proc/cpuinfo")));
    to.emplace_back("cpu/threads",
                    Cell(static_cast<std::int64_t>(std::thread::hardware_concurrency())));
    const CgroupLimits limits = read_cgroup_limits();
    if (limits.cpu_limit_cores) {
        to.emplace_back("cpu/limit_cores", Cell(*limits.cpu_limit_cores));
    }
    to.emplace_back("memory/bytes",
                    Cell(static_cast<std::int64_t>(parse_meminfo(text_of("/proc/meminfo")).total)));
    if (limits.memory_limit_bytes) {
        to.emplace_back("memory/limit_bytes",
                        Cell(static_cast<std::int64_t>(*limits.memory_limit_bytes)));
    }
}

void add_gpus(Hparams& to) {
    const auto nvml = Nvml::open();
    if (!nvml.ok()) {
        return;
    }
    add_text(to, "gpu/driver", (*nvml)->driver_version());
    const auto& gpus = (*nvml)->gpus();
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const std::string prefix = "gpu/" + std::to_string(i) + "/";
        add_text(to, prefix + "name", gpus[i].name);
        to.emplace_back(prefix + "memory_bytes",
                        Cell(static_cast<std::int64_t>(gpus[i].memory_bytes)));
    }
}

void add_variables(Hparams& to) {
    std::vector<std::pair<std::string, std::string>> kept;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) {
            continue;
        }
        const std::string_view name = text.substr(0, equals);
        const bool listed =
            std::any_of(kept_variables().begin(), kept_variables().end(),
                        [&](const std::string& pattern) { return glob_match(pattern, name); });
        if (listed && !is_secret_name(name)) {
            kept.emplace_back(name, scrub_secrets(text.substr(equals + 1)));
        }
    }
    std::sort(kept.begin(), kept.end());
    for (const auto& [name, value] : kept) {
        add_text(to, "variable/" + name, value);
    }
}

/// Shared libraries loaded right now: for a C++ program these are its packages.
void add_libraries(Hparams& to) {
    std::vector<std::string> paths;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
                static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
            }
            return 0;
        },
        &paths);
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
        add_text(to, "library/" + path.substr(path.rfind('/') + 1), scrub_secrets(path));
    }
}

/// Python packages of the virtual environment, where there is one: their folders say name and
/// version.
void add_packages(Hparams& to) {
    const char* environment = std::getenv("VIRTUAL_ENV");
    environment = environment != nullptr ? environment : std::getenv("CONDA_PREFIX");
    if (environment == nullptr) {
        return;
    }
    const std::string libraries = std::string(environment) + "/lib";
    const auto versions = io::list(libraries);
    if (!versions.ok()) {
        return;
    }
    for (const auto& version : *versions) {
        if (!version.name.starts_with("python3")) {
            continue;
        }
        const auto entries = io::list(libraries + "/" + version.name + "/site-packages");
        if (!entries.ok()) {
            continue;
        }
        for (const auto& entry : *entries) {
            std::string_view name = entry.name;
            const std::size_t dash = name.find('-');
            if (name.ends_with(".dist-info") && dash != std::string_view::npos) {
                name.remove_suffix(10);
                add_text(to, "package/" + std::string(name.substr(0, dash)), name.substr(dash + 1));
            }
        }
    }
}

}  // namespace

const std::vector<std::string>& kept_variables() {
    static const std::vector<std::string> names = {"CONDA_DEFAULT_ENV",
                                                   "CUDA_DEVICE_ORDER",
                                                   "CUDA_LAUNCH_BLOCKING",
                                                   "CUDA_VISIBLE_DEVICES",
                                                   "CUBLAS_WORKSPACE_CONFIG",
                                                   "GROUP_RANK",
                                                   "HIP_VISIBLE_DEVICES",
                                                   "JAX_PLATFORMS",
                                                   "LANG",
                                                   "LC_ALL",
                                                   "LOCAL_RANK",
                                                   "LOCAL_WORLD_SIZE",
                                                   "MASTER_PORT",
                                                   "MKL_NUM_THREADS",
                                                   "NCCL_*",
                                                   "NVIDIA_TF32_OVERRIDE",
                                                   "NVIDIA_VISIBLE_DEVICES",
                                                   "OMPI_COMM_WORLD_*",
                                                   "OMP_*",
                                                   "OPENBLAS_NUM_THREADS",
                                                   "PYTHONHASHSEED",
                                                   "PYTORCH_*",
                                                   "RANK",
                                                   "SLURM_ARRAY_TASK_ID",
                                                   "SLURM_CPUS_PER_TASK",
                                                   "SLURM_JOB_ID",
                                                   "SLURM_JOB_NUM_NODES",
                                                   "SLURM_JOB_PARTITION",
                                                   "SLURM_LOCALID",
                                                   "SLURM_NNODES",
                                                   "SLURM_NTASKS",
                                                   "SLURM_PROCID",
                                                   "TAFFRAIL_*",
                                                   "TF_CPP_MIN_LOG_LEVEL",
                                                   "TF_DETERMINISTIC_OPS",
                                                   "TORCH_*",
                                                   "TZ",
                                                   "WORLD_SIZE",
                                                   "XLA_FLAGS"};
    return names;
}

Hparams take_environment_snapshot(const EnvironmentOptions& options) {
    Hparams snapshot;
    add_command(snapshot, options);
    if (options.git) {
        add_git(snapshot, options);
    }
    add_host(snapshot);
    if (options.gpus) {
        add_gpus(snapshot);
    }
    add_variables(snapshot);
    add_libraries(snapshot);
    add_packages(snapshot);
    return snapshot;
}

}  // namespace taffrail::system
