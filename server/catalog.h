// The models of the server, and which of them translate between two languages.
#ifndef LATIMER_SERVER_CATALOG_H_
#define LATIMER_SERVER_CATALOG_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "job.h"
#include "model.h"
#include "speech.h"

namespace latimer::server {

class Catalog {
 public:
  explicit Catalog(Metrics& metrics) : metrics_(metrics) {}
  // Translates what was submitted to its models, then ends them all.
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  // Loads "MODEL.ltm" or "en-de=MODEL.ltm". Without languages given, they are
  // those of a multilingual model, or at the end of the name that the model
  // has ("opus-mt-en-de") or its file. Returns what is wrong; empty: nothing.
  // Each model has so many workers, and keeps translations within so many
  // bytes. One whose languages the models before it translate is refused. One
  // that reads speech has a name, as in "whisper-1=MODEL.ltm", by default that
  // of its file.
  std::string Add(const std::string& argument, const LoadOptions& options,
                  uint32_t workers, size_t cache_bytes = 0);

  // The models on the way: one that translates directly, else two, preferably
  // by way of English. Empty: there is none. Takes public codes of languages or
  // a model's own.
  std::vector<Leg> Route(const std::string& source,
                         const std::string& target) const;

  // Languages that some model reads, those that some model reads or writes, and
  // all that can be reached from one.
  const std::set<std::string>& sources() const { return sources_; }
  std::set<std::string> Languages() const;
  std::set<std::string> Targets(const std::string& source) const;
  bool Knows(const std::string& language) const;

  // Models that read speech.
  const std::vector<std::unique_ptr<SpeechModel>>& speech() const {
    return speech_;
  }

 private:
  struct Served {
    std::unique_ptr<Model> model;
    // The model's own codes by the public ones; "" if it needs none.
    std::map<std::string, std::string> sources, targets;
  };

  std::string AddSpeech(const std::string& name, const std::string& path,
                        LoadOptions options, uint32_t workers);
  static const std::string* Find(
      const std::map<std::string, std::string>& languages,
      const std::string& code);
  // Whether some model translates each pair of its languages.
  bool Replaces(const Served& served) const;
  static bool Direct(const Served& served, const std::string& source,
                     const std::string& target, Leg* leg);

  Metrics& metrics_;
  std::vector<Served> models_;
  std::vector<std::unique_ptr<SpeechModel>> speech_;
  std::set<std::string> sources_, targets_;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_CATALOG_H_
