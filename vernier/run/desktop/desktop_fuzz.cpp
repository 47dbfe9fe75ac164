// Requests from bytes: whatever the text is, it is taken or refused, and all members can be asked
// for as anything.
#include <cstdlib>

#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/page.hpp"
#include "vernier/run/desktop/problems.hpp"

using namespace vernier;

namespace {

template <class F>
void tried(F f) {
  try {
    f();
  } catch (const ConfigurationError& e) {
    if (e.diagnostics().list().front().code.substr(0, 2) != "V8") std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tried([&] { const desktop::Page page(text); });
  static_cast<void>(desktop::problems_in(nlohmann::ordered_json::parse(text, nullptr, false)));
  static_cast<void>(desktop::Request::id_in(text));
  tried([&] {
    const desktop::Request r(text);
    if (r.id() == 0) std::abort();
    for (const char* name : {"run", "signal", "signals", "columns", "set", "from"}) {
      tried([&] { static_cast<void>(r.text(name)); });
      tried([&] { static_cast<void>(r.number(name)); });
      tried([&] {
        if (r.whole(name, 100) > 100) std::abort();
      });
      tried([&] { static_cast<void>(r.yes(name)); });
      tried([&] { static_cast<void>(r.texts(name)); });
      tried([&] { static_cast<void>(r.wholes(name, 5)); });
      tried([&] { static_cast<void>(r.pairs(name)); });
    }
  });
  return 0;
}
