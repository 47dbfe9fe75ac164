// What a stranger answers in place of a registry: refused with a reason, or read within bounds; a
// record that is read is the same after writing and reading again.
#include <cstdlib>

#include "vernier/run/registry/gateway.hpp"
#include "vernier/run/registry/record.hpp"

using namespace vernier;
using namespace vernier::registry;

namespace {

void read_again(std::string_view text) {
  static_cast<void>(leader_of(text));
  const auto record = record_of(text);
  if (!record) {
    if (record.error().empty()) std::abort();
    return;
  }
  if (!is_run_name(record->run)) std::abort();
  const auto again = record_of(to_json(*record));
  if (!again || !(*again == *record)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  read_again({reinterpret_cast<const char*>(data), size});
  const auto reply = gateway::reply_of(bytes);
  if (!reply) {
    if (reply.error().empty() || reply.error().size() > 200) std::abort();
    return 0;
  }
  if (reply->status < 100 || reply->status > 599) std::abort();
  if (reply->good() && (reply->elsewhere() || !reply->error.empty())) std::abort();
  if (!reply->good() && !reply->found.empty()) std::abort();
  std::size_t bytes_found = 0;
  for (const gateway::KeyValue& one : reply->found) {
    bytes_found += one.key.size() + one.value.size();
    read_again(one.value);
  }
  if (bytes_found > size) std::abort();
  return 0;
}
