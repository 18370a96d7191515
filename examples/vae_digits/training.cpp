#include "training.h"

#include <taffrail/training_bars.h>

#include "digits.h"
#include "latent.h"
#include "pictures.h"
#include "recording.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace vae_digits {
namespace {

using Clock = std::chrono::steady_clock;
using taffrail::Step;

constexpr int kColumns = 10;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Training {
  public:
    Training(const Settings& settings, taffrail::Run& run,
             std::vector<std::shared_ptr<taffrail::Logger>>& loggers,
             std::optional<taffrail::EventWriter>& writer)
        : settings_(settings),
          run_(run),
          loggers_(loggers),
          writer_(writer),
          data_(draw_digits(settings.train_digits, settings.seed)),
          held_out_(draw_digits(settings.held_out_digits, settings.seed + 1)),
          model_(settings.model, settings.seed + 2),
          random_(settings.seed + 3),
          row_(run.row("train/loss", "train/reconstruction", "train/divergence",
                       "train/gradient_norm", "train/learning_rate")),
          bars_({.refresh_rate = settings.progress_bar ? settings.refresh_rate : 0,
                 .max_epochs = settings.max_epochs}) {
        order_.resize(static_cast<std::size_t>(settings.train_digits));
        std::iota(order_.begin(), order_.end(), 0);
        batches_ = settings.train_digits / settings.batch_size;
        if (settings.limit_train_batches > 0) {
            batches_ = std::min(batches_, settings.limit_train_batches);
        }
    }

    taffrail::Result<Outcome> run() {
        const Picture originals =
            grid(data_.pixels.leftCols(std::min<Eigen::Index>(60, data_.pixels.cols())), kColumns);
        record_start(run_, model_, originals);
        for (epoch_ = 0; epoch_ < settings_.max_epochs; ++epoch_) {
            train_epoch();
            validate();
        }
        bars_.train_ends();
        const LatentClasses classes = LatentClasses::fit(model_.encode(data_.pixels), data_.labels);
        record_end(run_, model_, held_out_, classes, losses_, step_);
        return save_pictures(originals, classes);
    }

  private:
    void train_epoch() {
        run_.set_epoch(epoch_);
        run_.set_phase(taffrail::Phase::Train);
        for (std::size_t i = order_.size() - 1; i > 0; --i) {
            std::swap(order_[i], order_[random_.below(i + 1)]);
        }
        bars_.train_epoch_begins(epoch_, batches_);
        double sum = 0;
        for (int batch = 0; batch < batches_; ++batch) {
            sum += train_batch(batch);
        }
        mean_loss_ = sum / std::max(1, batches_);
        bars_.train_epoch_ends({{"loss", mean_loss_}});
        for (const auto& logger : loggers_) {
            logger->log_epoch(epoch_, taffrail::Phase::Train);
        }
    }

    double train_batch(int batch) {
        const auto begin = Clock::now();
        Eigen::MatrixXf pictures(kPixels, settings_.batch_size);
        for (int i = 0; i < settings_.batch_size; ++i) {
            pictures.col(i) = data_.pixels.col(
                order_[static_cast<std::size_t>(batch * settings_.batch_size + i)]);
        }
        const double done =
            static_cast<double>(epoch_ * batches_ + batch) / (settings_.max_epochs * batches_);
        const double rate =
            settings_.learning_rate * (0.05 + 0.95 * 0.5 * (1 + std::cos(3.14159265 * done)));
        const Loss loss = model_.train_step(pictures, static_cast<float>(rate),
                                            static_cast<float>(settings_.beta), random_);
        losses_.push_back(loss.total());
        samples_ += settings_.batch_size;
        run_.set_samples(samples_);
        row_.log(step_, loss.total(), loss.reconstruction, loss.divergence, model_.gradient_norm(),
                 rate);
        tell_loggers(taffrail::Phase::Train, step_, batch, batches_, pictures, loss);
        tell_writer(loss, seconds_since(begin));
        ++step_;
        bars_.train_batch_ends(batch + 1, {{"loss", loss.total()}});
        return loss.total();
    }

    // Names that the configuration tracks; the pictures are made only where a logger wants them.
    void tell_loggers(taffrail::Phase phase, Step iteration, int batch, int batches,
                      const Eigen::MatrixXf& pictures, const Loss& loss) {
        if (loggers_.empty()) {
            return;
        }
        const Eigen::Index shown = std::min<Eigen::Index>(8, pictures.cols());
        const Eigen::MatrixXf truth = pictures.leftCols(shown);
        const Eigen::MatrixXf guess = model_.reconstruct(truth);
        const Eigen::MatrixXf binary = (guess.array() > 0.5f).cast<float>();
        const Eigen::VectorXf errors = (truth - guess).colwise().squaredNorm();
        const auto images = [&](const Eigen::MatrixXf& all) {
            return taffrail::ImageView{taffrail::TensorView(all.data(), taffrail::DType::F32,
                                                            {all.cols(), kSide, kSide, 1})};
        };
        taffrail::DataMap data;
        data.values["reconstruction_loss"] = loss.reconstruction;
        data.values["regularization_loss"] = loss.divergence;
        data.values["hist_loss"] =
            taffrail::TensorView(errors.data(), taffrail::DType::F32, {errors.size()});
        data.values["render_gt"] = images(truth);
        data.values["render_rec"] = images(guess);
        data.values["render_rec_gt"] = images(binary);
        data.phase = phase;
        data.epoch = epoch_;
        data.max_epochs = settings_.max_epochs;
        data.batch_size = pictures.cols();
        data.batch_current = batch + 1;
        data.batch_total = batches;
        data.total_iters = iteration;
        for (const auto& logger : loggers_) {
            logger->log_iter(data);
        }
    }

    void tell_writer(const Loss& loss, double seconds) {
        if (!writer_) {
            return;
        }
        writer_->put_time("ITER_TRAIN_TIME", seconds, step_);
        writer_->put_rate("TRAIN_RAYS_PER_SEC",
                          settings_.batch_size * kPixels / std::max(1e-3, seconds), step_);
        writer_->put_dict(
            "Train Loss",
            {{"reconstruction", loss.reconstruction}, {"divergence", loss.divergence}}, step_);
    }

    void validate() {
        run_.set_phase(taffrail::Phase::Validate);
        bars_.validation_begins(0, 1);
        const Loss loss = model_.evaluate(held_out_.pixels);
        const Eigen::MatrixXf guess = model_.reconstruct(held_out_.pixels);
        psnr_db_ = psnr(held_out_.pixels, guess);
        bars_.validation_batch_ends(1);
        bars_.validation_ends({{"loss", mean_loss_}, {"psnr", psnr_db_}});
        run_.log({{"val/psnr_db", psnr_db_},
                  {"val/reconstruction", loss.reconstruction},
                  {"val/divergence", loss.divergence}},
                 step_);
        const LatentClasses classes = LatentClasses::fit(model_.encode(data_.pixels), data_.labels);
        const Picture compared =
            comparison(held_out_.pixels.leftCols(40), guess.leftCols(40), kColumns);
        Random fixed(settings_.seed + 4);
        record_epoch(run_, model_, held_out_, classes, compared,
                     grid(model_.decode(classes.sample(60, fixed)), kColumns), step_);
        tell_loggers(taffrail::Phase::Validate, epoch_, 0, 1, held_out_.pixels, loss);
        for (const auto& logger : loggers_) {
            logger->log_epoch(epoch_, taffrail::Phase::Validate);
        }
        if (writer_) {
            writer_->put_scalar("CURR_TEST_PSNR", psnr_db_, step_);
            writer_->put_image("Eval Images/reconstructions", view(compared), step_);
        }
    }

    taffrail::Result<Outcome> save_pictures(const Picture& originals,
                                            const LatentClasses& classes) {
        std::error_code ignored;
        std::filesystem::create_directories(settings_.output_dir, ignored);
        const Eigen::MatrixXf truth = held_out_.pixels.leftCols(40);
        Random fixed(settings_.seed + 4);
        const std::pair<const char*, Picture> pictures[] = {
            {"orig_data.png", originals},
            {"reconstructions.png", comparison(truth, model_.reconstruct(truth), kColumns)},
            {"generated_samples.png", grid(model_.decode(classes.sample(60, fixed)), kColumns)}};
        for (const auto& [name, picture] : pictures) {
            const std::string path = settings_.output_dir + "/" + name;
            if (!write_png(path, picture)) {
                return taffrail::Error{
                    taffrail::ErrorCode::Io,
                    "cannot write '" + path + "'; choose another folder with output_dir=…"};
            }
        }
        psnr_db_ = psnr(held_out_.pixels, model_.reconstruct(held_out_.pixels));
        run_.summary("val/psnr_db", psnr_db_);
        return Outcome{psnr_db_, mean_loss_, step_};
    }

    const Settings& settings_;
    taffrail::Run& run_;
    std::vector<std::shared_ptr<taffrail::Logger>>& loggers_;
    std::optional<taffrail::EventWriter>& writer_;
    Digits data_, held_out_;
    Model model_;
    Random random_;
    taffrail::Row row_;
    taffrail::TrainingBars bars_;
    std::vector<int> order_;
    std::vector<double> losses_;
    int batches_ = 0, epoch_ = 0;
    Step step_ = 0;
    std::int64_t samples_ = 0;
    double mean_loss_ = 0, psnr_db_ = 0;
};

}  // namespace

taffrail::Result<Outcome> train(const Settings& settings, taffrail::Run& run,
                                std::vector<std::shared_ptr<taffrail::Logger>>& loggers,
                                std::optional<taffrail::EventWriter>& writer) {
    return Training(settings, run, loggers, writer).run();
}

}  // namespace vae_digits
