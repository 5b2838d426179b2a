// The workspace of the tests of a program, which hold one model at a time. One
// of the profiles for any model has hundreds of megabytes of addresses.
#ifndef LATIMER_TESTS_SYSTEM_TEST_WORKSPACE_H_
#define LATIMER_TESTS_SYSTEM_TEST_WORKSPACE_H_

#include "latimer/translator.h"

namespace latimer {

// In .bss; touched only as far as the model goes.
inline Workspace test_workspace;

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_TEST_WORKSPACE_H_
