#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/document/document.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::automaton {

namespace detail {
struct Code;
struct OutputCode;
enum class Suspect : std::uint8_t;
/// Code for subsets of the outputs.
using SomeOutputs = std::vector<std::pair<hybrid::OutputSet, std::shared_ptr<const OutputCode>>>;
}  // namespace detail

/// A hybrid system compiled from a document (formats/hybrid). A document of kind="hds" is embedded
/// into constant dimension: states without an equation keep their value, and outputs without a map
/// are held by additional states called NAME_held.
class AutomatonSystem final : public hybrid::System {
 public:
  /// `spec` is that of the code, with the initial values of this instance.
  AutomatonSystem(std::shared_ptr<const detail::Code> code, hybrid::SystemSpec spec);

  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void prepare_outputs(hybrid::OutputSet) override;
  std::unique_ptr<hybrid::Workspace> workspace() const override;
  std::unique_ptr<hybrid::Workspace> lane_workspace() const override;
  void flow(const hybrid::Point&, std::span<double> xdot,
            hybrid::Workspace&) const noexcept override;
  void output(const hybrid::Point&, std::span<double> y,
              hybrid::Workspace&) const noexcept override;
  void guards(const hybrid::Point&, std::span<double> z,
              hybrid::Workspace&) const noexcept override;
  bool select(const hybrid::Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
              hybrid::Workspace&) const noexcept override;
  bool undecided(const hybrid::Point&, std::span<const std::uint8_t> present,
                 hybrid::Workspace&) const noexcept override;
  void jump(const hybrid::Point&, std::span<const int> chosen, hybrid::Jump&,
            hybrid::Workspace&) const noexcept override;
  /// Lines that each begin with a line break: which equation, where, and what in it.
  bool explain(const hybrid::Point&, Fault&, hybrid::Workspace&) const noexcept override;
  bool explain_jump(const hybrid::Point&, std::span<const int> chosen, Fault&,
                    hybrid::Workspace&) const noexcept override;
  /// Of the comparisons that hold, the one that is nearest to not holding. NaN where an event alone
  /// triggers.
  void witness(const hybrid::Point&, int automaton, int transition, std::span<double, 2> sides,
               hybrid::Workspace&) const noexcept override;
  /// Exact to rounding.
  void tangent(const hybrid::Point&, const hybrid::Direction&, const hybrid::Tangent&,
               hybrid::Workspace&) const noexcept override;

  void tangents(const hybrid::Point&, const hybrid::Directions&, const hybrid::Tangents&,
                hybrid::Workspace&) const noexcept override;
  void flow_lanes(const hybrid::Points&, double* xdot, hybrid::Workspace&) const noexcept override;
  void output_lanes(const hybrid::Points&, double* y, hybrid::Workspace&) const noexcept override;
  void guards_lanes(const hybrid::Points&, double* z, hybrid::Workspace&) const noexcept override;
  void tangent_lanes(const hybrid::Points&, const hybrid::Directions&, const hybrid::Tangents&,
                     hybrid::Workspace&) const noexcept override;

  /// Signals that a location does not define, so that plots and logs can mark them.
  std::span<const std::size_t> inactive_states(int location) const noexcept;
  std::span<const std::size_t> inactive_outputs(int location) const noexcept;

 private:
  bool diagnosed(const hybrid::Point&, detail::Suspect, std::size_t transition, Fault&,
                 hybrid::Workspace&) const noexcept;
  /// The first transition, in the order they are tried, whose condition is undecided although all
  /// before it are false; -1: none. Empty `present`: all labels.
  int first_undecided(const hybrid::Point&, std::span<const std::uint8_t> present,
                      hybrid::Workspace&) const noexcept;

  // Shared: instances of one document with the same constants run the same code.
  std::shared_ptr<const detail::Code> code_;
  hybrid::SystemSpec spec_;
  detail::SomeOutputs some_;  // subsets that were prepared
};

/// The grammar of hybrid system documents.
document::Grammar grammar();

/// Reads and checks a document. Its parameters are the constants, the initial values of the states
/// by their names, and `location`, the initial location. All problems go into `problems`. If there
/// is an error, the type cannot make systems.
Type read_type(const std::filesystem::path&, Diagnostics& problems);

/// The same for text in memory; messages use `name` as the file name.
Type parse_type(std::string content, const DocumentFile& name, Diagnostics& problems);

/// Makes hybrid system documents available to compositions.
void add_to(Catalogue&);

}  // namespace vernier::automaton
