// Run by mpirun on four ranks: the suite that every communicator passes. Prints what is wrong and
// exits 1.
#include <taffrail/mpi.h>

#include "metrics/communicator_suite.h"

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <thread>

int main(int argc, char** argv) {
    using namespace taffrail;
    auto world = mpi_communicator(std::chrono::seconds(20));
    if (!world.ok()) {
        std::fprintf(stderr, "%s\n", world.error().message.c_str());
        return 1;
    }
    if (argc > 1 && std::strcmp(argv[1], "missing") == 0) {
        auto impatient = mpi_communicator(std::chrono::milliseconds(300)).value();
        if (impatient->rank() == 2) {
            std::this_thread::sleep_for(std::chrono::milliseconds(800));
            return 0;
        }
        const auto done = impatient->barrier();
        const bool named = !done.ok() && done.error().message.find("rank 2 ") != std::string::npos;
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        // The library leaves MPI open once a rank stayed away, because ending it would wait for
        // that rank; here it is only late.
        MPI_Finalize();
        return named ? 0 : 1;
    }
    for (const auto& check : {metrics_test::check_collectives, metrics_test::check_groups}) {
        if (const std::string problem = check(**world); !problem.empty()) {
            std::fprintf(stderr, "%s\n", problem.c_str());
            return 1;
        }
    }
    return 0;
}
