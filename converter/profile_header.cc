#include "converter/profile_header.h"

#include <cctype>
#include <fstream>
#include <sstream>
#include <string_view>

#include "latimer/internal/memory_plan.h"
#include "latimer/internal/profile_members.h"

namespace latimer {
namespace {

constexpr std::string_view kBegin =
    "// Profile of one model, written by latimer-convert --profile.";
// packaging/amalgamate.cmake reads this line.
constexpr std::string_view kWorkspace = "// Its workspace has ";

}  // namespace

bool IsProfileHeader(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  return std::getline(file, line) && line.starts_with(kBegin);
}

std::string ProfileName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    name +=
        std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return name;
}

std::string ProfileHeader(const Profile& profile) {
  std::string guard = "LATIMER_TARGETS_MODELS_";
  for (const char c : std::string(profile.name)) {
    guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  guard += "_H_";
  std::ostringstream out;
  out << std::boolalpha << kBegin << "\n"
      << kWorkspace << WorkspaceBytes(profile) << " bytes.\n"
      << "#ifndef " << guard << "\n#define " << guard << "\n\n"
      << "#include \"latimer/internal/profile.h\"\n\n"
      << "namespace latimer {\n\n"
      << "inline constexpr Profile kProfile = {\n"
      << "    .name = \"" << profile.name << "\",\n";
  ForEachMember([&](const auto& member) {
    out << "    ." << member.name << " = " << profile.*member.member << ",\n";
  });
  out << "};\n\n}  // namespace latimer\n\n#endif  // " << guard << "\n";
  return out.str();
}

}  // namespace latimer
