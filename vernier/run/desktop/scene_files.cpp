#include "vernier/run/desktop/scene_files.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "vernier/base/digest.hpp"

namespace vernier::desktop {

using nlohmann::ordered_json;

namespace {

constexpr std::string_view beginning = "/file/";
constexpr std::uintmax_t largest = 256u << 20;
constexpr std::size_t key_length = 32;

struct Kind {
  std::string_view extension, type;
};
constexpr Kind kinds[] = {{".glb", "model/gltf-binary"}, {".gltf", "model/gltf+json"},
                          {".stl", "model/stl"},         {".obj", "model/obj"},
                          {".png", "image/png"},         {".jpg", "image/jpeg"},
                          {".jpeg", "image/jpeg"}};

std::string_view media_type_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const Kind& k : kinds) {
    if (k.extension == extension) return k.type;
  }
  return {};
}

}  // namespace

void SceneFiles::take(ordered_json& scene) {
  const auto bodies = scene.find("bodies");
  if (bodies == scene.end()) return;
  const std::lock_guard lock(mutex_);
  for (ordered_json& body : *bodies) {
    const auto shapes = body.find("shapes");
    if (shapes == body.end()) continue;
    for (ordered_json& shape : *shapes) {
      const auto file = shape.find("file");
      if (file == shape.end() || !file->is_string()) continue;
      const std::string path = file->get<std::string>();
      if (media_type_of(path).empty()) {
        shape.erase("file");
        continue;
      }
      const std::string key = text(sha256(std::as_bytes(std::span(path)))).substr(0, key_length);
      files_[key] = path;
      shape["file"] = key;
    }
  }
}

net::WebAnswer SceneFiles::answer(std::string_view path) {
  if (!path.starts_with(beginning)) return {.status = 404};
  std::filesystem::path file;
  {
    const std::lock_guard lock(mutex_);
    const auto at = files_.find(path.substr(beginning.size()));
    if (at == files_.end()) return {.status = 404};
    file = at->second;
  }
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed || size > largest) return {.status = 404};
  std::vector<std::byte> content(size);
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(size));
  if (!in) return {.status = 404};
  return {.type = std::string(media_type_of(file)),
          .fields = {{"Cache-Control", "no-cache"}},
          .body = std::make_shared<const std::vector<std::byte>>(std::move(content))};
}

}  // namespace vernier::desktop
