#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/native_code.hpp"
#include "vernier/kernel/constrained/element.hpp"

/// User elements. A shared object lists its kinds of elements with VERNIER_ELEMENTS; a program
/// loads it at run time with UserElements. Both must be built with the same headers by compatible
/// compilers, which is checked.
namespace vernier::constrained {

/// Increases with each change of element.hpp or of this file.
inline constexpr std::uint32_t element_interface_version = 1;

struct UserParameter {
  const char* name;
  const char* unit = "1";
  const char* description = "";
  double initial = std::numeric_limits<double>::quiet_NaN();  // not a number: must be given
};

/// The arguments of one instance.
struct UserArguments {
  std::span<const int> nodes;    // or ground
  std::span<const int> scalars;  // scalar nodes
  std::span<const int> drives;
  std::span<const double> parameters;    // in SI, in the order of the list
  std::span<const NodeState> reference;  // of `nodes`, at the model's start
};

struct UserElementKind {
  const char* name;
  const char* description;
  int nodes = 0, scalars = 0, drives = 0;  // how many it connects
  std::span<const UserParameter> parameters = {};
  /// Throws std::invalid_argument, in the user's terms, for parameters that no element can have.
  std::unique_ptr<const Element> (*make)(const UserArguments&) = nullptr;
};

/// The result of the entry point. The first two fields never change.
struct UserElementList {
  std::uint32_t version;
  std::uint32_t layout;
  std::span<const UserElementKind> kinds;
};

/// Differs between compilers or headers that are incompatible.
constexpr std::uint32_t element_interface_layout() noexcept {
  std::uint32_t h = 2166136261u;
  for (const std::size_t n :
       {sizeof(Shape), sizeof(Point), sizeof(Contribution), sizeof(NodeState), sizeof(Measure),
        sizeof(DriveState), sizeof(UserElementKind), sizeof(UserParameter), sizeof(std::string),
        sizeof(std::vector<int>)}) {
    h = (h ^ static_cast<std::uint32_t>(n)) * 16777619u;
  }
  return h;
}

/// VERNIER_ELEMENTS(kinds): the entry point; `kinds` is an array of UserElementKind that lasts.
#define VERNIER_ELEMENTS(kinds_)                                                                 \
  extern "C" __attribute__((visibility("default"))) const vernier::constrained::UserElementList* \
  vernier_elements() {                                                                           \
    static const vernier::constrained::UserElementList list = {                                  \
        vernier::constrained::element_interface_version,                                         \
        vernier::constrained::element_interface_layout(), kinds_};                               \
    return &list;                                                                                \
  }

/// A loaded shared object. Its elements keep it loaded.
class UserElements {
 public:
  /// Throws ConfigurationError (V1717, and those of NativeCode::load()), which names the file and
  /// the remedy. The path is that of the file; nothing is searched for. A program that chooses the
  /// file itself passes *code_of({path}).
  UserElements(const std::filesystem::path&, NativeCode&);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::span<const UserElementKind> kinds() const noexcept { return kinds_; }
  /// Null if there is no such kind.
  const UserElementKind* find(std::string_view name) const noexcept;

  /// Throws ConfigurationError (V1717) for wrong counts, parameters that are not finite, exceptions
  /// of the maker, or an element with an invalid shape.
  std::shared_ptr<const Element> make(const UserElementKind&, const UserArguments&) const;

 private:
  struct Library;
  std::filesystem::path path_;
  std::shared_ptr<const Library> library_;
  std::span<const UserElementKind> kinds_;
};

}  // namespace vernier::constrained
