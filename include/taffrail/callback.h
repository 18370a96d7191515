// Callbacks: code that watches or steers a Trainer without being the training code. In each hook
// callbacks run before the module, except that those which monitor a value run after it at the end
// of a train epoch.
#pragma once

#include <taffrail/api.h>
#include <taffrail/batch.h>
#include <taffrail/module.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

class Trainer;

/// Base of callbacks; every hook does nothing by default. They log with module.log(): same names,
/// same slots.
class TAFFRAIL_API Callback {
  public:
    virtual ~Callback() = default;

    /// Under which name its state stands in a checkpoint; must differ between callbacks.
    [[nodiscard]] virtual std::string state_key() const { return ""; }

    /// True: reads the callback view at epoch end, so it runs after the module there.
    [[nodiscard]] virtual bool monitors() const { return false; }

    virtual void setup(Trainer&, Module&, Stage) {}

    virtual void teardown(Trainer&, Module&, Stage) {}

    virtual void on_fit_start(Trainer&, Module&) {}

    virtual void on_fit_end(Trainer&, Module&) {}

    virtual void on_sanity_check_start(Trainer&, Module&) {}

    virtual void on_sanity_check_end(Trainer&, Module&) {}

    virtual void on_train_start(Trainer&, Module&) {}

    virtual void on_train_end(Trainer&, Module&) {}

    virtual void on_train_epoch_start(Trainer&, Module&) {}

    virtual void on_train_epoch_end(Trainer&, Module&) {}

    virtual void on_train_batch_start(Trainer&, Module&, const Batch&, std::int64_t) {}

    virtual void on_train_batch_end(Trainer&, Module&, const Batch&, std::int64_t) {}

    virtual void on_before_zero_grad(Trainer&, Module&) {}

    virtual void on_before_backward(Trainer&, Module&) {}

    virtual void on_after_backward(Trainer&, Module&) {}

    virtual void on_before_optimizer_step(Trainer&, Module&) {}

    virtual void on_validation_start(Trainer&, Module&) {}

    virtual void on_validation_end(Trainer&, Module&) {}

    virtual void on_validation_epoch_start(Trainer&, Module&) {}

    virtual void on_validation_epoch_end(Trainer&, Module&) {}

    virtual void on_validation_batch_start(Trainer&, Module&, const Batch&, std::int64_t, int) {}

    virtual void on_validation_batch_end(Trainer&, Module&, const Batch&, std::int64_t, int) {}

    virtual void on_test_start(Trainer&, Module&) {}

    virtual void on_test_end(Trainer&, Module&) {}

    virtual void on_test_epoch_start(Trainer&, Module&) {}

    virtual void on_test_epoch_end(Trainer&, Module&) {}

    virtual void on_test_batch_start(Trainer&, Module&, const Batch&, std::int64_t, int) {}

    virtual void on_test_batch_end(Trainer&, Module&, const Batch&, std::int64_t, int) {}

    virtual void on_predict_start(Trainer&, Module&) {}

    virtual void on_predict_end(Trainer&, Module&) {}

    virtual void on_predict_epoch_start(Trainer&, Module&) {}

    virtual void on_predict_epoch_end(Trainer&, Module&) {}

    virtual void on_predict_batch_start(Trainer&, Module&, const Batch&, std::int64_t, int) {}

    virtual void on_predict_batch_end(Trainer&, Module&, const Batch&, std::int64_t, int) {}

    /// Something stopped the stage: an exception, a mistake, Ctrl-C. `reason` says what.
    virtual void on_exception(Trainer&, Module&, std::string_view) {}

    virtual void on_save_checkpoint(Trainer&, Module&) {}

    virtual void on_load_checkpoint(Trainer&, Module&) {}

    [[nodiscard]] virtual std::string state_dict() const { return ""; }

    virtual Result<void> load_state_dict(std::string_view) { return {}; }
};

}  // namespace taffrail
