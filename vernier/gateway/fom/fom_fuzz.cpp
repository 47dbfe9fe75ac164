// Object models from anywhere: reading, merging and writing stay within bounds, and what was
// written reads back as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vernier/base/require.hpp"
#include "vernier/gateway/fom/compare.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/fom/writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  Diagnostics problems;
  const auto module = fom::parse_module(std::string(reinterpret_cast<const char*>(data), size),
                                        "fuzz.xml", problems);
  require((problems.errors() == 0) == module.has_value());
  for (const Diagnostic& d : problems.list()) {
    require(d.place.file == "fuzz.xml" && d.place.line >= 1 && d.place.column >= 1 &&
            d.place.length >= 1);
  }
  if (!module) return 0;
  std::vector<fom::Module> modules{*module};
  const auto alone = fom::merge(modules, fom::standard_mim(), problems);
  require((problems.errors() == 0) == alone.has_value());
  require(!rendered(problems, 1000).empty() || alone);
  if (alone) {
    Diagnostics none;
    const auto again = fom::parse_module(fom::written(*alone, "again"), "again.xml", none);
    require(again.has_value());
    const auto back = fom::merge(std::vector{*again}, fom::standard_mim(), none);
    require(back && fom::differences(*alone, *back).empty());
    require(alone->layouts.size() == alone->data_types.size());
  }
  // with others, as an extension
  modules.clear();
  for (const std::string& name : fom::spacefom_modules()) modules.push_back(*fom::built_in(name));
  modules.push_back(*module);
  Diagnostics more;
  const auto extended = fom::merge(modules, fom::standard_mim(), more);
  require((more.errors() == 0) == extended.has_value());
  return 0;
}
