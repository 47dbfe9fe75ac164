#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "vernier/component/catalogue.hpp"
#include "vernier/run/session/prepare.hpp"

/// Text descriptions of documents and types, for `vernier info`.
namespace vernier::app {

/// Types by name with their summaries.
std::string catalogue_text(const Catalogue&);
nlohmann::ordered_json catalogue_json(const Catalogue&);

/// Parameters, ports, states and modes of a type.
std::string type_text(const Type&);
nlohmann::ordered_json type_json(const Type&);

/// A composition: its instances with their parameters, ports, where they lead, states, modes,
/// events. Of long lists only the beginning, unless `all` is wanted.
std::string composition_text(const session::Prepared&, const Catalogue&, bool all);
nlohmann::ordered_json composition_json(const session::Prepared&, const Catalogue&);

/// The composition as a graph: Graphviz's language, or lines of text.
std::string composition_dot(const session::Prepared&);
std::string composition_arrows(const session::Prepared&);

}  // namespace vernier::app
