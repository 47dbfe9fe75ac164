#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

/// Files with the form of a body, for pictures (formats/scene): glTF 2.0, STL, OBJ.
namespace vernier::scene {

constexpr std::uintmax_t largest_mesh = 64u << 20;  // bytes

/// "gltf", "stl" or "obj", by the end of the name, in any case; empty: another file.
std::string_view mesh_format(const std::filesystem::path&);

/// Why a content cannot be drawn, in words; empty: it can. glTF has its data in the same file and
/// needs no extension that viewers may lack.
std::string mesh_fault(std::string_view content, std::string_view format);

/// The same for a file. Nothing if it cannot be read.
std::optional<std::string> mesh_file_fault(const std::filesystem::path&);

}  // namespace vernier::scene
