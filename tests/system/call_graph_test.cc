// The reader of call graphs finds everything that would make a stack bound
// wrong.

#include "tests/system/call_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "tests/converter/model_folder.h"

namespace latimer::call_graph_test {

using ::testing::ElementsAre;

constexpr IndirectCall kPointers[] = {{"run\\(", "task_[a-z]+\\("}};
constexpr Allowance kLibc[] = {{"puts", 100}};

std::string Node(const std::string& name, const std::string& stack) {
  return "node: { title: \"" + name + "\" label: \"void " + name +
         "()\\na.cc:1:2\\n" + stack + "\" }\n";
}

std::string Edge(const std::string& from, const std::string& to) {
  return "edge: { sourcename: \"" + from + "\" targetname: \"" + to +
         "\" label: \"a.cc:3:4\" }\n";
}

CallGraph::Path DeepestFromTop(const std::string& text) {
  const TempFolder folder;
  WriteFile(folder.path() / "a.ci", text);
  CallGraph graph(kPointers, kLibc);
  graph.Read(folder.path() / "a.ci");
  return graph.Deepest("top");
}

TEST(CallGraphTest, TakesTheDeepestPathAndNotTheLongest) {
  const CallGraph::Path path = DeepestFromTop(
      Node("top", "16 bytes (static)") + Node("one", "8 bytes (static)") +
      Node("two", "8 bytes (static)") + Node("big", "500 bytes (static)") +
      Edge("top", "one") + Edge("one", "two") + Edge("top", "big") +
      Edge("two", "puts"));
  EXPECT_EQ(path.bytes, 516u);
  EXPECT_THAT(path.calls,
              ElementsAre("16  void top() [top]", "500  void big() [big]"));
}

TEST(CallGraphTest, CountsFunctionsOfTheLibraryAndAlignment) {
  const CallGraph::Path path =
      DeepestFromTop(Node("top", "16 bytes (dynamic,bounded)") +
                     "node: { title: \"puts\" label: \"puts\\nstdio.h:1:2\" "
                     "shape : ellipse }\n" +
                     Edge("top", "puts"));
  EXPECT_EQ(path.bytes, 16u + 64u + 100u);
}

TEST(CallGraphTest, FollowsAPointerToAllThatTheTableNames) {
  const CallGraph::Path path = DeepestFromTop(
      Node("top", "1 bytes (static)") + Node("run", "2 bytes (static)") +
      Node("task_a", "30 bytes (static)") +
      Node("task_b", "40 bytes (static)") + Edge("top", "run") +
      Edge("run", "__indirect_call"));
  EXPECT_EQ(path.bytes, 43u);
}

TEST(CallGraphTest, SeesRecursion) {
  EXPECT_NONFATAL_FAILURE(
      DeepestFromTop(Node("top", "1 bytes (static)") +
                     Node("one", "1 bytes (static)") + Edge("top", "one") +
                     Edge("one", "top")),
      "recursion: top");
}

TEST(CallGraphTest, SeesAPointerThatIsNotInTheTable) {
  EXPECT_NONFATAL_FAILURE(DeepestFromTop(Node("top", "1 bytes (static)") +
                                         Edge("top", "__indirect_call")),
                          "calls through a pointer");
}

TEST(CallGraphTest, SeesAFunctionThatIsNotInTheTable) {
  EXPECT_NONFATAL_FAILURE(
      DeepestFromTop(Node("top", "1 bytes (static)") + Edge("top", "qsort")),
      "qsort is not in the graph");
}

TEST(CallGraphTest, SeesAFrameWithoutABound) {
  EXPECT_NONFATAL_FAILURE(DeepestFromTop(Node("top", "16 bytes (dynamic)")),
                          "without a bound");
}

}  // namespace latimer::call_graph_test
