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

/// The documents of a composition. Each file is opened and compiled once, so that the same content
/// is checked, run, hashed and stored with the results.
class Sources {
 public:
  /// `moved`: where files are that documents name, if not there.
  explicit Sources(MovedFiles moved = {})
      : moved_(std::make_shared<const MovedFiles>(std::move(moved))) {}

  const MovedFiles& moved() const noexcept { return *moved_; }
  const std::shared_ptr<const MovedFiles>& shared_moved() const noexcept { return moved_; }
  /// Takes a text instead of the file's content. Before the file is read.
  void put(const std::filesystem::path&, std::string text);
  /// Null, after a report, when the file cannot be read.
  const std::string* content(const std::filesystem::path&, Diagnostics& problems);
  /// The earlier result of content(); null: none.
  const std::string* find(const std::filesystem::path&) const;

  /// The model in a document; null when there is none. Its problems go into `problems`, unless
  /// null; if it is not a model, at the place where it was first `named`.
  const Type* type(const std::filesystem::path&, const Place& named, const Catalogue&,
                   Diagnostics* problems);

  /// An instance: a system or a component, depending on its type.
  struct Made {
    std::unique_ptr<hybrid::System> system = {};
    std::unique_ptr<Component> component = {};
  };
  /// Creates an instance, or reuses one that was put back with the same document, parameters and
  /// settings. Throws what the type throws.
  Made make(const Type&, const Instance&, const RunSettings&, const Parameters&);
  /// Keeps an instance for the next make() with the same settings. Only for one without parameters
  /// of its own.
  void put_back(Made, const Instance&, const RunSettings&);

  /// Files that were read because documents of models refer to them; each once.
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

  std::shared_ptr<const MovedFiles> moved_;
  std::map<std::filesystem::path, std::string> contents_;  // by absolute path
  std::map<std::filesystem::path, Model> models_;          // as named
  Spare spare_;
};

}  // namespace vernier::composition
