#include "vernier/standard/catalogue.hpp"

#include "vernier/gateway/connector/connector.hpp"
#include "vernier/gateway/spacefom/document.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/environment/types.hpp"
#include "vernier/model/facility/reader.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/model/multibody_tree/type.hpp"
#include "vernier/model/spacecraft/types.hpp"
#include "vernier/run/realtime/ports.hpp"

namespace vernier {

Catalogue standard_catalogue(CatalogueOptions o) {
  Catalogue c;
  c.set_island(island::make_island);
  automaton::add_to(c);
  multibody_tree::add_to(c);
  multibody_loops::add_to(c, o.code);
  facility::add_to(c);
  environment::register_types(c);
  spacecraft::register_types(c);
  realtime::add_to(c);
  connector::add_connectors(
      c, {.notice = o.notice, .code = o.code, .writable = std::move(o.writable)});
  spacefom::add_federates(c, std::move(o.notice));
  c.set_code(std::move(o.code));
  return c;
}

}  // namespace vernier
