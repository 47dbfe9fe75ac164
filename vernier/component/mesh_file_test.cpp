#include "vernier/component/mesh_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <limits>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::scene {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path folder = fs::path(VERNIER_SOURCE_DIR) / "formats/scene";

std::string word(std::uint32_t w) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(w >> (8 * i));
  return bytes;
}

std::string glb(std::string json, const std::string& data, std::uint32_t version = 2) {
  while (json.size() % 4 != 0) json += ' ';
  std::string chunks = word(static_cast<std::uint32_t>(json.size())) + "JSON" + json;
  if (!data.empty())
    chunks += word(static_cast<std::uint32_t>(data.size())) + std::string("BIN\0", 4) + data;
  return "glTF" + word(version) + word(static_cast<std::uint32_t>(12 + chunks.size())) + chunks;
}

std::string gltf(const std::string& more) {
  return R"({"asset":{"version":"2.0"},"meshes":[{"primitives":[]}])" + more + "}";
}

std::string stl(std::size_t triangles, float corner = 1.0f) {
  std::string s(80, ' ');
  s += word(static_cast<std::uint32_t>(triangles));
  for (std::size_t i = 0; i < triangles; ++i) {
    for (int k = 0; k < 12; ++k) s += word(std::bit_cast<std::uint32_t>(corner));
    s += std::string(2, '\0');
  }
  return s;
}

TEST(MeshFile, FormatIsThatOfTheName) {
  EXPECT_EQ(mesh_format("a/bus.glb"), "gltf");
  EXPECT_EQ(mesh_format("bus.GLTF"), "gltf");
  EXPECT_EQ(mesh_format("Panel.STL"), "stl");
  EXPECT_EQ(mesh_format("dish.obj"), "obj");
  EXPECT_EQ(mesh_format("arm.dae"), "");
  EXPECT_EQ(mesh_format("stl"), "");
}

TEST(MeshFile, GoodFilesHaveNoFault) {
  std::size_t seen = 0;
  for (const fs::directory_entry& e : fs::directory_iterator(folder / "good")) {
    EXPECT_EQ(mesh_file_fault(e.path()), "") << e.path();
    ++seen;
  }
  EXPECT_GE(seen, 5u);
  EXPECT_EQ(mesh_fault(stl(2), "stl"), "");
  // a binary file whose name begins like text
  std::string solid = stl(1);
  solid.replace(0, 5, "solid");
  EXPECT_EQ(mesh_fault(solid, "stl"), "");
  EXPECT_EQ(mesh_fault(glb(gltf(R"(,"buffers":[{"byteLength":4}])"), "abcd"), "gltf"), "");
  EXPECT_EQ(mesh_fault("v 0 0 0\nv 1 0 0\r\nv 0 1 0 1\nf -3/1 2//2 3\n", "obj"), "");
}

TEST(MeshFile, BadFilesSayWhy) {
  std::size_t seen = 0;
  for (const fs::directory_entry& e : fs::directory_iterator(folder / "bad")) {
    if (e.path().extension() == ".txt") continue;
    const std::string stored = testing::content(fs::path(e.path()).replace_extension(".txt"));
    EXPECT_EQ(mesh_file_fault(e.path()).value_or("") + "\n", stored) << e.path();
    ++seen;
  }
  EXPECT_GE(seen, 5u);
}

TEST(MeshFile, EveryFaultHasWords) {
  const float inf = std::numeric_limits<float>::infinity();
  std::string deep = R"({"asset":{"version":"2.0"},"extras":)" + std::string(100, '[');
  struct Case {
    std::string content, format, words;
  };
  const Case cases[] = {
      {"", "stl", "no STL"},
      {stl(0), "stl", "no triangles"},
      {stl(3).substr(0, 200), "stl", "3 triangles, which are 234 bytes, and has 200"},
      {stl(2, inf), "stl", "triangle 1 has a corner that is not finite"},
      {"solid a\nendsolid a\n", "stl", "no triangles"},
      {"solid a\nvertex 1 2 x\n", "stl", "corner 1 is not three numbers"},
      {"solid a\nvertex 1 2 3\nvertex 1 2 3\n", "stl", "2 corners"},
      {"", "obj", "no triangles"},
      {"v 0 0 0\n", "obj", "no triangles"},
      {std::string("v 0\0", 4), "obj", "no text"},
      {"v 0 nan 0\n", "obj", "line 1: this is not three numbers"},
      {"v 0 0 0\nf 1 1\n", "obj", "line 2: a face has at least three corners"},
      {"v 0 0 0\nf 1 1 2\n", "obj", "line 2: there is no vertex 2"},
      {"v 0 0 0\nf 1 1 0\n", "obj", "there is no vertex 0"},
      {"v 0 0 \\\n0\n", "obj", "line 1: it goes on in the next line"},
      {"", "gltf", "JSON is wrong"},
      {"glTF", "gltf", "cut off"},
      {glb(gltf(""), "", 1), "gltf", "glTF 1, not glTF 2.0"},
      {glb(gltf(""), "") + "x", "gltf", "bytes, and has"},
      {"glTF" + word(2) + word(20) + word(999) + "JSON", "gltf", "does not begin with its JSON"},
      {glb(gltf(R"(,"buffers":[{"byteLength":8}])"), "abcd"), "gltf", "data are cut off"},
      {glb(gltf(R"(,"buffers":[{"byteLength":8}])"), ""), "gltf", "buffer 0 has no data"},
      {gltf(R"(,"buffers":[{"uri":"bus.bin"}])"), "gltf", "in another file, bus.bin"},
      {gltf(R"(,"images":[{"uri":"http://x/a.png"}])"), "gltf", "in another file, http://x/a.png"},
      {gltf(R"(,"extensionsRequired":["KHR_draco_mesh_compression"])"), "gltf",
       "extension KHR_draco_mesh_compression"},
      {R"({"asset":{"version":"1.0"},"meshes":[{}]})", "gltf", "not glTF 2.0"},
      {R"({"asset":{"version":"2.0"}})", "gltf", "no meshes"},
      {deep, "gltf", "nested too deep"},
      {"", "", "neither glTF"},
  };
  for (const Case& c : cases) EXPECT_THAT(mesh_fault(c.content, c.format), HasSubstr(c.words));
}

TEST(MeshFile, FilesThatAreNotThereOrTooLarge) {
  const TemporaryFolder here;
  EXPECT_EQ(mesh_file_fault(here.path() / "nowhere.stl"), std::nullopt);
  EXPECT_EQ(mesh_file_fault(here.path()), std::nullopt);
  const fs::path large = here.path() / "large.stl";
  std::ofstream(large).put('s');
  fs::resize_file(large, largest_mesh + 1);  // takes no room on the disk
  EXPECT_THAT(mesh_file_fault(large).value_or(""), HasSubstr("larger than 64 MiB"));
}

}  // namespace
}  // namespace vernier::scene
