#include "run/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace taffrail::run {
namespace {

Variables given(std::map<std::string, std::string> values) {
    return [values](const char* name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

TEST(Settings, VariablesFillOnlyWhatIsLeftEmpty) {
    RunOptions options;
    options.name = "mine";
    const auto settings = resolve_settings(options, given({{"TAFFRAIL_DIR", "/data"},
                                                           {"TAFFRAIL_NAME", "theirs"},
                                                           {"TAFFRAIL_TAGS", "a, b,,c"},
                                                           {"TAFFRAIL_RESUME", "must"},
                                                           {"TAFFRAIL_MACHINE_LOAD", "0.5"},
                                                           {"TAFFRAIL_ENVIRONMENT", "0"},
                                                           {"TAFFRAIL_CONSOLE", "on"}}))
                              .value();
    EXPECT_EQ(settings.options.root, "/data");
    EXPECT_EQ(settings.options.name, "mine");
    EXPECT_EQ(settings.options.tags, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(settings.options.resume, Resume::Must);
    EXPECT_EQ(settings.options.machine_load, std::chrono::milliseconds(500));
    EXPECT_FALSE(settings.options.environment);
    EXPECT_TRUE(settings.options.console);
    EXPECT_EQ(settings.options.project, "default");
    EXPECT_EQ(resolve_settings({}, given({})).value().options.root, "taffrail");
}

TEST(Settings, TheStepOfAResumeComesFromTheOptionElseFromTheVariable) {
    const Variables variable = given({{"TAFFRAIL_RESUME_STEP", "7"}});
    EXPECT_EQ(resolve_settings({}, given({})).value().options.resume_step, std::nullopt);
    EXPECT_EQ(resolve_settings({}, variable).value().options.resume_step, 7);
    EXPECT_EQ(resolve_settings({.resume_step = 3}, variable).value().options.resume_step, 3);
    EXPECT_EQ(resolve_settings({.resume_step = 0}, variable).value().options.resume_step, 0);
}

TEST(Settings, ValuesThatCannotBeMeantAreNamed) {
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"TAFFRAIL_MODE", "maybe"},
                                            {"TAFFRAIL_STRICT", "2"},
                                            {"TAFFRAIL_RESUME", "often"},
                                            {"TAFFRAIL_RESUME_STEP", "soon"},
                                            {"TAFFRAIL_MACHINE_LOAD", "fast"},
                                            {"TAFFRAIL_RUN_ID", "a/b"}}) {
        const auto settings = resolve_settings({}, given({{name, value}}));
        ASSERT_FALSE(settings.ok()) << name;
        EXPECT_NE(settings.error().message.find(value), std::string::npos)
            << settings.error().message;
    }
    RunOptions options;
    options.rank = 4;
    options.world_size = 4;
    EXPECT_FALSE(resolve_settings(options, given({})).ok());
}

TEST(Launch, EveryLauncherIsUnderstood) {
    const Launch torch = detect_launch(given({{"RANK", "3"},
                                              {"WORLD_SIZE", "8"},
                                              {"LOCAL_RANK", "1"},
                                              {"TORCHELASTIC_RUN_ID", "job"},
                                              {"TORCHELASTIC_RESTART_COUNT", "2"},
                                              {"SLURM_PROCID", "0"},
                                              {"SLURM_NTASKS", "2"}}));
    EXPECT_EQ(torch.launcher, "torchrun");
    EXPECT_EQ(torch.rank, 3);
    EXPECT_EQ(torch.world_size, 8);
    EXPECT_EQ(torch.local_rank, 1);
    EXPECT_EQ(torch.restarts, 2u);
    const Launch slurm = detect_launch(
        given({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}, {"SLURM_JOB_ID", "77"}}));
    EXPECT_EQ(slurm.launcher, "slurm");
    EXPECT_EQ(slurm.rank, 5);
    const Launch mpi =
        detect_launch(given({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}));
    EXPECT_EQ(mpi.launcher, "mpi");
    EXPECT_EQ(mpi.world_size, 4);
    EXPECT_EQ(detect_launch(given({})).world_size, 1);
    EXPECT_EQ(detect_launch(given({{"RANK", "9"}, {"WORLD_SIZE", "4"}})).world_size, 1)
        << "nonsense is not believed";
}

TEST(Launch, RanksDeriveTheSameIdAndOtherJobsAnother) {
    const auto job = [](const char* rank, const char* id) {
        return detect_launch(
            given({{"SLURM_PROCID", rank}, {"SLURM_NTASKS", "2"}, {"SLURM_JOB_ID", id}}));
    };
    EXPECT_EQ(shared_run_id(job("0", "1"), 0), shared_run_id(job("1", "1"), 0));
    EXPECT_NE(shared_run_id(job("0", "1"), 0), shared_run_id(job("0", "2"), 0));
    EXPECT_NE(shared_run_id(job("0", "1"), 0), shared_run_id(job("0", "1"), 1));
    EXPECT_EQ(shared_run_id(job("0", "1"), 0).size(), 26u);
}

}  // namespace
}  // namespace taffrail::run
