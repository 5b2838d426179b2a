// main() of the test programs. `PROGRAM NAME` runs the tests of NAME.cc only;
// gtest's own options work as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

// Selects the tests of the source file `name`.cc. Returns how many there are.
int SelectTestsOf(const std::string& name) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const std::string end = "/" + name + ".cc";
  std::string filter;
  int selected = 0;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (!std::string(test.file()).ends_with(end)) continue;
      filter += std::string(suite.name()) + "." + test.name() + ":";
      ++selected;
    }
  }
  GTEST_FLAG_SET(filter, filter);
  return selected;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc > 1 && SelectTestsOf(argv[1]) == 0) {
    std::fprintf(stderr, "%s has no tests of %s.cc\n", argv[0], argv[1]);
    return 1;
  }
  return RUN_ALL_TESTS();
}
