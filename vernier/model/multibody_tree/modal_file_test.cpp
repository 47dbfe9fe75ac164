#include "vernier/model/multibody_tree/modal_file.hpp"
#include "vernier/testing/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numbers>
#include <sstream>

namespace vernier::multibody_tree {
namespace {

namespace fs = std::filesystem;
using multibody::Vector3;
using ::testing::ElementsAre;

const fs::path source_folder = VERNIER_SOURCE_DIR;

TEST(ModalFile, ConvertsMillimetresAndTonnes) {
  Diagnostics problems;
  const auto f =
      read_modal_file(source_folder / "formats/multibody/good/millimetres.modal", problems);
  ASSERT_TRUE(f) << rendered(problems);
  EXPECT_THAT(f->frequencies, ElementsAre(12.5, 60));
  EXPECT_TRUE(f->damping.empty());
  EXPECT_FALSE(f->rotations);
  const multibody::Lump& tip = f->points[f->by_id.at(30)];
  EXPECT_DOUBLE_EQ(tip.mass, 1.0);
  EXPECT_TRUE(tip.p.isApprox(Vector3(1, 0, 0)));
  // a shape of 20 mm for η = 1 is 0.02 m
  EXPECT_TRUE(tip.shape.col(0).isApprox(Vector3(0, 0, 0.02)));
  // t mm² is 1e-3 kg m²
  EXPECT_DOUBLE_EQ(tip.inertia(2, 2), 0.9e-3);
  EXPECT_DOUBLE_EQ(tip.inertia(1, 2), 0.01e-3);
}

TEST(ModalFile, ReadsHertzAsTurns) {
  Diagnostics problems;
  const auto f = parse_modal_file(
      "vernier-modal 1\r\nlength m\r\nmass kg\r\nmodes 1\r\npoints 1\r\nrotations yes\r\nfrequency "
      "Hz 2\r\n"
      "damping 0.01\r\npoint 7 1 0 0 0\r\n1 0 0 1 0 0 0.5\r\nend",
      "f", problems);
  ASSERT_TRUE(f) << rendered(problems);
  EXPECT_DOUBLE_EQ(f->frequencies[0], 4 * std::numbers::pi);
  EXPECT_EQ(f->points[0].rotation(2, 0), 0.5);
}

TEST(ModalFile, StaysWithinItsLimits) {
  const std::string text =
      testing::content(source_folder / "formats/multibody/good/cantilever.modal");
  Diagnostics problems;
  EXPECT_FALSE(parse_modal_file(text, "f", problems, {.bytes = 100}));
  EXPECT_FALSE(parse_modal_file(text, "f", problems, {.modes = 2}));
  EXPECT_FALSE(parse_modal_file(text, "f", problems, {.points = 25}));
  ASSERT_EQ(problems.errors(), 3u);
  for (const Diagnostic& d : problems.list()) EXPECT_EQ(d.code, "V1655");
}

TEST(ModalFile, NoticesEveryLineThatIsLeftOut) {
  const std::string text =
      testing::content(source_folder / "formats/multibody/good/cantilever.modal");
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (std::size_t leave = 0; leave < lines.size(); ++leave) {
    // without these a file is shorter but whole
    if (lines[leave].starts_with("name") || lines[leave].starts_with("damping") ||
        lines[leave].starts_with("check"))
      continue;
    std::string cut;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i != leave) cut += lines[i] + "\n";
    }
    Diagnostics problems;
    EXPECT_FALSE(parse_modal_file(cut, "f", problems)) << lines[leave];
  }
}

// the example of the documentation writes what the format reads
TEST(ModalFile, TheExampleWriterWritesTheExample) {
  const std::string command =
      "python3 '" + (source_folder / "examples/multibody/write_modal.py").string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_TRUE(pipe);
  std::string written;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    written.append(buffer.data(), n);
  ASSERT_EQ(pclose(pipe), 0);
  EXPECT_EQ(written, testing::content(source_folder / "examples/multibody/array.modal"));
}

}  // namespace
}  // namespace vernier::multibody_tree
