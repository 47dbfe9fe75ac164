#pragma once

#include <filesystem>

#include "vernier/component/catalogue.hpp"
#include "vernier/model/multibody_tree/reader.hpp"

namespace vernier::multibody_tree {

/// A multibody document as a type of systems (MultibodySystem). Its parameters are those of the
/// document (see Source), `reactions`: whether hinge reactions are outputs, and `path`: which code
/// computes it; a constant of the document that has such a name hides it.
Type read_type(const std::filesystem::path&, Diagnostics& problems);
Type type_of(const std::shared_ptr<const Source>&);

/// Lets compositions use multibody documents.
void add_to(Catalogue&);

}  // namespace vernier::multibody_tree
