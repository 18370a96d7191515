// Who started this process: torchrun, Slurm, Open MPI and their kin tell each rank who it is by
// variables. From them ranks find one another without talking.
#pragma once

#include "run/variables.h"

#include <cstdint>
#include <optional>
#include <string>

namespace taffrail::run {

struct Launch {
    std::string launcher;  ///< "torchrun", "slurm", "mpi"; "" when alone
    std::int32_t rank = 0;
    std::int32_t world_size = 1;
    std::int32_t local_rank = 0;  ///< on this machine
    std::uint32_t restarts = 0;   ///< how often the launcher started the ranks anew
    /// The same in all ranks of one launch; "" when alone. Other launches may have the same:
    /// defaults do not differ. See launch_claims.h.
    std::string job;
    std::string rank_variable;  ///< what the launcher set for each rank: "RANK"
};

Launch detect_launch(const Variables& variables);

/// The run id all ranks of this launch derive for the `number`-th run they open. `generation`
/// counts the launches that had the same variables.
std::string shared_run_id(const Launch& launch, std::uint32_t number, std::uint32_t generation = 0);

}  // namespace taffrail::run
