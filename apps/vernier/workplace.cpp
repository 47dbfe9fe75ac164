#include "apps/vernier/workplace.hpp"

#include <algorithm>
#include <utility>

#include "apps/vernier/console.hpp"
#include "apps/vernier/library.hpp"

namespace vernier::app {

compose::Workplace workplace(std::filesystem::path folder) {
  compose::Workplace w;
  w.catalogue = &catalogue();
  w.folder = std::move(folder);
  w.grammars = grammars();
  for (const Example& e : templates()) w.starters.push_back({e.name, e.summary, e.main});
  w.start = [](const compose::Starter& starter, const std::filesystem::path& target) {
    const std::vector<Example> all = templates();
    copy_example(*std::find_if(all.begin(), all.end(),
                               [&](const Example& e) { return e.name == starter.name; }),
                 target);
  };
  return w;
}

}  // namespace vernier::app
