// The hook before the sanity check comes before the loaders are asked for, and not in vain.
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

namespace taffrail::trainer_test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Calls = std::vector<std::string>;

class SanityWatch final : public Callback {
  public:
    explicit SanityWatch(Calls& calls) : calls_(calls) {}

    void on_sanity_check_start(Trainer&, Module&) override { calls_.emplace_back("start"); }

    void on_sanity_check_end(Trainer&, Module&) override { calls_.emplace_back("end"); }

  private:
    Calls& calls_;
};

class Validated : public Module {
  public:
    Calls calls;
    std::int64_t loaders = 1;

    LoaderList val_dataloader() override {
        calls.emplace_back("val_dataloader");
        return LoaderList(static_cast<std::size_t>(loaders), batches(1));
    }
};

class BelowValidated final : public Validated {};

class WithoutLoader final : public Module {
  public:
    Calls calls;
};

class PrivateLoader final : public Module {
  public:
    Calls calls;

  private:
    LoaderList val_dataloader() override {
        calls.emplace_back("val_dataloader");
        return {batches(1)};
    }
};

template <typename M>
Calls calls_of(M& module, FitData data = {.train = batches(1)}) {
    TrainerOptions options = quiet();
    options.num_sanity_val_steps = 1;
    module.calls.clear();
    options.callbacks = {std::make_shared<SanityWatch>(module.calls)};
    EXPECT_TRUE(Trainer(options).fit(module, std::move(data)).ok());
    return module.calls;
}

TEST(SanityCheck, FindingT21_ItsFirstHookComesBeforeTheLoadersAreAskedFor) {
    Validated module;
    EXPECT_THAT(calls_of(module), ElementsAre("start", "val_dataloader", "end"));
    BelowValidated below;
    EXPECT_THAT(calls_of(below), ElementsAre("start", "val_dataloader", "end"));
    // Which there are, though they turn out to be none: as in Lightning.
    module.loaders = 0;
    EXPECT_THAT(calls_of(module), ElementsAre("start", "val_dataloader", "end"));
}

TEST(SanityCheck, FindingT21_ItsHooksDoNotRunWhereThereIsNothingToCheck) {
    WithoutLoader module;
    EXPECT_THAT(calls_of(module), IsEmpty());
    EXPECT_THAT(calls_of(module, {.train = batches(1), .val = {batches(1)}}),
                ElementsAre("start", "end"));
}

TEST(SanityCheck, FindingT21_WhereTheClassIsNotKnownTheLoadersAreAskedFirst) {
    PrivateLoader hidden;
    EXPECT_THAT(calls_of(hidden), ElementsAre("val_dataloader", "start", "end"));

    Validated module;
    Module& unknown = module;
    TrainerOptions options = quiet();
    options.num_sanity_val_steps = 1;
    options.callbacks = {std::make_shared<SanityWatch>(module.calls)};
    EXPECT_TRUE(Trainer(options).fit(unknown, {.train = batches(1)}).ok());
    EXPECT_THAT(module.calls, ElementsAre("val_dataloader", "start", "end"));
}

}  // namespace

}  // namespace taffrail::trainer_test
