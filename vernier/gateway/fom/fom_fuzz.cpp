// Arbitrary object models: reading, merging and writing stay within bounds, and a model that was
// written reads back as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/require.hpp"
#include "vernier/gateway/fom/compare.hpp"
#include "vernier/gateway/fom/decode.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/fom/writer.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Our documents have one element per line. Removing, duplicating and moving whole lines often
/// keeps the document well-formed, so that mutants get past the grammar.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < size;) {
    const std::size_t end = std::min(text.find('\n', at), size - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  if (seed % 3 == 0 || lines.size() < 2) return LLVMFuzzerMutate(data, size, most);
  std::uint64_t state = seed;
  const auto any = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % lines.size();
  };
  const std::size_t from = any(), length = 1 + any() % 8, to = any();
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(from);
  const std::vector<std::string> piece(
      first, first + static_cast<std::ptrdiff_t>(std::min(length, lines.size() - from)));
  if (seed % 3 == 1) lines.erase(first, first + static_cast<std::ptrdiff_t>(piece.size()));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(std::min(to, lines.size())),
               piece.begin(), piece.end());
  std::string made;
  for (const std::string& line : lines) made += line;
  if (made.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(made.begin(), made.end(), data);
  return made.size();
}

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
    // decode arbitrary bytes as each of its types
    const std::size_t types = alone->data_types.size();
    for (std::size_t i = types - std::min<std::size_t>(types, 16); i < types; ++i)
      static_cast<void>(fom::decoded(*alone, alone->data_types[i].name,
                                     std::as_bytes(std::span(data, size)).first(size % 256)));
  }
  // merge it with other modules, as an extension
  modules.clear();
  for (const std::string& name : fom::spacefom_modules()) modules.push_back(*fom::built_in(name));
  modules.push_back(*module);
  Diagnostics more;
  const auto extended = fom::merge(modules, fom::standard_mim(), more);
  require((more.errors() == 0) == extended.has_value());
  return 0;
}
