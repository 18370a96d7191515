// The kinds that carry blobs.
#include "codec/value_fields.h"

namespace taffrail::value_fields {

void write(FieldWriter& out, const Image& value) {
    out.text(1, value.format);
    out.always_number(2, static_cast<std::uint64_t>(value.dtype));
    out.signed_number(3, value.width);
    out.signed_number(4, value.height);
    out.signed_number(5, value.channels);
    for (const Blob& image : value.images) {
        out.message(6, message_of(image.ref));
    }
    for (const std::string& caption : value.captions) {
        out.always_text(7, caption);
    }
}

void read(FieldReader& in, Image& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.dtype = static_cast<DType>(in.number());
            break;
        case 3:
            value.width = in.signed_number();
            break;
        case 4:
            value.height = in.signed_number();
            break;
        case 5:
            value.channels = static_cast<int>(in.signed_number());
            break;
        case 6:
            value.images.push_back(blob_of(in.bytes()));
            break;
        case 7:
            value.captions.emplace_back(in.text());
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Audio& value) {
    out.text(1, value.format);
    out.signed_number(2, value.sample_rate);
    out.signed_number(3, value.channels);
    out.signed_number(4, value.frames);
    put_blob(out, 5, value.data);
    out.text(6, value.caption);
}

void read(FieldReader& in, Audio& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.sample_rate = static_cast<int>(in.signed_number());
            break;
        case 3:
            value.channels = static_cast<int>(in.signed_number());
            break;
        case 4:
            value.frames = in.signed_number();
            break;
        case 5:
            value.data = blob_of(in.bytes());
            break;
        case 6:
            value.caption = in.text();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Video& value) {
    out.text(1, value.format);
    out.signed_number(2, value.width);
    out.signed_number(3, value.height);
    out.signed_number(4, value.frames);
    out.signed_number(5, value.channels);
    out.real(6, value.frames_per_second);
    put_blob(out, 7, value.data);
    out.text(8, value.caption);
}

void read(FieldReader& in, Video& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.width = in.signed_number();
            break;
        case 3:
            value.height = in.signed_number();
            break;
        case 4:
            value.frames = in.signed_number();
            break;
        case 5:
            value.channels = static_cast<int>(in.signed_number());
            break;
        case 6:
            value.frames_per_second = in.real();
            break;
        case 7:
            value.data = blob_of(in.bytes());
            break;
        case 8:
            value.caption = in.text();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Mesh& value) {
    out.text(1, value.format);
    out.signed_number(2, value.vertices);
    out.signed_number(3, value.faces);
    out.number(4, value.has_colors ? 1 : 0);
    out.number(5, value.has_normals ? 1 : 0);
    out.text(6, value.config_json);
    put_blob(out, 7, value.data);
}

void read(FieldReader& in, Mesh& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.vertices = in.signed_number();
            break;
        case 3:
            value.faces = in.signed_number();
            break;
        case 4:
            value.has_colors = in.number() != 0;
            break;
        case 5:
            value.has_normals = in.number() != 0;
            break;
        case 6:
            value.config_json = in.text();
            break;
        case 7:
            value.data = blob_of(in.bytes());
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Figure& value) {
    out.text(1, value.plotly_json);
    out.text(2, value.picture_format);
    put_blob(out, 3, value.picture);
}

void read(FieldReader& in, Figure& value) {
    switch (in.field()) {
        case 1:
            value.plotly_json = in.text();
            break;
        case 2:
            value.picture_format = in.text();
            break;
        case 3:
            value.picture = blob_of(in.bytes());
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Embedding& value) {
    out.signed_number(1, value.count);
    out.signed_number(2, value.dimensions);
    put_blob(out, 3, value.vectors);
    if (!value.metadata.columns.empty()) {
        FieldWriter table;
        write(table, value.metadata);
        out.message(4, table);
    }
    put_blob(out, 5, value.sprite);
    out.signed_number(6, value.thumbnail_width);
    out.signed_number(7, value.thumbnail_height);
}

void read(FieldReader& in, Embedding& value) {
    switch (in.field()) {
        case 1:
            value.count = in.signed_number();
            break;
        case 2:
            value.dimensions = in.signed_number();
            break;
        case 3:
            value.vectors = blob_of(in.bytes());
            break;
        case 4: {
            FieldReader table(in.bytes());
            while (table.next()) {
                read(table, value.metadata);
            }
            break;
        }
        case 5:
            value.sprite = blob_of(in.bytes());
            break;
        case 6:
            value.thumbnail_width = in.signed_number();
            break;
        case 7:
            value.thumbnail_height = in.signed_number();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Artifact& value) {
    out.text(1, value.name);
    out.text(2, value.type);
    out.text(3, value.version);
    for (const ArtifactFile& file : value.files) {
        FieldWriter inner;
        inner.text(1, file.path);
        inner.message(2, message_of(file.data.ref));
        out.message(4, inner);
    }
    put_named(out, 5, value.metadata);
}

void read(FieldReader& in, Artifact& value) {
    switch (in.field()) {
        case 1:
            value.name = in.text();
            break;
        case 2:
            value.type = in.text();
            break;
        case 3:
            value.version = in.text();
            break;
        case 4: {
            ArtifactFile& file = value.files.emplace_back();
            FieldReader inner(in.bytes());
            while (inner.next()) {
                if (inner.field() == 1) {
                    file.path = inner.text();
                } else if (inner.field() == 2) {
                    file.data = blob_of(inner.bytes());
                }
            }
            break;
        }
        case 5:
            value.metadata.push_back(named_of(in.bytes()));
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Tensor& value) {
    out.always_number(1, static_cast<std::uint64_t>(value.dtype));
    for (std::int64_t extent : value.shape.extents()) {
        out.signed_number(2, extent);
    }
    put_blob(out, 3, value.data);
}

void read(FieldReader& in, Tensor& value) {
    switch (in.field()) {
        case 1:
            value.dtype = static_cast<DType>(in.number());
            break;
        case 2:
            value.shape.push_back(in.signed_number());
            break;
        case 3:
            value.data = blob_of(in.bytes());
            break;
        default:
            break;
    }
}

}  // namespace taffrail::value_fields
