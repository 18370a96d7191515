#include "run/launch.h"

#include "base/sha256.h"
#include "base/strings.h"

#include <cstdlib>

namespace taffrail::run {
namespace {

std::optional<std::int32_t> number(const Variables& variables, const char* name) {
    const auto text = variables(name);
    const auto value = text ? parse_int(*text) : std::nullopt;
    return value && *value >= 0 && *value < INT32_MAX
               ? std::optional(static_cast<std::int32_t>(*value))
               : std::nullopt;
}

std::string texts(const Variables& variables, std::initializer_list<const char*> names) {
    std::string joined;
    for (const char* name : names) {
        joined += variables(name).value_or("") + '\n';
    }
    return joined;
}

struct Dialect {
    const char* launcher;
    const char* rank;
    const char* world_size;
    const char* local_rank;
    std::initializer_list<const char*> job;
};

// Most telling first: srun may start torchrun, and mpirun may run inside a Slurm job.
const Dialect kDialects[] = {
    {"torchrun",
     "RANK",
     "WORLD_SIZE",
     "LOCAL_RANK",
     {"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_ID"}},
    {"mpi",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"}},
    {"mpi",
     "PMI_RANK",
     "PMI_SIZE",
     "MPI_LOCALRANKID",
     {"PMI_JOBID", "HYDI_CONTROL_FD", "PMI_PORT", "SLURM_JOB_ID"}},
    {"slurm",
     "SLURM_PROCID",
     "SLURM_NTASKS",
     "SLURM_LOCALID",
     {"SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"}},
};

}  // namespace

Variables process_variables() {
    return [](const char* name) -> std::optional<std::string> {
        const char* value = std::getenv(name);
        return value == nullptr || *value == '\0' ? std::nullopt
                                                  : std::optional<std::string>(value);
    };
}

Launch detect_launch(const Variables& variables) {
    for (const Dialect& dialect : kDialects) {
        const auto rank = number(variables, dialect.rank);
        const auto world_size = number(variables, dialect.world_size);
        if (!rank || !world_size || *rank >= *world_size) {
            continue;
        }
        Launch launch;
        launch.launcher = dialect.launcher;
        launch.rank_variable = dialect.rank;
        launch.rank = *rank;
        launch.world_size = *world_size;
        launch.local_rank = number(variables, dialect.local_rank).value_or(0);
        if (const auto restarts = number(variables, "TORCHELASTIC_RESTART_COUNT")) {
            launch.restarts = static_cast<std::uint32_t>(*restarts);
        }
        if (launch.world_size > 1) {
            launch.job = std::string(dialect.launcher) + '\n' + texts(variables, dialect.job);
        }
        return launch;
    }
    return {};
}

std::string shared_run_id(const Launch& launch, std::uint32_t number, std::uint32_t generation) {
    static constexpr char kAlphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
    const std::string which =
        std::to_string(number) + (generation > 0 ? '+' + std::to_string(generation) : "");
    const Sha256 hash = sha256(as_bytes(launch.job + '#' + which));
    std::string id = "j";  // no time inside: sorts behind ids that have one
    for (std::size_t i = 0; id.size() < 26; ++i) {
        id.push_back(kAlphabet[hash[i] & 31]);
    }
    return id;
}

}  // namespace taffrail::run
