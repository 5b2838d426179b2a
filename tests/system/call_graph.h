// The call graph that GCC writes with -fcallgraph-info=su: which function calls
// which, and how much stack each one takes. See "Developer options" in GCC's
// manual; the format is VCG's, a line for each function and each call.
#ifndef LATIMER_TESTS_SYSTEM_CALL_GRAPH_H_
#define LATIMER_TESTS_SYSTEM_CALL_GRAPH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace latimer {

// What a function that matches `caller` may call through a pointer: every
// function that matches `callee`. Both are regular expressions.
struct IndirectCall {
  const char* caller;
  const char* callee;
};

// Stack that a function outside the graph takes, with all that it calls.
struct Allowance {
  const char* function;  // regular expression for the whole name
  uint64_t bytes;
};

class CallGraph {
 public:
  // A chain of calls, and the stack that it takes.
  struct Path {
    uint64_t bytes = 0;
    std::vector<std::string> calls;  // "bytes  function"
  };

  CallGraph(std::span<const IndirectCall> indirect_calls,
            std::span<const Allowance> allowances)
      : indirect_calls_(indirect_calls), allowances_(allowances) {}

  // Adds a .ci file. A function that is in several, such as an inline one,
  // counts with its largest frame and with all calls.
  void Read(const std::string& path) {
    static const std::regex node(
        R"re(node: \{ title: "([^"]*)" label: "([^"]*)"( shape : ellipse)? \})re");
    static const std::regex edge(
        R"re(edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)".*)re");
    static const std::regex usage(R"re(.*\\n(\d+) bytes \(([a-z,]+)\).*)re");
    std::ifstream file(path);
    ASSERT_TRUE(file.is_open()) << path;
    std::smatch match, stack;
    for (std::string line; std::getline(file, line);) {
      if (std::regex_match(line, match, edge)) {
        functions_[match[1]].callees.insert(match[2]);
      } else if (std::regex_match(line, match, node) && !match[3].matched) {
        const std::string label = match[2];
        ASSERT_TRUE(std::regex_match(label, stack, usage)) << path << line;
        Function& function = functions_[match[1]];
        function.defined = true;
        function.name =
            label.substr(0, label.find("\\n")) + " [" + match[1].str() + "]";
        uint64_t bytes = std::stoull(stack[1]);
        // To align a frame for vectors takes less than 64 bytes more.
        if (stack[2] == "dynamic,bounded") bytes += 64;
        function.unbounded |= stack[2] == "dynamic";
        function.frame = std::max(function.frame, bytes);
      }
    }
  }

  // The functions of the graph whose name matches. A name is the declaration
  // and, in brackets, the linker's symbol.
  std::vector<std::string> Find(const std::string& expression) const {
    const std::regex regex(expression);
    std::vector<std::string> symbols;
    for (const auto& [symbol, function] : functions_) {
      if (function.defined && std::regex_search(function.name, regex)) {
        symbols.push_back(symbol);
      }
    }
    return symbols;
  }

  // The path from `symbol` down that takes the most stack. Whatever makes the
  // answer uncertain is a failure of the test.
  const Path& Deepest(const std::string& symbol) {
    const std::string resolved = Resolve(symbol);
    if (const auto known = paths_.find(resolved); known != paths_.end()) {
      EXPECT_FALSE(known->second.calls.empty()) << "recursion: " << resolved;
      return known->second;
    }
    paths_[resolved];  // Empty while it is being worked out.
    Path path = functions_[resolved].defined ? DeepestOf(functions_[resolved])
                                             : External(resolved);
    return paths_[resolved] = std::move(path);
  }

 private:
  struct Function {
    std::string name;
    uint64_t frame = 0;
    bool defined = false;
    bool unbounded = false;
    std::set<std::string> callees;
  };

  // Constructors and destructors have several symbols for one body.
  std::string Resolve(const std::string& symbol) const {
    const auto defined = [&](const std::string& name) {
      const auto found = functions_.find(name);
      return found != functions_.end() && found->second.defined;
    };
    for (const char* kind : {"C1E", "D1E"}) {
      const size_t at = symbol.rfind(kind);
      if (defined(symbol) || at == std::string::npos) continue;
      std::string other = symbol;
      other[at + 1] = '2';
      if (defined(other)) return other;
    }
    return symbol;
  }

  Path DeepestOf(const Function& function) {
    EXPECT_FALSE(function.unbounded)
        << function.name << " takes stack without a bound (alloca or VLA)";
    std::set<std::string> callees = function.callees;
    if (callees.erase("__indirect_call") > 0) AddPointees(function, callees);
    Path path;
    for (const std::string& callee : callees) {
      const Path& deeper = Deepest(callee);
      if (deeper.bytes > path.bytes) path = deeper;
    }
    path.bytes += function.frame;
    path.calls.insert(path.calls.begin(),
                      std::to_string(function.frame) + "  " + function.name);
    return path;
  }

  void AddPointees(const Function& function, std::set<std::string>& callees) {
    bool known = false;
    for (const IndirectCall& call : indirect_calls_) {
      if (!std::regex_search(function.name, std::regex(call.caller))) continue;
      known = true;
      const std::vector<std::string> pointees = Find(call.callee);
      EXPECT_FALSE(pointees.empty()) << "nothing matches " << call.callee;
      callees.insert(pointees.begin(), pointees.end());
    }
    EXPECT_TRUE(known) << function.name << " calls through a pointer: say in "
                       << "the table what that may point to";
  }

  Path External(const std::string& symbol) {
    for (const Allowance& allowance : allowances_) {
      if (std::regex_match(symbol, std::regex(allowance.function))) {
        return {
            allowance.bytes,
            {std::to_string(allowance.bytes) + "  " + symbol + " (allowance)"}};
      }
    }
    ADD_FAILURE() << symbol << " is not in the graph: say in the table how "
                  << "much stack it may take";
    return {0, {"?  " + symbol}};
  }

  const std::span<const IndirectCall> indirect_calls_;
  const std::span<const Allowance> allowances_;
  std::map<std::string, Function> functions_;
  std::map<std::string, Path> paths_;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_CALL_GRAPH_H_
