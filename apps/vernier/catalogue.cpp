#include "apps/vernier/catalogue.hpp"

#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/environment/types.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/spacecraft/types.hpp"

namespace vernier::app {

const Catalogue& catalogue() {
  static const Catalogue filled = [] {
    Catalogue c;
    c.set_island(island::make_island);
    automaton::add_to(c);
    environment::register_types(c);
    spacecraft::register_types(c);
    return c;
  }();
  return filled;
}

}  // namespace vernier::app
