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

// closed form: a turn of a straight part by θ moves its end by -θ² L/2 along itself; g = -θ² L. The
// boss stands at a right angle to the beam and turns with it.
TEST(ModalFile, ShortensAlongBeams) {
  const std::string text = testing::content(source_folder / "formats/multibody/good/boom.modal");
  Diagnostics problems;
  const auto file = parse_modal_file(text, "f", problems);
  ASSERT_TRUE(file) << rendered(problems);
  const auto g = [&](long long id) { return file->points[file->by_id.at(id)].second; };
  EXPECT_EQ(g(1).cols(), 0);  // it does not move
  // from point 3 to 5: mode 2 turns by -0.6 about y, over 0.5 m along z
  EXPECT_LT((g(5).col(2) - g(3).col(2) - multibody::Vector3(0, 0, -0.5 * 0.6 * 0.6)).norm(), 1e-15);
  // mode 1 turns it about its own axis
  EXPECT_LT((g(5).col(0) - g(3).col(0)).norm(), 1e-15);
  Diagnostics few;
  EXPECT_FALSE(parse_modal_file(text, "f", few, {.second_order = 8}));
  EXPECT_EQ(few.list().front().code, "V1655");
}

// the examples of the documentation write what the format reads
class Writers : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    OfModalFiles, Writers,
    ::testing::Values(std::pair("multibody/write_modal.py", "multibody/array.modal"),
                      std::pair("spin-up/write_beam.py", "spin-up/beam.modal")));
TEST_P(Writers, WriteTheExample) {
  const std::string command =
      "python3 '" + (source_folder / "examples" / GetParam().first).string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_TRUE(pipe);
  std::string written;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    written.append(buffer.data(), n);
  ASSERT_EQ(pclose(pipe), 0);
  EXPECT_EQ(written, testing::content(source_folder / "examples" / GetParam().second));
}

}  // namespace
}  // namespace vernier::multibody_tree
