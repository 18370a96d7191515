#include "video_module/ffmpeg_encoder.h"

#include "video_module/ffmpeg_free.h"
#include "video_module/ffmpeg_reason.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>

namespace taffrail::video_module {
namespace {

/// The container being written; frees its buffer whatever happens.
struct Container {
    AVFormatContext* format = nullptr;

    ~Container() {
        if (format != nullptr) {
            if (format->pb != nullptr) {
                unsigned char* rest = nullptr;
                avio_close_dyn_buf(format->pb, &rest);
                av_free(rest);
            }
            avformat_free_context(format);
        }
    }
};

AVRational rate_of(double frames_per_second) {
    AVRational rate = av_d2q(frames_per_second, 60000);
    return rate.num > 0 ? rate : AVRational{10, 1};
}

/// Settings for small clips that people look at closely: good quality, quick, no long search.
void set_options(AVCodecContext& context, const AVCodec& codec) {
    if (std::strcmp(codec.name, "libx264") == 0) {
        av_opt_set(context.priv_data, "preset", "veryfast", 0);
        av_opt_set(context.priv_data, "crf", "18", 0);
    } else {
        av_opt_set(context.priv_data, "deadline", "realtime", 0);
        av_opt_set(context.priv_data, "cpu-used", "5", 0);
        av_opt_set(context.priv_data, "crf", "24", 0);
        context.bit_rate = 0;
    }
}

/// Sends one frame (or the end) and writes every packet that comes out.
int push(AVCodecContext& context, const AVFrame* frame, AVFormatContext& format, AVStream& stream,
         AVPacket& packet) {
    int code = avcodec_send_frame(&context, frame);
    while (code >= 0) {
        code = avcodec_receive_packet(&context, &packet);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) {
            return 0;
        }
        if (code >= 0) {
            av_packet_rescale_ts(&packet, context.time_base, stream.time_base);
            packet.stream_index = stream.index;
            packet.duration = av_rescale_q(1, context.time_base, stream.time_base);
            code = av_interleaved_write_frame(&format, &packet);
        }
    }
    return code;
}

}  // namespace

std::vector<EncoderChoice> available_encoders() {
    std::vector<EncoderChoice> found;
    for (const EncoderChoice& choice :
         {EncoderChoice{"mp4", "libx264"}, EncoderChoice{"webm", "libvpx-vp9"}}) {
        if (avcodec_find_encoder_by_name(choice.encoder) != nullptr) {
            found.push_back(choice);
        }
    }
    return found;
}

bool encode(const TaffrailVideoJob& job, const EncoderChoice& choice,
            std::vector<unsigned char>& file, std::string& error) {
    const auto failed = [&](const char* doing, int code) {
        error = std::string(doing) + ": " + reason(code);
        return false;
    };
    const AVCodec* codec = avcodec_find_encoder_by_name(choice.encoder);
    Container container;
    int code = avformat_alloc_output_context2(&container.format, nullptr, choice.format, nullptr);
    if (code < 0 || codec == nullptr) {
        return failed("container", code);
    }
    AVStream* stream = avformat_new_stream(container.format, nullptr);
    const std::unique_ptr<AVCodecContext, Free> context(avcodec_alloc_context3(codec));
    // These codecs halve the colour planes: odd sizes grow by one pixel.
    context->width = static_cast<int>((job.width + 1) / 2 * 2);
    context->height = static_cast<int>((job.height + 1) / 2 * 2);
    context->pix_fmt = AV_PIX_FMT_YUV420P;
    context->framerate = rate_of(job.frames_per_second);
    context->time_base = av_inv_q(context->framerate);
    context->thread_count = 1;  // training owns the other cores
    set_options(*context, *codec);
    if ((container.format->oformat->flags & AVFMT_GLOBALHEADER) != 0) {
        context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    if ((code = avcodec_open2(context.get(), codec, nullptr)) < 0) {
        return failed(choice.encoder, code);
    }
    avcodec_parameters_from_context(stream->codecpar, context.get());
    stream->time_base = context->time_base;
    stream->avg_frame_rate = context->framerate;
    if ((code = avio_open_dyn_buf(&container.format->pb)) < 0 ||
        (code = avformat_write_header(container.format, nullptr)) < 0) {
        return failed("header", code);
    }

    const AVPixelFormat source = job.channels == 1   ? AV_PIX_FMT_GRAY8
                                 : job.channels == 3 ? AV_PIX_FMT_RGB24
                                                     : AV_PIX_FMT_RGBA;
    const auto width = static_cast<int>(job.width), height = static_cast<int>(job.height);
    const std::unique_ptr<SwsContext, Free> scaler(
        sws_getContext(width, height, source, context->width, context->height, context->pix_fmt,
                       SWS_BICUBIC, nullptr, nullptr, nullptr));
    const std::unique_ptr<AVFrame, Free> frame(av_frame_alloc());
    const std::unique_ptr<AVPacket, Free> packet(av_packet_alloc());
    frame->format = context->pix_fmt;
    frame->width = context->width;
    frame->height = context->height;
    if (scaler == nullptr || (code = av_frame_get_buffer(frame.get(), 0)) < 0) {
        return failed("frame", code);
    }
    const std::size_t frame_size =
        static_cast<std::size_t>(job.width * job.height) * static_cast<std::size_t>(job.channels);
    for (std::int64_t i = 0; i < job.count; ++i) {
        if ((code = av_frame_make_writable(frame.get())) < 0) {
            return failed("frame", code);
        }
        const std::array<const unsigned char*, 1> rows{job.frames +
                                                       static_cast<std::size_t>(i) * frame_size};
        const std::array<int, 1> stride{width * job.channels};
        sws_scale(scaler.get(), rows.data(), stride.data(), 0, height, frame->data,
                  frame->linesize);
        frame->pts = i;
        if ((code = push(*context, frame.get(), *container.format, *stream, *packet)) < 0) {
            return failed("frame", code);
        }
    }
    if ((code = push(*context, nullptr, *container.format, *stream, *packet)) < 0 ||
        (code = av_write_trailer(container.format)) < 0) {
        return failed("end of file", code);
    }
    unsigned char* bytes = nullptr;
    const int size = avio_close_dyn_buf(container.format->pb, &bytes);
    container.format->pb = nullptr;
    file.assign(bytes, bytes + size);
    av_free(bytes);
    return true;
}

}  // namespace taffrail::video_module
