#include "vernier/standard/catalogue.hpp"

#include "vernier/gateway/connector/connector.hpp"
#include "vernier/gateway/spacefom/document.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/environment/types.hpp"
#include "vernier/model/facility/reader.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/mechanics/type.hpp"
#include "vernier/model/mechanism/reader.hpp"
#include "vernier/model/spacecraft/types.hpp"
#include "vernier/run/realtime/ports.hpp"

namespace vernier {

Catalogue standard_catalogue(std::function<void(const std::string&)> notice) {
  Catalogue c;
  c.set_island(island::make_island);
  automaton::add_to(c);
  mechanics::add_to(c);
  mechanism::add_to(c);
  facility::add_to(c);
  environment::register_types(c);
  spacecraft::register_types(c);
  realtime::add_to(c);
  connector::add_connectors(c, notice);
  spacefom::add_federates(c, std::move(notice));
  return c;
}

}  // namespace vernier
