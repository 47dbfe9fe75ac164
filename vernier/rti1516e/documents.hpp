#pragma once

#include <string>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::hla {

/// The document of a FOM module or MIM: a path, a file: URL, or, if there is no such file, the name
/// of a SpaceFOM module ("SISO_SpaceFOM_entity"). Throws CouldNotOpenFDD, ErrorReadingFDD
/// (CouldNotOpenMIM, ErrorReadingMIM).
federation::Document read_document(const std::wstring& designator, bool is_mim = false);

}  // namespace vernier::hla
