#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::composition {

/// The documents that a composition is made of. Each file is opened once and compiled once, so that
/// what was checked is what runs, what is hashed and what is kept beside the results.
class Sources {
 public:
  /// Null when the file cannot be read; then reports why.
  const std::string* content(const std::filesystem::path&, Diagnostics& problems);
  /// What content() gave before; null: nothing.
  const std::string* find(const std::filesystem::path&) const;

  /// The model in a document; null when there is none. What is wrong with it goes into `problems`,
  /// unless null; when it is no model, at the place where it was `named` first.
  const Type* type(const std::filesystem::path&, const Place& named, const Catalogue&,
                   Diagnostics* problems);

  /// An instance, by the one or the other of its type.
  struct Made {
    std::unique_ptr<hybrid::System> system = {};
    std::unique_ptr<Component> component = {};
  };
  /// Makes an instance; one that was put back with the same document, parameters and settings
  /// serves. Throws what the type throws.
  Made make(const Type&, const Instance&, const RunSettings&, const Parameters&);
  /// For the next make() of the same instance with the same settings. Only of one without
  /// parameters of its own.
  void put_back(Made, const Instance&, const RunSettings&);

  /// Files that the documents of models name, and that were read with them; each once.
  std::vector<std::filesystem::path> files() const;

 private:
  struct Model {
    Type type;
    Diagnostics found;
  };
  struct Spare {
    Made made;
    std::string name;
    std::filesystem::path file;
    std::uint64_t seed = 0;
    Arithmetic arithmetic = {};
  };

  Model compiled(const std::filesystem::path&, const Place& named, const Catalogue&);

  std::map<std::filesystem::path, std::string> contents_;  // by absolute path
  std::map<std::filesystem::path, Model> models_;          // as named
  Spare spare_;
};

}  // namespace vernier::composition
