// Gives FFmpeg's objects back: the deleter of their unique_ptr.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libswscale/swscale.h>
}

namespace taffrail::video_module {

struct Free {
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }

    void operator()(AVFrame* frame) const { av_frame_free(&frame); }

    void operator()(AVPacket* packet) const { av_packet_free(&packet); }

    void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

}  // namespace taffrail::video_module
