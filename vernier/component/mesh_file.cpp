#include "vernier/component/mesh_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "vernier/base/text.hpp"

namespace vernier::scene {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint32_t word(std::string_view bytes, std::size_t at) {
  std::uint32_t w = 0;
  std::memcpy(&w, bytes.data() + at, sizeof w);
  return w;
}

bool finite(std::string_view text) {
  const auto number = parsed_real(text);
  return number && std::isfinite(*number);
}

/// Text of a file in a message: any bytes may be in it.
std::string shown(std::string_view s) {
  constexpr std::size_t enough = 40;
  std::string text(s.substr(0, enough));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return text;
}

constexpr const char* empty = "it has no triangles";

// STL: a header of 80 bytes, the number of triangles, 50 bytes each; or text

constexpr std::size_t stl_head = 84, stl_triangle = 50;

std::string binary_stl_fault(std::string_view content) {
  const std::size_t triangles = word(content, 80);
  if (triangles == 0) return empty;
  for (std::size_t i = 0; i < triangles; ++i) {
    float corners[9];  // behind the normal
    std::memcpy(corners, content.data() + stl_head + stl_triangle * i + 12, sizeof corners);
    if (!std::ranges::all_of(corners, [](float x) { return std::isfinite(x); }))
      return "triangle " + std::to_string(i + 1) + " has a corner that is not finite";
  }
  return {};
}

std::string text_stl_fault(std::string_view content) {
  std::size_t corners = 0;
  for (const std::string_view line : split(content, '\n')) {
    const auto all = words(line);
    if (all.empty() || all[0] != "vertex") continue;
    ++corners;
    if (all.size() != 4 || !std::all_of(all.begin() + 1, all.end(), finite))
      return "corner " + std::to_string(corners) + " is not three numbers";
  }
  if (corners == 0) return empty;
  return corners % 3 == 0 ? ""
                          : "it has " + std::to_string(corners) + " corners, not three of each";
}

std::string stl_fault(std::string_view content) {
  const std::size_t triangles = content.size() < stl_head ? 0 : word(content, 80);
  if (content.size() >= stl_head && content.size() == stl_head + stl_triangle * triangles)
    return binary_stl_fault(content);
  if (content.starts_with("solid") && content.find('\0') == std::string_view::npos)
    return text_stl_fault(content);
  if (content.size() < stl_head) return "it is no STL: text begins with \"solid\"";
  return "it says that it has " + std::to_string(triangles) + " triangles, which are " +
         std::to_string(stl_head + stl_triangle * triangles) + " bytes, and has " +
         std::to_string(content.size());
}

// OBJ: lines of "v x y z" and of "f" with corners by number

std::string obj_fault(std::string_view content) {
  if (content.find('\0') != std::string_view::npos) return "it is no text";
  long long vertices = 0;
  std::size_t faces = 0, number = 0;
  const auto at = [&] { return "line " + std::to_string(number) + ": "; };
  for (const std::string_view line : split(content, '\n')) {
    ++number;
    const auto all = words(line);
    if (all.empty()) continue;
    if (all.back().ends_with('\\')) return at() + "it goes on in the next line";
    if (all[0] == "v") {
      ++vertices;
      if (all.size() < 4 || !std::all_of(all.begin() + 1, all.begin() + 4, finite))
        return at() + "this is not three numbers";
    } else if (all[0] == "f") {
      ++faces;
      if (all.size() < 4) return at() + "a face has at least three corners";
      for (std::size_t i = 1; i < all.size(); ++i) {
        const auto corner = parsed_integer(all[i].substr(0, all[i].find('/')));
        if (!corner || *corner == 0 || *corner > vertices || *corner < -vertices)
          return at() + "there is no vertex " + shown(all[i]) + " before it";
      }
    }
  }
  return faces == 0 ? empty : "";
}

// glTF: JSON, alone or in a binary file with its data

/// Reads what counts, and keeps nothing else. Names of members on the way down; lists have "".
class Gltf final : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string fault;
  bool version_2 = false;
  std::size_t meshes = 0;
  struct Buffer {
    bool embedded = false;
    std::uint64_t bytes = 0;
  };
  std::vector<Buffer> buffers;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t n) override {
    if (within({"buffers", "", "byteLength"})) buffers.back().bytes = n;
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& s) override {
    if (within({"asset", "version"})) version_2 = s.starts_with("2.");
    if (within({"buffers", "", "uri"}) || within({"images", "", "uri"})) {
      if (!s.starts_with("data:"))
        return refuse("its data are in another file, " + shown(s) + ": save it as one file (.glb)");
      if (within({"buffers", "", "uri"})) buffers.back().embedded = true;
    }
    if (within({"extensionsRequired", ""}) && !known(s))
      return refuse("it needs the extension " + shown(s) + ": save it without compression");
    return true;
  }
  bool start_object(std::size_t) override {
    if (within({"buffers", ""})) buffers.emplace_back();
    if (within({"meshes", ""})) ++meshes;
    return down();
  }
  bool key(string_t& k) override {
    path_.back() = k;
    return true;
  }
  bool end_object() override { return up(); }
  bool start_array(std::size_t) override { return down(); }
  bool end_array() override { return up(); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    return refuse("its JSON is wrong at byte " + std::to_string(at));
  }

 private:
  static constexpr std::size_t deepest = 64;

  /// Whether the page can do without a decoder of its own.
  static bool known(std::string_view name) {
    return name.starts_with("KHR_materials_") || name == "KHR_mesh_quantization" ||
           name == "KHR_texture_transform" || name == "KHR_lights_punctual";
  }
  bool refuse(std::string why) {
    if (fault.empty()) fault = std::move(why);
    return false;
  }
  bool within(std::initializer_list<std::string_view> names) const {
    return std::equal(path_.begin(), path_.end(), names.begin(), names.end());
  }
  bool down() {
    if (path_.size() == deepest) return refuse("its JSON is nested too deep");
    path_.emplace_back();
    return true;
  }
  bool up() {
    path_.pop_back();
    return true;
  }

  std::vector<std::string> path_;
};

std::string gltf_fault(std::string_view content) {
  std::string_view json = content, data;
  bool has_data = false;
  if (content.starts_with("glTF")) {
    constexpr std::size_t head = 12, chunk = 8;
    constexpr std::uint32_t json_chunk = 0x4e4f534a, data_chunk = 0x004e4942;
    if (content.size() < head + chunk) return "it is cut off";
    if (word(content, 4) != 2)
      return "it is glTF " + std::to_string(word(content, 4)) + ", not glTF 2.0";
    if (word(content, 8) != content.size())
      return "it says that it has " + std::to_string(word(content, 8)) + " bytes, and has " +
             std::to_string(content.size());
    const std::size_t length = word(content, head);
    if (word(content, head + 4) != json_chunk || length > content.size() - head - chunk)
      return "it does not begin with its JSON";
    json = content.substr(head + chunk, length);
    const std::string_view rest = content.substr(head + chunk + length);
    if (rest.size() >= chunk && word(rest, 4) == data_chunk) {
      if (word(rest, 0) > rest.size() - chunk) return "its data are cut off";
      data = rest.substr(chunk, word(rest, 0));
      has_data = true;
    }
  }
  Gltf read;
  nlohmann::json::sax_parse(json, &read);
  if (!read.fault.empty()) return read.fault;
  if (!read.version_2) return "it is not glTF 2.0";
  if (read.meshes == 0) return "it has no meshes";
  for (std::size_t i = 0; i < read.buffers.size(); ++i) {
    if (read.buffers[i].embedded) continue;
    if (i > 0 || !has_data) return "buffer " + std::to_string(i) + " has no data";
    if (read.buffers[i].bytes > data.size()) return "its data are cut off";
  }
  return {};
}

}  // namespace

std::string_view mesh_format(const std::filesystem::path& file) {
  std::string end = file.extension().string();
  for (char& c : end)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (end == ".glb" || end == ".gltf") return "gltf";
  if (end == ".stl") return "stl";
  if (end == ".obj") return "obj";
  return {};
}

std::string mesh_fault(std::string_view content, std::string_view format) {
  if (format == "gltf") return gltf_fault(content);
  if (format == "stl") return stl_fault(content);
  if (format == "obj") return obj_fault(content);
  return "it is neither glTF (.glb, .gltf) nor STL (.stl) nor OBJ (.obj)";
}

std::optional<std::string> mesh_file_fault(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return {};
  const std::string_view format = mesh_format(file);
  if (format.empty()) return mesh_fault({}, format);
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed) return {};
  if (size > largest_mesh) return "it is larger than 64 MiB: save it with fewer triangles";
  std::string content(size, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(content.data(), static_cast<std::streamsize>(size));
  if (!in) return {};
  return mesh_fault(content, format);
}

}  // namespace vernier::scene
