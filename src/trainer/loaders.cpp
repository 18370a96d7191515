#include <taffrail/loader.h>

#include <algorithm>

namespace taffrail {

namespace {

class MapLoader final : public Loader {
  public:
    MapLoader(std::int64_t size, std::function<Batch(std::int64_t)> make)
        : size_(size), make_(std::move(make)) {}

    [[nodiscard]] std::optional<std::int64_t> size() const override { return size_; }

    void start(std::int64_t) override { next_ = 0; }

    std::optional<Batch> next() override {
        return next_ < size_ ? std::optional(make_(next_++)) : std::nullopt;
    }

    void skip(std::int64_t batches) override { next_ = std::min(size_, next_ + batches); }

  private:
    std::int64_t size_;
    std::int64_t next_ = 0;
    std::function<Batch(std::int64_t)> make_;
};

class StreamLoader final : public Loader {
  public:
    using Draw = std::function<std::optional<Batch>()>;

    explicit StreamLoader(std::function<Draw(std::int64_t)> open) : open_(std::move(open)) {}

    void start(std::int64_t epoch) override { draw_ = open_(epoch); }

    std::optional<Batch> next() override { return draw_ ? draw_() : std::nullopt; }

  private:
    std::function<Draw(std::int64_t)> open_;
    Draw draw_;
};

}  // namespace

void Loader::skip(std::int64_t batches) {
    while (batches-- > 0 && next()) {
    }
}

Result<void> Loader::load_state(std::string_view) {
    return {};
}

std::shared_ptr<Loader> map_loader(std::int64_t size, std::function<Batch(std::int64_t)> make) {
    return std::make_shared<MapLoader>(size, std::move(make));
}

std::shared_ptr<Loader> stream_loader(
    std::function<std::function<std::optional<Batch>()>(std::int64_t)> open) {
    return std::make_shared<StreamLoader>(std::move(open));
}

std::shared_ptr<Loader> list_loader(std::vector<Batch> batches) {
    const auto size = static_cast<std::int64_t>(batches.size());
    return map_loader(size, [batches = std::move(batches)](std::int64_t index) {
        return batches[static_cast<std::size_t>(index)];
    });
}

}  // namespace taffrail
