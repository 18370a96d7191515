// Local files under a scheme of their own, with every question and every byte read counted.
#pragma once

#include "io/files.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::test {

class CountingFileSystem : public io::FileSystem {
  public:
    /// Registers it; "counting://" + an absolute path is below it from then on.
    static std::shared_ptr<CountingFileSystem> install() {
        auto made = std::make_shared<CountingFileSystem>();
        io::register_file_system("counting", made);
        return made;
    }

    std::atomic<std::uint64_t> questions = 0, bytes = 0;

    Result<std::unique_ptr<io::File>> open(const std::string& path, io::OpenMode mode) override {
        ++questions;
        auto file = io::open(path, mode);
        if (!file.ok()) {
            return std::move(file).error();
        }
        return std::unique_ptr<io::File>(std::make_unique<Counted>(*std::move(file), bytes));
    }

    Result<io::FileInfo> stat(const std::string& path) override {
        ++questions;
        return io::stat(path);
    }

    Result<std::vector<io::DirectoryEntry>> list(const std::string& path) override {
        ++questions;
        return io::list(path);
    }

    Result<void> make_directories(const std::string& path) override {
        return io::make_directories(path);
    }

    Result<void> rename(const std::string& from, const std::string& to) override {
        return io::rename(from, to);
    }

    Result<void> rename_new(const std::string& from, const std::string& to) override {
        return io::rename_new(from, to);
    }

    Result<void> remove(const std::string& path) override { return io::remove(path); }

    Result<void> sync_directory(const std::string& path) override {
        return io::sync_directory(path);
    }

    Result<bool> is_locked(const std::string& path) override { return io::is_locked(path); }

    bool is_local(const std::string& path) override { return io::is_local(path); }

    Result<void> set_modified(const std::string& path, std::int64_t time_ns) override {
        return io::set_modified(path, time_ns);
    }

  private:
    class Counted final : public io::File {
      public:
        Counted(std::unique_ptr<io::File> file, std::atomic<std::uint64_t>& bytes)
            : File(file->path()), file_(std::move(file)), bytes_(bytes) {}

        Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> to) override {
            bytes_ += to.size();
            return file_->read_at(offset, to);
        }

        using File::append;
        using File::write_at;

        Result<void> write_at(std::uint64_t offset, std::span<const ByteSpan> parts) override {
            return file_->write_at(offset, parts);
        }

        Result<void> append(std::span<const ByteSpan> parts) override {
            return file_->append(parts);
        }

        [[nodiscard]] std::uint64_t end() const noexcept override { return file_->end(); }

        Result<io::FileInfo> info() override { return file_->info(); }

        Result<void> truncate(std::uint64_t size) override { return file_->truncate(size); }

        Result<void> allocate(std::uint64_t size) override { return file_->allocate(size); }

        Result<void> sync() override { return file_->sync(); }

        Result<io::Mapping> map(std::size_t size, io::MapAccess access) override {
            return file_->map(size, access);
        }

        Result<bool> try_lock() override { return file_->try_lock(); }

      private:
        std::unique_ptr<io::File> file_;
        std::atomic<std::uint64_t>& bytes_;
    };
};

}  // namespace taffrail::test
