// The parts of `latimer doctor`: each adds a section to the report.
#ifndef LATIMER_CLI_DOCTOR_H_
#define LATIMER_CLI_DOCTOR_H_

#include "cli/arguments.h"
#include "cli/report.h"
#include "cli/session.h"

namespace latimer::cli {

// doctor.cc
void ReportProgram(Report& report);
void ReportCpu(const Arguments& arguments, Report& report);
void ReportMemory(Report& report);

// doctor_model.cc. Loads arguments.model into the session; false where that
// fails.
bool ReportModel(const Arguments& arguments, Session& session, Report& report);

// doctor_speed.cc. `session` holds a loaded model, or is null.
void ReportSpeed(const Arguments& arguments, Session* session, Report& report);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_DOCTOR_H_
