// export --format html in a build without the server, which holds the page.
#include "cli/export/pictures.h"

namespace taffrail::cli {

Result<Picture> export_page(const PictureRequest&) {
    return Error{ErrorCode::Unsupported,
                 "this build has no dashboard, whose page --format html writes; svg and png work"};
}

}  // namespace taffrail::cli
