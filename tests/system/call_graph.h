// The call graph that GCC writes with -fcallgraph-info=su: which function calls
// which, and how much stack each one takes. See "Developer options" in GCC's
// manual; the format is VCG's, a line for each function and each call.
#ifndef LATIMER_TESTS_SYSTEM_CALL_GRAPH_H_
#define LATIMER_TESTS_SYSTEM_CALL_GRAPH_H_

#include <gtest/gtest.h>
#include <regex.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace latimer {

// What a function that matches `caller` may call through a pointer: every
// function that matches `callee`. Both are regular expressions. Of a table the
// first entry that matches a caller counts.
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
    std::ifstream file(path);
    ASSERT_TRUE(file.is_open()) << path;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("edge: ")) {
        functions_[Quoted(line, "sourcename")].callees.insert(
            Quoted(line, "targetname"));
      } else if (line.starts_with("node: ") &&
                 line.find("shape : ellipse") == std::string::npos) {
        AddFunction(Quoted(line, "title"), Quoted(line, "label"));
      }
    }
  }

  // The functions of the graph whose name matches. A name is the declaration
  // and, in brackets, the linker's symbol.
  std::vector<std::string> Find(const std::string& expression) const {
    const Regex regex(expression);
    std::vector<std::string> symbols;
    for (const auto& [symbol, function] : functions_) {
      if (function.defined && regex.Finds(function.name)) {
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
  // POSIX's: GCC 12 warns of std::regex with sanitizers.
  class Regex {
   public:
    explicit Regex(const std::string& expression) {
      EXPECT_EQ(regcomp(&regex_, expression.c_str(), REG_EXTENDED | REG_NOSUB),
                0)
          << expression;
    }
    ~Regex() { regfree(&regex_); }
    Regex(const Regex&) = delete;
    Regex& operator=(const Regex&) = delete;

    bool Finds(const std::string& text) const {
      return regexec(&regex_, text.c_str(), 0, nullptr, 0) == 0;
    }

   private:
    regex_t regex_;
  };

  struct Function {
    std::string name;
    uint64_t frame = 0;
    bool defined = false;
    bool unbounded = false;
    std::set<std::string> callees;
  };

  // The text in quotes after `key`.
  static std::string Quoted(const std::string& line, const char* key) {
    const std::string start = std::string(key) + ": \"";
    const size_t found = line.find(start);
    EXPECT_NE(found, std::string::npos) << line;
    if (found == std::string::npos) return "";
    const size_t begin = found + start.size();
    return line.substr(begin, line.find('"', begin) - begin);
  }

  // `label` is the declaration, the place and "16 bytes (static)", with the two
  // characters \n between them.
  void AddFunction(const std::string& symbol, const std::string& label) {
    const std::string usage = label.substr(label.rfind("\\n") + 2);
    unsigned long long bytes = 0;
    char kind[32] = "";
    ASSERT_EQ(
        std::sscanf(usage.c_str(), "%llu bytes (%31[a-z,])", &bytes, kind), 2)
        << label;
    Function& function = functions_[symbol];
    function.defined = true;
    function.name = label.substr(0, label.find("\\n")) + " [" + symbol + "]";
    // To align a frame for vectors takes less than 64 bytes more.
    if (std::string(kind) == "dynamic,bounded") bytes += 64;
    function.unbounded |= std::string(kind) == "dynamic";
    function.frame = std::max<uint64_t>(function.frame, bytes);
  }

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
    for (const IndirectCall& call : indirect_calls_) {
      if (!Regex(call.caller).Finds(function.name)) continue;
      const std::vector<std::string> pointees = Find(call.callee);
      EXPECT_FALSE(pointees.empty()) << "nothing matches " << call.callee;
      callees.insert(pointees.begin(), pointees.end());
      return;
    }
    ADD_FAILURE() << function.name << " calls through a pointer: say in the "
                  << "table what that may point to";
  }

  Path External(const std::string& symbol) {
    for (const Allowance& allowance : allowances_) {
      if (Regex("^(" + std::string(allowance.function) + ")$").Finds(symbol)) {
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
