#include "store/run_reader.h"

#include "base/try.h"
#include "io/files.h"
#include "store/glance.h"
#include "store/last_sign.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/meta_edit.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>

namespace taffrail::store {

Result<std::shared_ptr<RunReader>> RunReader::open(std::string run_folder) {
    if (!is_run_folder(run_folder)) {
        // A folder that cannot be looked into is not one without a run.
        if (const auto listed = io::list(run_folder);
            !listed.ok() && listed.error().code != ErrorCode::NotFound) {
            return listed.error();
        }
        return Error{ErrorCode::NotFound,
                     fmt::format("{} is no run folder: it holds no log, manifest or sealed file",
                                 run_folder)};
    }
    auto reader = std::make_shared<RunReader>(std::move(run_folder));
    TAFFRAIL_TRY(reader->refresh());
    return reader;
}

std::uint64_t RunReader::first_revision() {
    constexpr std::uint64_t kChangesOfOne = 1u << 24;
    static std::atomic<std::uint64_t> readers = 0;
    return readers++ * kChangesOfOne + 1;
}

// Writers are found, polled and forgotten here; the lock is held alone.
Result<bool> RunReader::refresh_locked() const {
    bool changed = false;
    if (const std::uint64_t print = folder_print(folder_); print != folder_print_) {
        folder_print_ = print;
        changed |= take_manifest();
    }
    for (const std::uint64_t id : all_writers(folder_, manifest_)) {
        std::unique_ptr<WriterData>& writer = writers_[id];
        if (writer == nullptr) {
            writer = make_writer(id);
            TAFFRAIL_TRY(writer->open(depth_));
            changed = true;
        }
    }
    for (const auto& [id, writer] : writers_) {
        TAFFRAIL_ASSIGN(const bool grew, writer->refresh());
        changed |= grew;
        const WriterLog& log = writer->log;
        if (!log.finished() &&
            !writer_is_alive(folder_, log.identity(), log.last_sign_of_life_ns())) {
            changed |= writer->take_orphans(folder_);
        }
    }
    const bool rest_is_damaged = std::ranges::any_of(
        writers_, [](const auto& each) { return each.second->log.rest_is_damaged(); });
    if (rest_is_damaged && !doubt_) {
        doubt_ = true;
        writers_.clear();
        console_.clear();
        return refresh_locked();
    }
    const std::uint64_t edited = folder_print(io::join(folder_, kMetaFolder));
    if (edited != edits_print_) {
        edits_ = read_edits(folder_);
        edits_print_ = edited;
        changed = true;
    }
    // A process may die without writing a byte.
    if (changed || info_.state == RunState::Running) {
        const RunState before = info_.state;
        describe();
        changed |= info_.state != before;
    }
    revision_ += changed ? 1 : 0;
    return changed;
}

void RunReader::describe() const {
    std::vector<WriterGlance> glances;
    for (const auto& [id, writer] : writers_) {
        if (writer->log.is_garbage()) {
            continue;
        }
        WriterGlance& glance = glances.emplace_back();
        glance.identity = writer->log.identity();
        glance.meta = writer->log.state().meta();
        glance.hparams = writer->log.state().hparams();
        glance.finished = writer->log.finished();
        glance.last_sign_ns = last_sign_of(writer->log);
    }
    info_ = describe_run(folder_, glances, edits_);
    MetaState all = edits_;
    for (const WriterGlance& glance : glances) {
        all.merge(glance.meta);
    }
    definitions_ = all.metric_definitions();
}

Result<bool> RunReader::refresh() {
    const std::unique_lock lock(mutex_);
    return refresh_locked();
}

Result<void> RunReader::ensure(WriterData::Depth depth) const {
    {
        const std::shared_lock lock(mutex_);
        if (depth_ >= depth) {
            return {};
        }
    }
    const std::unique_lock lock(mutex_);
    if (depth_ < depth) {
        depth_ = depth;
        writers_.clear();
        console_.clear();
        const auto read = refresh_locked();
        if (!read.ok()) {
            return read.error();
        }
    }
    return {};
}

RunInfo RunReader::info() const {
    const std::shared_lock lock(mutex_);
    return info_;
}

std::uint64_t RunReader::revision() const {
    const std::shared_lock lock(mutex_);
    return revision_;
}

std::vector<const WriterData*> RunReader::ordered_writers() const {
    std::vector<const WriterData*> order;
    for (const auto& [id, writer] : writers_) {
        order.push_back(writer.get());
    }
    std::ranges::sort(order, {}, [](const WriterData* writer) {
        const tlog::FileIdentity& identity = writer->log.identity();
        return std::tuple(identity.attempt, identity.rank, identity.start_time_ns, identity.writer);
    });
    return order;
}

Hparams RunReader::environment() const {
    if (!ensure(WriterData::Depth::Everything).ok()) {
        return {};
    }
    const std::shared_lock lock(mutex_);
    // Every rank has its own; the first one's stands for the run.
    for (const WriterData* writer : ordered_writers()) {
        if (Hparams cells = writer->log.state().meta().environment(); !cells.empty()) {
            return cells;
        }
    }
    return {};
}

std::vector<Damage> RunReader::damage() const {
    if (!ensure(WriterData::Depth::Everything).ok()) {
        return {};
    }
    return damage_so_far();
}

std::vector<Damage> RunReader::damage_met() const {
    std::vector<Damage> all = damage_so_far();
    const std::scoped_lock lock(cache_mutex_);
    for (const Damage& damage : walked_damage_) {
        const bool known = std::ranges::any_of(all, [&damage](const Damage& other) {
            return other.file == damage.file && other.offset == damage.offset &&
                   other.reason == damage.reason;
        });
        if (!known) {
            all.push_back(damage);
        }
    }
    return all;
}

void RunReader::keep_walked_damage(std::vector<Damage> met) const {
    const std::scoped_lock lock(cache_mutex_);
    walked_damage_.insert(walked_damage_.end(), std::make_move_iterator(met.begin()),
                          std::make_move_iterator(met.end()));
}

std::vector<Damage> RunReader::damage_so_far() const {
    const std::shared_lock lock(mutex_);
    std::vector<Damage> all;
    if (sealed_ != nullptr) {
        all = sealed_->damage();
    }
    add_log_damage(all);
    return all;
}

std::vector<Damage> RunReader::unplaced_damage() const {
    std::vector<Damage> all;
    if (sealed_ != nullptr) {
        all = sealed_->left_out();
    }
    add_log_damage(all);
    return all;
}

void RunReader::add_damage_of_sealed_logs(std::vector<Damage>& all) const {
    for (const seal::CoveredLog& log : manifest_.logs) {
        if (log.damaged_ranges > 0) {
            all.push_back(
                {io::join(io::join(folder_, kLiveFolder), log_name(log.writer, log.file_number)), 0,
                 log.bytes, 0, 0,
                 fmt::format("{} damaged ranges when it was sealed", log.damaged_ranges)});
        }
    }
}

void RunReader::add_log_damage(std::vector<Damage>& all) const {
    add_damage_of_sealed_logs(all);
    for (const WriterData* writer : ordered_writers()) {
        for (Damage& damage : writer->log.damage()) {
            all.push_back(std::move(damage));
        }
    }
}

std::vector<ConsoleLine> RunReader::console(std::size_t first, std::size_t count) const {
    if (!ensure(WriterData::Depth::Everything).ok()) {
        return {};
    }
    const std::unique_lock lock(mutex_);
    console_.update(ordered_writers());
    return console_.lines(first, count);
}

}  // namespace taffrail::store
