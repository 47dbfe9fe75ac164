#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/multibody/model.hpp"

namespace vernier::multibody_tree {

/// Modal data of one body from a finite-element program (formats/multibody/modal.md).
struct ModalFile {
  std::vector<double> frequencies;              // rad/s, one for each mode
  std::vector<double> damping;                  // ratios; empty: not in the file
  std::vector<multibody::Lump> points;          // SI; shapes scaled so that φ η is in m and rad;
                                                // second-order shapes if the file has beams
  std::map<long long, std::size_t> by_id;       // index of a point by its number in the file
  std::vector<int> lines;                       // line of each point
  std::vector<std::vector<std::size_t>> beams;  // indices of points along each
  bool rotations = false;

  std::size_t modes() const noexcept { return frequencies.size(); }
};

/// Limits for a modal file.
struct ModalLimits {
  std::size_t bytes = 256u << 20;
  std::size_t modes = 256;
  std::size_t points = 1'000'000;
  std::size_t second_order = 8'000'000;  // points on beams times pairs of modes
};

/// Reads a modal file; nothing if there is an error. Messages give the line.
std::optional<ModalFile> read_modal_file(const std::filesystem::path&, Diagnostics& problems,
                                         const ModalLimits& = {});
/// The same for text in memory; messages use `name` as the file name.
std::optional<ModalFile> parse_modal_file(std::string_view content, const std::string& name,
                                          Diagnostics& problems, const ModalLimits& = {});

}  // namespace vernier::multibody_tree
