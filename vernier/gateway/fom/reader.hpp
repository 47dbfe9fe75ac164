#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// Reads a FOM module or MIM and checks what can be checked without other modules; every problem
/// goes into `problems` with its place. Nothing when there is an error. merge() resolves names that
/// other modules define. Reads only this file; document::Limits bounds the cost.
std::optional<Module> read_module(const std::filesystem::path&, Diagnostics& problems);

/// The same for text in memory; `name` stands for the file in messages.
std::optional<Module> parse_module(std::string content, const std::filesystem::path& name,
                                   Diagnostics& problems);

/// The standard MIM, written for Vernier: HLAobjectRoot, HLAinteractionRoot, the Management Object
/// Model, basic data representations, transportations.
const Module& standard_mim();

/// Modules embedded in the program, by file name without ".xml": those of the SpaceFOM. Null when
/// there is none of that name.
const Module* built_in(std::string_view name);
/// The document of one of them; empty when there is none of that name.
std::string_view built_in_text(std::string_view name);
/// The names of the SpaceFOM modules, in the order in which they are loaded.
std::vector<std::string> spacefom_modules();

}  // namespace vernier::fom
