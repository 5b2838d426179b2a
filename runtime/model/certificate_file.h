// The certificate of a model file.
#ifndef LATIMER_MODEL_CERTIFICATE_FILE_H_
#define LATIMER_MODEL_CERTIFICATE_FILE_H_

#include "latimer/certificate.h"
#include "latimer/model_info.h"
#include "latimer/status.h"

namespace latimer {

namespace schema {
struct Certificate;
}

// Fills `*out` with views into the image, in constant time. kCorrupt for a
// certificate that no model of this architecture can have; its numbers are not
// checked.
Status ReadCertificate(const schema::Certificate& in, const Architecture& a,
                       Certificate* out);

}  // namespace latimer

#endif  // LATIMER_MODEL_CERTIFICATE_FILE_H_
