// Arbitrary results files: read, repaired, compared and exported, or refused with a message.
//
// The first byte: 0, a valid HDF5 file made from the rest (groups, links, datasets of any shape);
// 1, the results of a run with modified bytes; 2, those of a run that was killed, with modified
// bytes, and a lock file that contains a write in progress.
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "vernier/base/digest.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/columns.hpp"
#include "vernier/run/record/compare.hpp"
#include "vernier/run/record/detail/hdf5.hpp"
#include "vernier/run/record/export.hpp"
#include "vernier/run/record/result_writer.hpp"

using namespace vernier;
using record::hdf5::Handle;

namespace {

const TemporaryFolder& folder() {
  static const TemporaryFolder one;
  return one;
}

struct Input {
  const std::uint8_t* at;
  std::size_t left;
  template <class T>
  T next() noexcept {
    T v{};
    const std::size_t n = std::min(left, sizeof v);
    std::memcpy(&v, at, n);
    at += n;
    left -= n;
    return v;
  }
};

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A results file, closed or as a killed writer leaves it.
std::string recorded(bool killed) {
  const auto file = folder() / (killed ? "killed.h5" : "closed.h5");
  record::ResultWriter w(
      file, {"1", "fuzz", "now", {{{}, {{.path = "a.b", .count = 2}, {.path = "a.c"}}}}});
  const std::vector<std::byte> row(w.row(0).bytes);
  for (int i = 0; i < 40; ++i) w.append(0, row);
  w.flush();
  if (!killed) w.close();
  return content(file);
}

void change(std::string& bytes, Input& in) {
  while (in.left > 0) {
    const std::size_t at = in.next<std::uint32_t>() % bytes.size();
    bytes[at] = in.next<char>();
  }
}

/// A file that is valid for HDF5. What cannot be created is left out.
void made(const std::filesystem::path& file, Input& in) {
  const auto lock = record::hdf5::locked();
  const Handle access = record::hdf5::file_access();
  const Handle h(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, "");
  static constexpr const char* names[] = {"a", "b", "value", "time", ".", "x.y", "\xff", "b b"};
  static const hid_t types[] = {H5T_IEEE_F64LE, H5T_STD_I64LE,   H5T_STD_U8LE,   H5T_C_S1,
                                H5T_IEEE_F32BE, H5T_STD_REF_OBJ, H5T_UNIX_D32LE, H5T_STD_B64LE};
  std::vector<std::string> groups{"/signals"};
  H5Gclose(H5Gcreate2(h.get(), "/signals", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  for (int n = 0; n < 64 && in.left > 0; ++n) {
    const std::string in_group = groups[in.next<std::uint8_t>() % groups.size()];
    const std::string path = in_group + "/" + names[in.next<std::uint8_t>() % 8];
    const std::uint8_t what = in.next<std::uint8_t>();
    const std::string& other = groups[in.next<std::uint8_t>() % groups.size()];
    if (what % 8 == 0) {
      const hid_t g = H5Gcreate2(h.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      if (g >= 0) groups.push_back(path);
      if (g >= 0) H5Gclose(g);
    } else if (what % 8 == 1) {
      H5Lcreate_hard(h.get(), other.c_str(), h.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else if (what % 8 == 2) {
      H5Lcreate_soft(other.c_str(), h.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else if (what % 8 == 3) {
      H5Lcreate_external("closed.h5", "/signals", h.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else {
      const std::uint8_t form = in.next<std::uint8_t>();
      const auto rows = in.next<std::uint64_t>() >> (in.next<std::uint8_t>() % 64);
      const hsize_t size[3] = {rows, in.next<std::uint8_t>(), 1}, chunk[3] = {16, 2, 1};
      const int rank = form % 4;
      const Handle space(H5Screate_simple(rank, size, nullptr), H5Sclose, "");
      const Handle create = record::hdf5::property_list(H5P_DATASET_CREATE);
      if (rank > 0 && (form & 4) != 0) H5Pset_chunk(create.get(), rank, chunk);
      if (rank > 0 && (form & 8) != 0) H5Pset_deflate(create.get(), 1);
      if ((form & 16) != 0) H5Pset_external(create.get(), "closed.h5", 0, H5F_UNLIMITED);
      const hid_t d = H5Dcreate2(h.get(), path.c_str(), types[what / 8 % 8], space.get(),
                                 H5P_DEFAULT, create.get(), H5P_DEFAULT);
      if (d < 0) continue;
      const std::string text(in.next<std::uint8_t>(), 'x');
      record::hdf5::write_attribute(d, (form & 32) != 0 ? "signal" : "unit", text);
      if ((form & 64) != 0)
        H5Olink(d, h.get(), (other + "/time").c_str(), H5P_DEFAULT, H5P_DEFAULT);
      H5Dclose(d);
    }
  }
}

void use(const std::filesystem::path& file) {
  record::ResultReader r(file);
  r.refresh();
  for (const record::Signal& s : r.signals()) {
    require(s.spec.count > 0 && r.find(s.spec.path) != nullptr);
    const record::Series some = r.read(s, s.rows / 2, 100);
    require(some.values.size() == some.time.size() * s.spec.count);
    if (s.rows < 100000) {
      constexpr std::size_t most = 8 / 2 * 3 + 2;
      require(r.trace(s, s.spec.count - 1, 8).time.size() <= most);
      record::Columns columns(file);
      bool whole = false;
      const record::Signal& same = *columns.reader().find(s.spec.path);
      const auto t = columns.read(same, same.spec.count - 1, -1e3, 1e3, 8, whole);
      require(t.time.size() <= most && t.values.size() == t.time.size());
      static_cast<void>(columns.row(same, 1.0));
      columns.refresh();
    }
    if (s.rows * s.spec.count > 100000) return;
  }
  std::ostringstream out;
  record::export_csv(r, {}, out);
  record::export_json(r, {}, out);
  static_cast<void>(record::compare(r, r));
}

}  // namespace

/// HDF5 keeps freed memory where no pointer refers to it.
// NOLINTNEXTLINE(readability-identifier-naming): the sanitizer asks for this name
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string closed = recorded(false), killed = recorded(true);
  Input in{data, size};
  const auto file = folder() / "it.h5", lock = folder() / "it.h5.lock";
  const int how = in.next<std::uint8_t>() % 3;
  std::filesystem::remove(file);
  std::filesystem::remove(lock);
  try {
    if (how == 0) {
      made(file, in);
    } else {
      std::string bytes = how == 1 ? closed : killed, journal(48, '\0');
      if (how == 2) {
        const auto offset = in.next<std::uint64_t>() >> (in.next<std::uint8_t>() % 64);
        const std::uint64_t length = in.next<std::uint8_t>();
        std::memcpy(journal.data() + 32, &offset, 8);
        std::memcpy(journal.data() + 40, &length, 8);
        for (std::uint64_t i = 0; i < length; ++i) journal += in.next<char>();
        const Digest d = sha256(std::as_bytes(std::span(journal).subspan(32)));
        std::memcpy(journal.data(), d.data(), d.size());
        std::ofstream(lock, std::ios::binary) << journal;
      }
      change(bytes, in);
      std::ofstream(file, std::ios::binary) << bytes;
    }
    use(file);
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() > 0);
  } catch (const record::hdf5::Error&) {
    require(how == 0);  // could not be made
  }
  return 0;
}
