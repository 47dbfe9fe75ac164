#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/requests.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::federation {

/// Modules that were read, and the FOM merged from them.
struct LoadedFom {
  std::vector<Document> documents;
  std::optional<Document> mim;
  std::vector<fom::Module> modules;
  std::shared_ptr<const fom::Module> own_mim;  // shared with FOMs of further modules
  fom::Fom fom;
  std::vector<std::string> warnings;  // of the modules, one line each
  FomTables tables;
  Blob encoded_tables;
};

/// Cache of the last merged FOMs, for the next federation with the same modules: merging dominates
/// the cost of short-lived federations.
class FomStore {
 public:
  /// Null: not cached, must be merged.
  std::shared_ptr<const LoadedFom> find(const std::vector<Document>& documents,
                                        const std::optional<Document>& mim) const {
    const auto same = [](const Document& a, const Document& b) {
      return a.name == b.name && a.text == b.text;
    };
    for (const auto& k : kept_) {
      if (k->mim.has_value() == mim.has_value() && (!mim || same(*k->mim, *mim)) &&
          std::equal(k->documents.begin(), k->documents.end(), documents.begin(), documents.end(),
                     same))
        return k;
    }
    return nullptr;
  }
  void put(std::shared_ptr<const LoadedFom> one) {
    std::size_t bytes = one->mim ? one->mim->text.size() : 0;
    for (const Document& d : one->documents) bytes += d.text.size();
    if (bytes > longest) return;
    if (kept_.size() == most) kept_.erase(kept_.begin());
    kept_.push_back(std::move(one));
  }

 private:
  static constexpr std::size_t most = 4, longest = 4u << 20;
  std::vector<std::shared_ptr<const LoadedFom>> kept_;
};

}  // namespace vernier::federation
