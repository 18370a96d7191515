// `text`: texts as they are.
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

namespace taffrail::routines {
namespace {

class TextRoutine : public WithoutStatistics {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(data, context, "text",
                                [&](const std::string& name, const Datum& datum) -> Result<void> {
                                    const auto* text = std::get_if<std::string>(&datum);
                                    if (text == nullptr) {
                                        return wrong_datum(name, datum, "text");
                                    }
                                    context.log_value(keys_.key(name, data.phase), Text{*text},
                                                      data.total_iters);
                                    return {};
                                });
    }

  private:
    SeriesKeys keys_{"Text"};
};

}  // namespace

void register_text() {
    registry().add({.key = "text",
                    .class_name = "TextLogger",
                    .summary = "texts, read as Markdown",
                    .make = make_without_options<TextRoutine>("text")});
}

}  // namespace taffrail::routines
