#include "report/bill.h"

#include <cinttypes>
#include <cstring>

#include "latimer/board_list.h"
#include "latimer/internal/memory_plan.h"
#include "latimer/latimer.h"
#include "report/board_file.h"

namespace latimer {

using cli::Format;
using cli::Json;

namespace {

std::string Line(const std::string& name, uint64_t bytes) {
  return Format("  %-18s %14" PRIu64 " bytes  %9.2f MB\n", name.c_str(), bytes,
                static_cast<double>(bytes) / 1e6);
}

std::string Section(const std::string& title, const Json& items,
                    uint64_t total) {
  std::string text = title + "\n";
  for (const auto& [name, bytes] : items.items()) {
    text += Line(name, bytes.get<uint64_t>());
  }
  return text + Line("total", total);
}

// What --room-for takes of the RAM.
std::string RoomText(const Json& bill) {
  if (!bill.contains("room_for")) return "";
  std::string text = "What --room-for takes of that\n";
  for (const auto& [name, bytes] : bill.at("room_for").items()) {
    text += Line(name, bytes.get<uint64_t>());
  }
  return text;
}

}  // namespace

Json MakeBill(const ModelDescription& info, const Profile& profile) {
  const ModelSizes& s = info.sizes;
  Json flash = {{"encoder", s.encoder},       {"cross_kv", s.cross_kv},
                {"decoder", s.decoder},       {"output", s.output},
                {"embeddings", s.embeddings}, {"positions", s.positions},
                {"tokenizer", s.tokenizer}};
  if (s.shortlist != 0) flash["shortlist"] = s.shortlist;
  uint64_t structure = s.file;
  for (const Json& bytes : flash) structure -= bytes.get<uint64_t>();
  flash["structure"] = structure;
  Json ram;
  for (int i = 0; i < kBufferCount; ++i) {
    const BufferPlan plan = PlanBuffer(profile, static_cast<Buffer>(i));
    // Models that read text know no features.
    if (static_cast<Buffer>(i) == Buffer::kFeatures && plan.bytes == 0)
      continue;
    ram[plan.name] = plan.bytes;
  }
  ram["stacks"] =
      RamBytes(profile) - WorkspaceBytes(profile) - profile.copied_image_bytes;
  if (profile.copied_image_bytes != 0) {
    ram["copied_image"] = profile.copied_image_bytes;
  }
  return {{"flash_bytes", s.file},
          {"flash", flash},
          {"ram_bytes", RamBytes(profile)},
          {"ram", ram},
          {"workspace_bytes", WorkspaceBytes(profile)},
          {"c_workspace_bytes",
           LATIMER_WORKSPACE_BYTES_FOR(WorkspaceBytes(profile))},
          {"weight_bytes_per_token", s.streamed_per_token},
          // The rows that a shortlist allows are copied from all parts.
          {"weight_bytes_per_sentence",
           s.encoder + s.cross_kv + (info.has_shortlist ? s.output : 0)},
          {"profile",
           {{"name", profile.name},
            {"source_tokens", profile.source_tokens},
            {"target_tokens", profile.target_tokens},
            {"threads", profile.threads}}}};
}

std::string BillText(const Json& bill) {
  const Json& profile = bill.at("profile");
  const auto bytes = [&bill](const char* name) {
    return bill.at(name).get<uint64_t>();
  };
  return Section("Flash (the model file)", bill.at("flash"),
                 bytes("flash_bytes")) +
         Section(Format("RAM (workspace and stacks) for %u source and %u "
                        "target tokens",
                        profile.at("source_tokens").get<unsigned>(),
                        profile.at("target_tokens").get<unsigned>()),
                 bill.at("ram"), bytes("ram_bytes")) +
         "The workspace alone, as static memory\n" +
         Line("C++", bytes("workspace_bytes")) +
         Line("C", bytes("c_workspace_bytes")) + RoomText(bill) +
         "Weights that are read, and should stay in RAM beside that if the "
         "file is mapped\n" +
         Line("per sentence", bytes("weight_bytes_per_sentence")) +
         Line("per token", bytes("weight_bytes_per_token"));
}

const Board* FindBoard(const std::string& name, std::string* error) {
  if (IsBoardFile(name)) {
    static BoardFile file;
    *error = ReadBoardFile(name, &file);
    return error->empty() ? &file.board : nullptr;
  }
  for (const Board& board : kBoards) {
    if (name == board.name) return &board;
  }
  *error = "--board " + name + ": the boards are " + BoardNames() +
           "; or give a board file, NAME.cmake.";
  return nullptr;
}

std::string BoardNames() {
  std::string names;
  for (const Board& board : kBoards) {
    names.append(names.empty() ? "" : ", ").append(board.name);
  }
  return names;
}

const char* F32TileOf(const Board& board) {
  // Scalar kernels have a layout of their own.
  return std::strncmp(board.isas, "scalar", 6) == 0 ? "4x1" : "8x1";
}

const char* TileOf(const Board& board, const ModelDescription& info) {
  if (std::strcmp(info.weights, "f16") == 0) return info.tile;  // The only one.
  const bool int8 = std::strcmp(info.weights, "int8") == 0;
  return int8 ? board.tile : F32TileOf(board);
}

bool ReadsTile(const Board& board, const ModelDescription& info) {
  return std::strcmp(info.tile, TileOf(board, info)) == 0;
}

std::string PackCommand(const std::string& board_name,
                        const ModelDescription& info) {
  const std::string weights = info.int4_matrices > 0   ? "int4"
                              : info.int6_matrices > 0 ? "int6"
                                                       : info.weights;
  return Format("latimer-convert MODEL -o FILE --board %s%s",
                board_name.c_str(),
                weights == "int8" ? "" : (" --weights " + weights).c_str());
}

std::string FitText(uint64_t needed_bytes, uint64_t ram_bytes,
                    const std::string& where) {
  return Format(
      "%s: %s: %" PRIu64 " bytes of RAM needed, %" PRIu64 " there (%.1f %%).\n",
      where.c_str(), needed_bytes <= ram_bytes ? "fits" : "DOES NOT FIT",
      needed_bytes, ram_bytes,
      100.0 * static_cast<double>(needed_bytes) /
          static_cast<double>(ram_bytes));
}

uint32_t LongestThatFits(const ModelDescription& info, ProfileLimits limits,
                         uint64_t ram_bytes) {
  uint32_t fits = 0;
  uint32_t too_long = 1 + std::min(info.architecture.source_positions,
                                   info.generation.max_target_tokens);
  while (too_long - fits > 1) {
    const uint32_t tokens = fits + (too_long - fits) / 2;
    limits.source_tokens = std::max(tokens, info.generation.source_length);
    limits.target_tokens = tokens;
    const Result<Profile> profile = ExactProfile(info, limits, "");
    (RamBytes(*profile) <= ram_bytes ? fits : too_long) = tokens;
  }
  return fits;
}

std::string LongestText(const ModelDescription& info, uint32_t longest) {
  if (longest == 0) return "No sentence length makes it fit.";
  return Format(
      "It would fit with --max-source-tokens %u --max-target-tokens %u.",
      static_cast<unsigned>(std::max(longest, info.generation.source_length)),
      static_cast<unsigned>(longest));
}

std::string WeightsText(const Json& bill, uint64_t ram_bytes,
                        const std::string& where) {
  const auto needed = bill.at("ram_bytes").get<uint64_t>();
  if (bill.at("ram").contains("copied_image") || needed > ram_bytes) return "";
  const uint64_t left = ram_bytes - needed;
  const auto token = bill.at("weight_bytes_per_token").get<uint64_t>();
  const auto sentence = bill.at("weight_bytes_per_sentence").get<uint64_t>();
  if (token + sentence <= left) return "";
  const bool each_token = token > left;
  return Format(
      "%s: WARNING: it leaves %" PRIu64
      " bytes for the weights, and each %s "
      "reads %" PRIu64
      ": the system would read them from storage again for "
      "each %s. Smaller weights (--weights int4), fewer words (--keep-vocab) "
      "or shorter sentences make room.\n",
      where.c_str(), left, each_token ? "token" : "sentence",
      each_token ? token : token + sentence, each_token ? "token" : "sentence");
}

std::string WeightsText(const Json& bill, const Board& board) {
  if (board.flash_bytes == 0) {
    return WeightsText(bill, board.ram_bytes, board.name);
  }
  if (HoldsImage(bill, board)) return "";
  const auto model = bill.at("flash_bytes").get<uint64_t>();
  return Format("%s: DOES NOT FIT: %" PRIu64
                " bytes of flash needed for the model alone, %" PRIu64
                " there.\n",
                board.name, model, board.flash_bytes);
}

bool HoldsImage(const Json& bill, const Board& board) {
  return board.flash_bytes == 0 ||
         bill.at("flash_bytes").get<uint64_t>() <= board.flash_bytes;
}

bool Fits(const Json& bill, const Board& board) {
  return bill.at("ram_bytes").get<uint64_t>() <= board.ram_bytes &&
         HoldsImage(bill, board);
}

}  // namespace latimer
