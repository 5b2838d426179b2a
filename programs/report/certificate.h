// A model's certificate for people and programs.
#ifndef LATIMER_REPORT_CERTIFICATE_H_
#define LATIMER_REPORT_CERTIFICATE_H_

#include <string>

#include "internals.h"
#include "report/format.h"

namespace latimer {

// {"text_hash", "references_hash" or null, "lines", "equal_lines", "tokens",
//  "agreeing_tokens", "agreement", "bleu": {"f32", "packed", "difference"} or
//  null, "chrf": the same, "scored_against", "snr_db": {"encoder": [..],
//  "decoder": [..], "logits"}, "divergences": [{"line", "position",
//  "f32_token", "token"}], "worst_lines": [{"line", "chrf" or "agreement",
//  "source", "f32", "packed"}]}. Texts may be any bytes.
cli::Json CertificateJson(const Certificate& certificate);

// The certificate as a few lines of text.
std::string CertificateText(const Certificate& certificate);

// "98.60 % of 1002 tokens".
std::string AgreementText(const Certificate& certificate);

// "line 17, the worst", or "the text" if no line differs.
std::string WorstLineText(const Certificate& certificate);

}  // namespace latimer

#endif  // LATIMER_REPORT_CERTIFICATE_H_
