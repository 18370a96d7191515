#include "video_module/ffmpeg_decoder.h"

#include "video_module/ffmpeg_free.h"
#include "video_module/ffmpeg_reason.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <cstring>
#include <memory>

namespace taffrail::video_module {
namespace {

/// The file's bytes as FFmpeg reads them: from memory, forwards and backwards.
struct MemoryFile {
    const unsigned char* bytes = nullptr;
    std::int64_t size = 0, at = 0;

    static int read(void* self, unsigned char* to, int wanted) {
        auto& file = *static_cast<MemoryFile*>(self);
        const std::int64_t count = std::min<std::int64_t>(wanted, file.size - file.at);
        if (count <= 0) {
            return AVERROR_EOF;
        }
        std::memcpy(to, file.bytes + file.at, static_cast<std::size_t>(count));
        file.at += count;
        return static_cast<int>(count);
    }

    static std::int64_t seek(void* self, std::int64_t offset, int whence) {
        auto& file = *static_cast<MemoryFile*>(self);
        if (whence == AVSEEK_SIZE) {
            return file.size;
        }
        const std::int64_t base = whence == SEEK_CUR ? file.at : whence == SEEK_END ? file.size : 0;
        const std::int64_t to = base + offset;
        if (to < 0 || to > file.size) {
            return AVERROR(EINVAL);
        }
        return file.at = to;
    }
};

/// The container being read; frees its parts whatever happens.
struct Input {
    MemoryFile file;
    AVFormatContext* format = nullptr;
    AVIOContext* stream = nullptr;

    ~Input() {
        avformat_close_input(&format);
        if (stream != nullptr) {
            av_freep(&stream->buffer);
            avio_context_free(&stream);
        }
    }
};

/// Appends decoded frames as RGB; false when they do not fit.
class Collector {
  public:
    Collector(TaffrailVideoFile& job, std::vector<unsigned char>& frames)
        : job_(job), frames_(frames) {}

    bool add(const AVFrame& frame, std::string& error) {
        if (job_.count == 0) {
            job_.width = frame.width;
            job_.height = frame.height;
        }
        const auto row = static_cast<std::size_t>(job_.width) * 3;
        const std::size_t bytes = row * static_cast<std::size_t>(job_.height);
        if (frames_.size() + bytes > job_.max_bytes) {
            error = "the frames take more than " + std::to_string(job_.max_bytes >> 20) + " MiB";
            return false;
        }
        scaler_.reset(sws_getCachedContext(
            scaler_.release(), frame.width, frame.height, static_cast<AVPixelFormat>(frame.format),
            static_cast<int>(job_.width), static_cast<int>(job_.height), AV_PIX_FMT_RGB24,
            SWS_BICUBIC, nullptr, nullptr, nullptr));
        if (scaler_ == nullptr) {
            error = "no conversion to RGB";
            return false;
        }
        // FFmpeg writes whole vectors, past the end of a row: only its own frames have room for
        // that.
        if (rgb_ == nullptr) {
            rgb_.reset(av_frame_alloc());
            rgb_->format = AV_PIX_FMT_RGB24;
            rgb_->width = static_cast<int>(job_.width);
            rgb_->height = static_cast<int>(job_.height);
            if (const int code = av_frame_get_buffer(rgb_.get(), 0); code < 0) {
                error = reason(code);
                return false;
            }
        }
        sws_scale(scaler_.get(), frame.data, frame.linesize, 0, frame.height, rgb_->data,
                  rgb_->linesize);
        for (std::int64_t y = 0; y < job_.height; ++y) {
            const unsigned char* from = rgb_->data[0] + y * rgb_->linesize[0];
            frames_.insert(frames_.end(), from, from + row);
        }
        ++job_.count;
        return true;
    }

  private:
    TaffrailVideoFile& job_;
    std::vector<unsigned char>& frames_;
    std::unique_ptr<SwsContext, Free> scaler_;
    std::unique_ptr<AVFrame, Free> rgb_;
};

}  // namespace

bool decode(TaffrailVideoFile& job, std::vector<unsigned char>& frames, std::string& error) {
    const auto failed = [&](const char* doing, int code) {
        error = std::string(doing) + ": " + reason(code);
        return false;
    };
    Input input;
    input.file = {job.file, static_cast<std::int64_t>(job.file_size), 0};
    constexpr int kBufferBytes = 64 << 10;
    input.stream =
        avio_alloc_context(static_cast<unsigned char*>(av_malloc(kBufferBytes)), kBufferBytes, 0,
                           &input.file, MemoryFile::read, nullptr, MemoryFile::seek);
    input.format = avformat_alloc_context();
    if (input.stream == nullptr || input.format == nullptr) {
        return failed("memory", AVERROR(ENOMEM));
    }
    input.format->pb = input.stream;
    int code = avformat_open_input(&input.format, nullptr, nullptr, nullptr);
    if (code < 0 || (code = avformat_find_stream_info(input.format, nullptr)) < 0) {
        return failed("container", code);
    }
    const AVCodec* codec = nullptr;
    const int index = av_find_best_stream(input.format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    if (index < 0 || codec == nullptr) {
        return failed("no video inside", index);
    }
    const AVStream& stream = *input.format->streams[index];
    const std::unique_ptr<AVCodecContext, Free> context(avcodec_alloc_context3(codec));
    context->thread_count = 1;  // training owns the other cores
    if ((code = avcodec_parameters_to_context(context.get(), stream.codecpar)) < 0 ||
        (code = avcodec_open2(context.get(), codec, nullptr)) < 0) {
        return failed(codec->name, code);
    }
    job.frames_per_second = av_q2d(stream.avg_frame_rate);
    const std::unique_ptr<AVFrame, Free> frame(av_frame_alloc());
    const std::unique_ptr<AVPacket, Free> packet(av_packet_alloc());
    Collector collector(job, frames);
    for (bool more = true; more;) {
        more = av_read_frame(input.format, packet.get()) >= 0;
        if (more && packet->stream_index != index) {
            av_packet_unref(packet.get());
            continue;
        }
        code = avcodec_send_packet(context.get(), more ? packet.get() : nullptr);
        av_packet_unref(packet.get());
        while (code >= 0) {
            code = avcodec_receive_frame(context.get(), frame.get());
            if (code >= 0 && !collector.add(*frame, error)) {
                return false;
            }
        }
        if (code != AVERROR(EAGAIN) && code != AVERROR_EOF) {
            return failed("frame", code);
        }
    }
    if (job.count == 0) {
        error = "no frame inside";
    }
    return job.count > 0;
}

}  // namespace taffrail::video_module
