// Arbitrary files of live rows: refused with a message, or read without leaving the file. The sum
// of the counts is corrected first, so that what it protects is tested too.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/live_rows.hpp"

using namespace vernier;

namespace {

/// Completes what a mutation rarely gets right: the file's size and the sum.
void correct(std::vector<std::byte>& file) {
  constexpr std::size_t end_at = 24, counts_at = 32, groups_at = 40, head = 64;
  if (file.size() < head) return;
  store(file.data() + end_at, static_cast<std::uint64_t>(file.size()));
  const auto at = load<std::uint64_t>(file.data() + counts_at);
  const std::uint64_t bytes = 32 + std::uint64_t{8} * load<std::uint32_t>(file.data() + groups_at);
  if (at > file.size() || bytes > file.size() - at) return;
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::uint64_t i = 8; i < bytes; i += 8)
    h = (h ^ load<std::uint64_t>(file.data() + at + i)) * 0x100000001b3u;
  store(file.data() + at, h);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder;
  std::vector<std::byte> file(size);
  for (std::size_t i = 0; i < size; ++i) file[i] = static_cast<std::byte>(data[i]);
  correct(file);
  std::ofstream(record::live_file(folder.path()), std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(size));
  try {
    record::LiveRowReader r(folder.path());
    static_cast<void>(r.over());
    const auto take = [&](const record::LiveRowReader::Row& row) {
      require(row.group < r.layout().groups.size() && row.bytes.size() == r.row(row.group).bytes);
      const auto& signals = r.layout().groups[row.group].signals;
      const auto& columns = r.row(row.group).columns;
      require(signals.size() == columns.size());
      for (const auto& c : columns)
        require(c.offset <= row.bytes.size() && c.bytes <= row.bytes.size() - c.offset);
    };
    static_cast<void>(r.poll(take));
    require(r.poll([](const auto&) { require(false); }) == 0);  // nothing new
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() > 0);
  }
  return 0;
}
