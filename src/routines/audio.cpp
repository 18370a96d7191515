// `audio`: sounds as they are.
#include "base/try.h"
#include "codec/capture.h"
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

namespace taffrail::routines {
namespace {

class AudioRoutine : public WithoutStatistics {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(data, context, "audio",
                                [&](const std::string& name, const Datum& datum) -> Result<void> {
                                    const auto* audio = std::get_if<AudioView>(&datum);
                                    if (audio == nullptr) {
                                        return wrong_datum(name, datum, "audio");
                                    }
                                    TAFFRAIL_ASSIGN(Value value, capture_audio(*audio));
                                    context.log_value(keys_.key(name, data.phase), std::move(value),
                                                      data.total_iters);
                                    return {};
                                });
    }

  private:
    SeriesKeys keys_{"Audio"};
};

}  // namespace

void register_audio() {
    registry().add({.key = "audio",
                    .class_name = "AudioLogger",
                    .summary = "sounds",
                    .make = make_without_options<AudioRoutine>("audio")});
}

}  // namespace taffrail::routines
