#include "cli/session.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/image.h"
#include "latimer/signature.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

InfoScratch info_scratch;

// Takes only addresses from the system; pages follow when they are touched.
std::span<std::byte> TakeAddresses(size_t bytes) {
  auto* const address =
      static_cast<std::byte*>(AllocatePages(bytes, /*all=*/false));
  return {address, address == nullptr ? 0 : bytes};
}

// Of the model that is open.
LoadOptions LoadOptionsFor(const Arguments& arguments, uint32_t lanes,
                           std::span<const std::byte> image) {
  // No number is less than any.
  std::optional<uint32_t> beams =
      std::max({IfGiven(arguments.beams), arguments.options.beams,
                arguments.options.alternatives});
  ModelDescription info;
  if (arguments.n_best > 1 && !beams &&
      ReadModelInfo(image, /*verify_checksum=*/false, &info_scratch, &info)
          .ok()) {
    beams = BeamsFor(arguments, info);
  }
  return {.threads = arguments.threads,
          // Those of several workers would be bound to the same processors.
          .pin_threads = arguments.threads > 1 && arguments.workers <= 1,
          .lanes = IfGiven(lanes),
          .beams = beams,
          .attention = arguments.draw_attention != nullptr,
          .scores = arguments.scores || arguments.json_lines,
          .alignment =
              !arguments.ids || arguments.alignment || arguments.json_lines,
          .verify_checksum = arguments.verify_checksum,
          .cpu = arguments.cpu};
}

Result<PublicKey> ReadKey(const char* path) {
  char text[4096];
  std::FILE* file = OpenStream(path, "rb");
  const size_t bytes =
      file == nullptr ? 0 : std::fread(text, 1, sizeof(text), file);
  const int error = file == nullptr || std::ferror(file) != 0 ? errno : 0;
  if (file != nullptr) std::fclose(file);
  if (error == 0) return ParsePublicKey({text, bytes});
  return Status::Error(StatusCode::kResourceUnavailable,
                       "cannot read the key (%s).", std::strerror(error));
}

Status Verify(std::span<const std::byte> image, const char* key_path) {
  const Result<PublicKey> key = ReadKey(key_path);
  if (!key.ok()) {
    return Status::Error(key.status().code(), "--require-signature %s: %s",
                         key_path, key.status().message());
  }
  return VerifySignature(image, *key);
}

}  // namespace

std::optional<uint32_t> BeamsFor(const Arguments& arguments,
                                 const ModelDescription& info) {
  const TranslateOptions& options = arguments.options;
  const bool asks_for_more = !options.beams && !options.alternatives &&
                             arguments.n_best > info.generation.search.beams;
  if (asks_for_more) return std::min(arguments.n_best, kProfile.beams);
  return options.beams;
}

Status Session::OpenOnce(const Arguments& arguments) {
  if (!image_.empty()) return Status();
  std::span<const std::byte> image;
  LATIMER_RETURN_IF_ERROR(OpenImage(arguments.model, arguments.copy, &image));
  if (arguments.require_signature != nullptr) {
    LATIMER_RETURN_IF_ERROR(Verify(image, arguments.require_signature));
  }
  image_ = image;
  return Status();
}

Result<size_t> Session::WorkspaceBytes(const LoadOptions& options) const {
  ModelDescription info;
  Status status =
      ReadModelInfo(image_, /*verify_checksum=*/false, &info_scratch, &info);
  if (!status.ok() && options.verify_checksum) {
    // Of a damaged file the checksum says more than what is found first.
    status =
        ReadModelInfo(image_, /*verify_checksum=*/true, &info_scratch, &info);
  }
  if (!status.ok()) return status;
  return static_cast<size_t>(PlanWorkspace(info, options).roomy_bytes);
}

Status Session::Reserve(const LoadOptions& options) {
  const Result<size_t> needed = WorkspaceBytes(options);
  if (!needed.ok()) return needed.status();
  workspace_ = TakeAddresses(*needed);
  if (!workspace_.empty()) return Status();
  const char* const why = std::strerror(errno);
  const size_t bytes = *needed;
  if (options.lanes == 1) {
    return Status::Error(StatusCode::kResourceUnavailable,
                         "cannot reserve the workspace of %zu bytes (%s).",
                         bytes, why);
  }
  LoadOptions one = options;
  one.lanes = 1;
  return Status::Error(
      StatusCode::kResourceUnavailable,
      "cannot reserve the workspace of %zu bytes (%s); --lanes 1 needs %llu.",
      bytes, why, static_cast<unsigned long long>(*WorkspaceBytes(one)));
}

uint32_t Session::LanesFor(const Arguments& arguments) {
  if (arguments.lanes != 0) return arguments.lanes;
  // With a shortlist each lane reads rows of the output matrix that only its
  // sentence needs. Those of more lanes do not fit the caches of usual CPUs.
  constexpr uint32_t kMostWithShortlist = std::min(kProfile.lanes, 8u);
  ModelDescription info;
  const bool has_shortlist =
      OpenOnce(arguments).ok() &&
      ReadModelInfo(image_, /*verify_checksum=*/false, &info_scratch, &info)
          .ok() &&
      info.has_shortlist;
  return has_shortlist ? kMostWithShortlist : kProfile.lanes;
}

Status Session::Load(const Arguments& arguments, uint32_t lanes) {
  LATIMER_RETURN_IF_ERROR(OpenOnce(arguments));
  const LoadOptions options = LoadOptionsFor(arguments, lanes, image_);
  if (workspace_.empty()) LATIMER_RETURN_IF_ERROR(Reserve(options));
  return translator_.Load(image_, workspace_, options);
}

bool Session::Open(const Arguments& arguments, uint32_t lanes) {
  const Status status = Load(arguments, lanes);
  return status.ok() || Fail(arguments, status) == kSuccess;
}

bool Session::OpenBoth(Session& first, const Arguments& of_first,
                       Session& second, const Arguments& of_second,
                       uint32_t lanes) {
  struct Model {
    Session& session;
    const Arguments& arguments;
    size_t bytes = 0;
  };
  Model models[] = {{first, of_first}, {second, of_second}};
  for (Model& model : models) {
    const Status status = model.session.OpenOnce(model.arguments);
    if (!status.ok()) return Fail(model.arguments, status) == kSuccess;
    const Result<size_t> bytes = model.session.WorkspaceBytes(
        LoadOptionsFor(model.arguments, lanes, model.session.image_));
    if (!bytes.ok()) return Fail(model.arguments, bytes.status()) == kSuccess;
    model.bytes = *bytes;
  }
  const std::span<std::byte> both =
      TakeAddresses(models[0].bytes + models[1].bytes);
  if (both.empty()) {
    std::fprintf(stderr,
                 "latimer: cannot reserve the workspaces of %zu and %zu bytes "
                 "(%s).\n",
                 models[0].bytes, models[1].bytes, std::strerror(errno));
    return false;
  }
  first.workspace_ = both.first(models[0].bytes);
  second.workspace_ = both.subspan(models[0].bytes);
  return first.Open(of_first, lanes) && second.Open(of_second, lanes);
}

Status Session::AddWorker(const Arguments& arguments, uint32_t lanes) {
  const std::span<std::byte> workspace = TakeAddresses(workspace_.size());
  if (workspace.empty()) {
    return Status::Error(
        StatusCode::kResourceUnavailable,
        "cannot reserve the workspace of worker %zu, %zu bytes (%s); use fewer "
        "--workers.",
        workers_.size() + 2, workspace_.size(), std::strerror(errno));
  }
  LoadOptions options = LoadOptionsFor(arguments, lanes, image_);
  options.verify_checksum = false;  // Once is enough.
  Status status = workers_.emplace_back().Load(image_, workspace, options);
  if (!status.ok()) workers_.pop_back();
  return status;
}

std::vector<Translator*> Session::translators() {
  std::vector<Translator*> all = {&translator_};
  for (Translator& worker : workers_) all.push_back(&worker);
  return all;
}

bool Session::ReadInfo(const Arguments& arguments, ModelDescription* info) {
  Status status = OpenOnce(arguments);
  if (status.ok()) {
    status =
        ReadModelInfo(image_, arguments.verify_checksum, &info_scratch, info);
  }
  return status.ok() || Fail(arguments, status) == kSuccess;
}

int Fail(const Arguments& arguments, const Status& status) {
  std::fprintf(stderr, "latimer: %s: %s\n", arguments.model, status.message());
  return kFailure;
}

std::vector<std::string> KernelNames(const Translator& translator) {
  std::vector<std::string> names;
  for (int i = 0; const char* name = Internals::KernelName(translator, i);
       ++i) {
    names.emplace_back(name);
  }
  return names;
}

}  // namespace latimer::cli
