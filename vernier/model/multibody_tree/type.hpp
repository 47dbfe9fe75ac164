#pragma once

#include <filesystem>

#include "vernier/component/catalogue.hpp"
#include "vernier/model/multibody_tree/reader.hpp"

namespace vernier::multibody_tree {

/// A multibody document as a type of systems (MultibodySystem). Its parameters are those of the
/// document (see Source), `reactions` (whether hinge reactions are outputs) and `path` (which
/// algorithm computes it). A constant of the document with one of these names hides it.
Type read_type(const std::filesystem::path&, Diagnostics& problems);
Type type_of(const std::shared_ptr<const Source>&);

/// Makes multibody documents available to compositions.
void add_to(Catalogue&);

}  // namespace vernier::multibody_tree
