#include "metrics/hooks.h"

#include <array>

namespace taffrail::metrics {

namespace {

// In the order of Hook.
constexpr HookInfo kHooks[] = {
    {"", HookRule::Unknown},
    {"?", HookRule::Unknown},
    {"training_step", HookRule::Train},
    {"on_train_batch_start", HookRule::Train},
    {"on_train_batch_end", HookRule::Train},
    {"on_before_backward", HookRule::Train},
    {"backward", HookRule::Train},
    {"on_after_backward", HookRule::Train},
    {"on_before_optimizer_step", HookRule::Train},
    {"optimizer_step", HookRule::Train},
    {"configure_gradient_clipping", HookRule::Train},
    {"clip_gradients", HookRule::Train},
    {"on_before_zero_grad", HookRule::Train},
    {"optimizer_zero_grad", HookRule::Train},
    {"validation_step", HookRule::Evaluation},
    {"test_step", HookRule::Evaluation},
    {"on_validation_batch_start", HookRule::Evaluation},
    {"on_validation_batch_end", HookRule::Evaluation},
    {"on_test_batch_start", HookRule::Evaluation},
    {"on_test_batch_end", HookRule::Evaluation},
    {"on_train_start", HookRule::EpochOnly},
    {"on_train_epoch_start", HookRule::EpochOnly},
    {"on_train_epoch_end", HookRule::EpochOnly},
    {"on_validation_start", HookRule::EpochOnly},
    {"on_validation_epoch_start", HookRule::EpochOnly},
    {"on_validation_epoch_end", HookRule::EpochOnly},
    {"on_test_start", HookRule::EpochOnly},
    {"on_test_epoch_start", HookRule::EpochOnly},
    {"on_test_epoch_end", HookRule::EpochOnly},
    {"lr_scheduler_step", HookRule::Refused},
    {"on_fit_start", HookRule::Refused},
    {"on_fit_end", HookRule::Refused},
    {"on_sanity_check_start", HookRule::Refused},
    {"on_sanity_check_end", HookRule::Refused},
    {"on_train_end", HookRule::Refused},
    {"on_validation_end", HookRule::Refused},
    {"on_test_end", HookRule::Refused},
    {"on_predict_start", HookRule::Refused},
    {"on_predict_end", HookRule::Refused},
    {"on_predict_epoch_start", HookRule::Refused},
    {"on_predict_epoch_end", HookRule::Refused},
    {"on_predict_batch_start", HookRule::Refused},
    {"on_predict_batch_end", HookRule::Refused},
    {"predict_step", HookRule::Refused},
    {"on_before_batch_transfer", HookRule::Refused},
    {"transfer_batch_to_device", HookRule::Refused},
    {"on_after_batch_transfer", HookRule::Refused},
    {"on_exception", HookRule::Refused},
    {"state_dict", HookRule::Refused},
    {"load_state_dict", HookRule::Refused},
    {"on_save_checkpoint", HookRule::Refused},
    {"on_load_checkpoint", HookRule::Refused},
    {"setup", HookRule::Refused},
    {"teardown", HookRule::Refused},
    {"prepare_data", HookRule::Refused},
    {"configure_sharded_model", HookRule::Refused},
    {"configure_model", HookRule::Refused},
    {"configure_optimizers", HookRule::Refused},
    {"configure_callbacks", HookRule::Refused},
    {"train_dataloader", HookRule::Refused},
    {"val_dataloader", HookRule::Refused},
    {"test_dataloader", HookRule::Refused},
    {"on_validation_model_eval", HookRule::Refused},
    {"on_validation_model_train", HookRule::Refused},
    {"on_validation_model_zero_grad", HookRule::Refused},
    {"on_test_model_eval", HookRule::Refused},
    {"on_test_model_train", HookRule::Refused},
};

}  // namespace

const HookInfo& hook_info(Hook hook) noexcept {
    return kHooks[static_cast<std::size_t>(hook)];
}

Hook find_hook(std::string_view name) noexcept {
    for (std::size_t index = 2; index < std::size(kHooks); ++index) {
        if (kHooks[index].name == name) {
            return static_cast<Hook>(index);
        }
    }
    return Hook::Unknown;
}

std::span<const HookInfo> all_hooks() noexcept {
    return std::span(kHooks).subspan(2);
}

}  // namespace taffrail::metrics
