// The hooks of a training loop, and what log() may do in each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace taffrail::metrics {

enum class Hook : std::uint8_t {
    None,     // outside of every hook
    Unknown,  // a name of the caller's own
    // Inside a train batch
    TrainingStep,
    OnTrainBatchStart,
    OnTrainBatchEnd,
    OnBeforeBackward,
    Backward,
    OnAfterBackward,
    OnBeforeOptimizerStep,
    OptimizerStep,
    ConfigureGradientClipping,
    ClipGradients,
    OnBeforeZeroGrad,
    OptimizerZeroGrad,
    // Inside an evaluation batch
    ValidationStep,
    TestStep,
    OnValidationBatchStart,
    OnValidationBatchEnd,
    OnTestBatchStart,
    OnTestBatchEnd,
    // Around batches
    OnTrainStart,
    OnTrainEpochStart,
    OnTrainEpochEnd,
    OnValidationStart,
    OnValidationEpochStart,
    OnValidationEpochEnd,
    OnTestStart,
    OnTestEpochStart,
    OnTestEpochEnd,
    // No logging
    LrSchedulerStep,
    OnFitStart,
    OnFitEnd,
    OnSanityCheckStart,
    OnSanityCheckEnd,
    OnTrainEnd,
    OnValidationEnd,
    OnTestEnd,
    OnPredictStart,
    OnPredictEnd,
    OnPredictEpochStart,
    OnPredictEpochEnd,
    OnPredictBatchStart,
    OnPredictBatchEnd,
    PredictStep,
    OnBeforeBatchTransfer,
    TransferBatchToDevice,
    OnAfterBatchTransfer,
    OnException,
    StateDict,
    LoadStateDict,
    OnSaveCheckpoint,
    OnLoadCheckpoint,
    Setup,
    Teardown,
    PrepareData,
    ConfigureShardedModel,
    ConfigureModel,
    ConfigureOptimizers,
    ConfigureCallbacks,
    TrainDataloader,
    ValDataloader,
    TestDataloader,
    OnValidationModelEval,
    OnValidationModelTrain,
    OnValidationModelZeroGrad,
    OnTestModelEval,
    OnTestModelTrain,
};

enum class HookRule : std::uint8_t {
    Train,       // default step, any level
    Evaluation,  // default epoch, any level
    EpochOnly,   // epoch, nothing else
    Refused,
    Unknown,
};

struct HookInfo {
    std::string_view name;
    HookRule rule;
};

const HookInfo& hook_info(Hook hook) noexcept;
/// Hook::Unknown for a name that is not in the table.
Hook find_hook(std::string_view name) noexcept;
/// All hooks of the table, for tests and messages.
std::span<const HookInfo> all_hooks() noexcept;

}  // namespace taffrail::metrics
