#include "cli/bill.h"

#include <cstdio>
#include <cstring>

#include "latimer/board_list.h"
#include "latimer/memory.h"

namespace latimer {
namespace {

using Json = nlohmann::ordered_json;

std::string Line(const std::string& name, uint64_t bytes) {
  char text[96];
  std::snprintf(text, sizeof(text), "  %-18s %14llu bytes  %9.2f MB\n",
                name.c_str(), static_cast<unsigned long long>(bytes),
                static_cast<double>(bytes) / 1e6);
  return text;
}

std::string Section(const std::string& title, const Json& items,
                    uint64_t total) {
  std::string text = title + "\n";
  for (const auto& [name, bytes] : items.items()) {
    text += Line(name, bytes.get<uint64_t>());
  }
  return text + Line("total", total);
}

}  // namespace

Json MakeBill(const ModelInfo& info, const Profile& profile) {
  const ModelSizes& s = info.sizes;
  Json flash;
  flash["encoder"] = s.encoder;
  flash["cross_kv"] = s.cross_kv;
  flash["decoder"] = s.decoder;
  flash["output"] = s.output;
  flash["embeddings"] = s.embeddings;
  flash["positions"] = s.positions;
  flash["tokenizer"] = s.tokenizer;
  if (s.shortlist != 0) flash["shortlist"] = s.shortlist;
  uint64_t listed = 0;
  for (const auto& [name, bytes] : flash.items()) {
    listed += bytes.get<uint64_t>();
  }
  flash["structure"] = s.file - listed;
  Json ram;
  for (int i = 0; i < kBufferCount; ++i) {
    const auto buffer = static_cast<Buffer>(i);
    const BufferPlan plan = PlanBuffer(profile, buffer);
    ram[plan.name] = plan.bytes;
  }
  ram["stacks"] =
      RamBytes(profile) - WorkspaceBytes(profile) - profile.copied_image_bytes;
  if (profile.copied_image_bytes != 0) {
    ram["copied_image"] = profile.copied_image_bytes;
  }
  Json bill;
  bill["flash_bytes"] = s.file;
  bill["flash"] = flash;
  bill["ram_bytes"] = RamBytes(profile);
  bill["ram"] = ram;
  bill["workspace_bytes"] = WorkspaceBytes(profile);
  bill["weight_bytes_per_token"] = s.streamed_per_token;
  bill["profile"] = {{"name", profile.name},
                     {"source_tokens", profile.source_tokens},
                     {"target_tokens", profile.target_tokens},
                     {"threads", profile.threads}};
  return bill;
}

std::string BillText(const Json& bill) {
  const Json& profile = bill.at("profile");
  std::string text = Section("Flash (the model file)", bill.at("flash"),
                             bill.at("flash_bytes").get<uint64_t>());
  text +=
      Section("RAM (workspace and stacks) for " +
                  std::to_string(profile.at("source_tokens").get<uint32_t>()) +
                  " source and " +
                  std::to_string(profile.at("target_tokens").get<uint32_t>()) +
                  " target tokens",
              bill.at("ram"), bill.at("ram_bytes").get<uint64_t>());
  return text + "Weights read per generated token\n" +
         Line("decoder and output",
              bill.at("weight_bytes_per_token").get<uint64_t>());
}

const Board* FindBoard(const std::string& name) {
  for (const Board& board : kBoards) {
    if (name == board.name) return &board;
  }
  return nullptr;
}

std::string BoardNames() {
  std::string names;
  for (const Board& board : kBoards) {
    names += std::string(names.empty() ? "" : ", ") + board.name;
  }
  return names;
}

const char* F32TileOf(const Board& board) {
  // Scalar kernels have a layout of their own.
  return std::strcmp(board.isas, "scalar") == 0 ? "4x1" : "8x1";
}

bool ReadsTile(const Board& board, const ModelInfo& info) {
  if (std::strcmp(info.weights, "f16") == 0) return true;
  const bool int8 = std::strcmp(info.weights, "int8") == 0;
  return std::strcmp(info.tile, int8 ? board.tile : F32TileOf(board)) == 0;
}

std::string FitText(uint64_t needed_bytes, uint64_t ram_bytes,
                    const std::string& where) {
  char text[256];
  const bool fits = needed_bytes <= ram_bytes;
  std::snprintf(text, sizeof(text),
                "%s: %s: %llu bytes of RAM needed, %llu there (%.1f %%).\n",
                where.c_str(), fits ? "fits" : "DOES NOT FIT",
                static_cast<unsigned long long>(needed_bytes),
                static_cast<unsigned long long>(ram_bytes),
                100.0 * static_cast<double>(needed_bytes) /
                    static_cast<double>(ram_bytes));
  return text;
}

}  // namespace latimer
