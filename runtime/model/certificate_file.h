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

// Views into the image. Takes constant time. kCorrupt for one that no model of
// this architecture has; whether its numbers are true cannot be known here.
Status ReadCertificate(const schema::Certificate& in, const Architecture& a,
                       Certificate* out);

}  // namespace latimer

#endif  // LATIMER_MODEL_CERTIFICATE_FILE_H_
