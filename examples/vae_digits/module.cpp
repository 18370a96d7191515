#include "module.h"

#include <taffrail/trace_notes.h>
#include <taffrail/trainer.h>
#include <taffrail/zone.h>

#include "pictures.h"
#include "recording.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace vae_digits {
namespace {

constexpr int kColumns = 10;

// Every world_size-th digit, beginning with this rank's: shares differ by one where the number does
// not divide.
Digits share_of(const Digits& all, int rank, int world_size) {
    Digits share;
    std::vector<Eigen::Index> mine;
    for (Eigen::Index i = rank; i < all.pixels.cols(); i += world_size) {
        mine.push_back(i);
        share.labels.push_back(all.labels[static_cast<std::size_t>(i)]);
    }
    share.pixels = all.pixels(Eigen::all, mine);
    return share;
}

taffrail::ImageView images(const Eigen::MatrixXf& pictures) {
    return {taffrail::TensorView(pictures.data(), taffrail::DType::F32,
                                 {pictures.cols(), kSide, kSide, 1})};
}

}  // namespace

DigitsModule::DigitsModule(const Settings& settings, taffrail::Run& run,
                           std::optional<taffrail::EventWriter>& writer,
                           std::shared_ptr<taffrail::Communicator> ranks)
    : settings_(settings),
      run_(run),
      writer_(writer),
      ranks_(std::move(ranks)),
      data_(share_of(draw_digits(settings.train_digits, settings.seed), ranks_->rank(),
                     ranks_->world_size())),
      held_out_(share_of(draw_digits(settings.held_out_digits, settings.seed + 1), ranks_->rank(),
                         ranks_->world_size())),
      model_(settings.model, settings.seed + 2),
      noise_(settings.seed + 3 + 1000 * static_cast<std::uint64_t>(ranks_->rank())) {
    // Every rank makes as many steps as the one with the fewest digits.
    batches_ = settings.train_digits / ranks_->world_size() / settings.batch_size;
}

std::shared_ptr<taffrail::Loader> DigitsModule::train_dataloader() {
    return shuffled_batches(data_, batches_, settings_,
                            settings_.seed + 5 + static_cast<std::uint64_t>(ranks_->rank()));
}

taffrail::LoaderList DigitsModule::val_dataloader() {
    static constexpr Eigen::Index kBatch = 100;
    const Eigen::Index count = held_out_.pixels.cols();
    return {taffrail::map_loader((count + kBatch - 1) / kBatch, [this, count](std::int64_t index) {
        const Eigen::Index first = index * kBatch;
        return taffrail::Batch(
            PictureBatch{held_out_.pixels.middleCols(first, std::min(kBatch, count - first))});
    })};
}

double DigitsModule::learning_rate() const {
    const auto steps =
        static_cast<double>(settings_.max_epochs * std::max<std::int64_t>(1, batches_));
    const double done = std::min(
        1.0, static_cast<double>(trainer() != nullptr ? trainer()->global_step() : 0) / steps);
    return settings_.learning_rate * (0.05 + 0.95 * 0.5 * (1 + std::cos(3.14159265 * done)));
}

std::vector<std::pair<std::string, double>> DigitsModule::learning_rates() const {
    return {{"learning_rate", learning_rate()}};
}

// In the run, in the views and on the bar; sent to trackers unless a configuration says what they
// get.
void DigitsModule::log_number(std::string_view name, double value, taffrail::LogOptions options) {
    if (settings_.by_configuration) {
        options.logger = false;
    }
    log(name, value, options);
}

void DigitsModule::on_train_start() {
    if (ranks_->rank() == 0 && !settings_.by_configuration) {
        record_start(
            run_, model_,
            grid(data_.pixels.leftCols(std::min<Eigen::Index>(60, data_.pixels.cols())), kColumns));
    }
}

void DigitsModule::training_step(const taffrail::Batch& batch, std::int64_t) {
    TAFFRAIL_ZONE_FUNCTION();
    step_began_ = std::chrono::steady_clock::now();
    const Eigen::MatrixXf& pictures = batch.as<PictureBatch>().pixels;
    const Loss loss = [&] {
        TAFFRAIL_ZONE("Model::gather");
        TAFFRAIL_ZONE_SHAPE(pictures.cols(), pictures.rows());
        return model_.gather(pictures, static_cast<float>(settings_.beta), noise_);
    }();
    losses_.push_back(loss.total());
    log_number("train/loss", loss.total(), {.prog_bar = true});
    log_number("train/reconstruction", loss.reconstruction);
    log_number("train/divergence", loss.divergence);
    log_number("train/learning_rate", learning_rate());
    log_number("train/epoch_loss", loss.total(),
               {.on_step = false, .on_epoch = true, .sync_dist = ranks_->world_size() > 1});
    hand_to_loggers(pictures, loss);
}

void DigitsModule::apply_gradients() {
    TAFFRAIL_ZONE_FUNCTION();
    if (ranks_->world_size() > 1) {
        std::vector<double> sums = model_.gathered();
        ranks_->all_reduce(std::span<double>(sums), taffrail::ReduceOp::Sum).value();
        model_.set_gathered(sums);
    }
    {
        TAFFRAIL_ZONE("Model::step");
        model_.step(static_cast<float>(learning_rate()));
    }
    log_number("train/gradient_norm", model_.gradient_norm());
}

void DigitsModule::on_train_batch_end(const taffrail::Batch&, std::int64_t) {
    if (!writer_) {
        return;
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - step_began_).count();
    const taffrail::Step step = trainer()->global_step() - 1;
    writer_->put_time("ITER_TRAIN_TIME", seconds, step);
    writer_->put_rate(
        "TRAIN_RAYS_PER_SEC",
        ranks_->world_size() * settings_.batch_size * kPixels / std::max(1e-3, seconds), step);
    writer_->put_scalar("Train Loss", losses_.back(), step);
}

// Names that a configuration may track. emit() reads at once, so locals will do.
void DigitsModule::hand_to_loggers(const Eigen::MatrixXf& pictures, const Loss& loss) {
    if (trainer()->options().loggers.empty()) {
        return;
    }
    const Eigen::MatrixXf shown = pictures.leftCols(std::min<Eigen::Index>(8, pictures.cols()));
    const Eigen::MatrixXf guess = model_.reconstruct(shown);
    const Eigen::MatrixXf binary = (guess.array() > 0.5f).cast<float>();
    const Eigen::VectorXf errors = (shown - guess).colwise().squaredNorm();
    output.batch_size = pictures.cols();
    emit("reconstruction_loss", loss.reconstruction);
    emit("regularization_loss", loss.divergence);
    emit("hist_loss", taffrail::TensorView(errors.data(), taffrail::DType::F32, {errors.size()}));
    emit("render_gt", images(shown));
    emit("render_rec", images(guess));
    emit("render_rec_gt", images(binary));
}

void DigitsModule::on_validation_epoch_start() {
    squared_error_ = pixels_ = 0;
}

void DigitsModule::validation_step(const taffrail::Batch& batch, std::int64_t, int) {
    TAFFRAIL_ZONE_FUNCTION();
    const Eigen::MatrixXf& pictures = batch.as<PictureBatch>().pixels;
    TAFFRAIL_LAP("Model::evaluate");
    const Loss loss = model_.evaluate(pictures);
    TAFFRAIL_LAP("Model::reconstruct");
    const Eigen::MatrixXf guess = model_.reconstruct(pictures);
    TAFFRAIL_LAP_END();
    const double error = static_cast<double>((guess - pictures).squaredNorm());
    squared_error_ += error;
    pixels_ += static_cast<double>(pictures.size());
    const bool sync = ranks_->world_size() > 1;
    log_number("val/reconstruction", loss.reconstruction,
               {.sync_dist = sync, .batch_size = pictures.cols()});
    log_number("val/divergence", loss.divergence,
               {.sync_dist = sync, .batch_size = pictures.cols()});
    log_number("val/squared_error", error / static_cast<double>(pictures.size()),
               {.sync_dist = sync, .batch_size = pictures.cols()});
    hand_to_loggers(pictures, loss);
}

void DigitsModule::on_validation_epoch_end() {
    double sums[] = {squared_error_, pixels_};
    ranks_->all_reduce(std::span<double>(sums), taffrail::ReduceOp::Sum).value();
    psnr_db_ = -10 * std::log10(sums[0] / sums[1]);
    log_number("val/psnr_db", psnr_db_, {.prog_bar = true, .sync_dist = true});
    if (ranks_->rank() != 0 || trainer()->sanity_checking()) {
        return;
    }
    const taffrail::Step step = trainer()->global_step();
    const Picture compared = reconstructions();
    if (!settings_.by_configuration) {
        record_epoch(run_, model_, held_out_, classes(), compared, generated(classes()), step);
        said_good_ = said_good_ || alert_when_good(run_, psnr_db_);
    }
    if (writer_) {
        // On a step that reaches the sinks, so that the last quality is not held back.
        writer_->put_scalar("CURR_TEST_PSNR", psnr_db_,
                            step - step % std::max<taffrail::Step>(1, writer_->steps_per_log()));
        writer_->put_image("Eval Images/reconstructions", view(compared),
                           step - step % std::max<taffrail::Step>(1, writer_->steps_per_log()));
    }
}

LatentClasses DigitsModule::classes() const {
    return LatentClasses::fit(model_.encode(data_.pixels), data_.labels);
}

Picture DigitsModule::reconstructions() const {
    const Eigen::MatrixXf truth =
        held_out_.pixels.leftCols(std::min<Eigen::Index>(40, held_out_.pixels.cols() / 10 * 10));
    return comparison(truth, model_.reconstruct(truth), kColumns);
}

Picture DigitsModule::generated(const LatentClasses& latent) const {
    Random fixed(settings_.seed + 4);
    return grid(model_.decode(latent.sample(60, fixed)), kColumns);
}

taffrail::Result<void> DigitsModule::finish(taffrail::Step step) {
    const LatentClasses latent = classes();
    const auto cannot_write = [](const std::string& path) {
        return taffrail::Error{
            taffrail::ErrorCode::Io,
            "cannot write '" + path + "'; choose another folder with output_dir=…"};
    };
    std::error_code ignored;
    std::filesystem::create_directories(settings_.output_dir, ignored);
    if (!settings_.by_configuration) {
        record_end(run_, model_, held_out_, latent, losses_, step);
        run_.note("trained for " + std::to_string(step) + " steps on " +
                  std::to_string(data_.labels.size()) + " digits");
        if (!said_good_) {
            alert_poor_quality(run_, psnr_db_);
        }
        const std::string path = settings_.output_dir + "/weights.f32";
        if (!record_weights(run_, model_, path)) {
            return cannot_write(path);
        }
    }
    run_.summary("val/psnr_db", psnr_db_);
    const std::pair<const char*, Picture> pictures[] = {
        {"orig_data.png",
         grid(data_.pixels.leftCols(std::min<Eigen::Index>(60, data_.pixels.cols())), kColumns)},
        {"reconstructions.png", reconstructions()},
        {"generated_samples.png", generated(latent)}};
    for (const auto& [name, picture] : pictures) {
        const std::string path = settings_.output_dir + "/" + name;
        if (!write_png(path, picture)) {
            return cannot_write(path);
        }
    }
    return {};
}

}  // namespace vae_digits
