// The model's section in the report of `latimer doctor`.
#ifndef LATIMER_CLI_DOCTOR_H_
#define LATIMER_CLI_DOCTOR_H_

#include "cli/arguments.h"
#include "cli/report.h"
#include "cli/session.h"

namespace latimer::cli {

// Loads arguments.model into the session; false if that fails.
bool ReportModel(const Arguments& arguments, Session& session, Report& report);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_DOCTOR_H_
