#include "vernier/run/record/detail/result_index.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace vernier::record {

using hdf5::Handle;

namespace {

constexpr int deepest = 32;
constexpr std::size_t most_signals = 1'000'000;

/// Refuses a dataset that takes its values from other files, or claims more of them than its file
/// can contain: an untrusted file must not refer elsewhere, nor cause huge allocations.
void check_storage(hid_t dataset, hid_t create, hsize_t rows, hsize_t columns) {
  const H5D_layout_t layout = H5Pget_layout(create);
  const bool own = layout == H5D_CHUNKED || layout == H5D_CONTIGUOUS || layout == H5D_COMPACT;
  if (!own || H5Pget_external_count(create) != 0)
    throw hdf5::Error("the values of a signal are in another file");
  const Handle file(H5Iget_file_id(dataset), H5Fclose, "file");
  const Handle type(H5Dget_type(dataset), H5Tclose, "type");
  hsize_t bytes = 0;
  hdf5::check(H5Fget_filesize(file.get(), &bytes), "size");
  // more than deflate can achieve; and what a writer may have added since the file was opened
  constexpr hsize_t compressed = 2048, added = hsize_t{64} << 20;
  bytes = std::min(bytes, std::numeric_limits<hsize_t>::max() / compressed - added) + added;
  if (H5Pget_nfilters(create) > 0) bytes *= compressed;
  const hsize_t element = std::max<hsize_t>(1, H5Tget_size(type.get()));
  if (columns > 0 && rows > bytes / element / columns)
    throw hdf5::Error("a signal has more rows than the file can hold");
}

/// Rows of a dataset; with `cautious`, without chunks at its end that are not in the file.
std::uint64_t rows_of(hid_t dataset, bool cautious) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "dataspace");
  hsize_t size[2] = {0, 1};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 1 || rank > 2) throw hdf5::Error("a signal is neither a column nor a table");
  H5Sget_simple_extent_dims(space.get(), size, nullptr);
  const Handle create(H5Dget_create_plist(dataset), H5Pclose, "properties");
  check_storage(dataset, create.get(), size[0], size[1]);
  if (!cautious || H5Pget_layout(create.get()) != H5D_CHUNKED) return size[0];
  hsize_t chunk[2] = {0, 0};
  if (H5Pget_chunk(create.get(), 2, chunk) != rank || chunk[0] == 0) return size[0];
  const auto stands = [&](hsize_t chunk_number) {
    const hsize_t offset[2] = {chunk_number * chunk[0], 0};
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    unsigned mask = 0;
    return H5Dget_chunk_info_by_coord(dataset, offset, &mask, &address, &bytes) >= 0 &&
           address != HADDR_UNDEF;
  };
  // Chunks are written in order, so the available ones come first. A block of the index that was
  // torn
  // when its writer was killed hides many at once, and each failed access takes a while: bisection
  // needs few of them.
  const hsize_t all = (size[0] + chunk[0] - 1) / chunk[0];
  if (all == 0 || stands(all - 1)) return size[0];
  hsize_t found = 0, missing = all - 1;  // all before `found` are available, none from `missing` on
  while (found < missing) {
    const hsize_t middle = found + (missing - found) / 2;
    if (stands(middle)) {
      found = middle + 1;
    } else {
      missing = middle;
    }
  }
  return found * chunk[0];
}

struct Walk {
  hid_t file;
  bool cautious;
  int depth = 0;
  std::string place;
  std::vector<IndexedSignal> found = {};
  std::set<std::uint64_t> groups = {};  // already visited: links may be cyclic
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> times = {};  // rows, rate
  std::string error = {};
};

void take_signal(Walk& w) {
  const Handle value(H5Dopen2(w.file, (w.place + "/value").c_str(), H5P_DEFAULT), H5Dclose,
                     "value");
  const Handle time(H5Dopen2(w.file, (w.place + "/time").c_str(), H5P_DEFAULT), H5Dclose, "time");
  H5O_info_t info{};
  hdf5::check(H5Oget_info2(time.get(), &info, H5O_INFO_BASIC), "time");

  IndexedSignal s;
  s.place = w.place;
  s.time_id = info.addr;
  if (const auto [known, fresh] = w.times.try_emplace(s.time_id); fresh) {
    known->second = {rows_of(time.get(), w.cautious), hdf5::read_attribute(time.get(), "rate")};
  }
  s.rate = w.times[s.time_id].second;
  s.rows = std::min(w.times[s.time_id].first, rows_of(value.get(), w.cautious));
  s.spec.path = hdf5::read_attribute(value.get(), "signal");
  if (s.spec.path.empty()) {  // written by another program: use the location as the path
    s.spec.path = w.place.substr(9);
    std::replace(s.spec.path.begin(), s.spec.path.end(), '/', '.');
  }
  s.spec.unit = hdf5::read_attribute(value.get(), "unit");
  s.spec.frame = hdf5::read_attribute(value.get(), "frame");
  s.spec.description = hdf5::read_attribute(value.get(), "description");
  s.spec.held = hdf5::read_attribute(value.get(), "interpolation") == "hold";

  const Handle space(H5Dget_space(value.get()), H5Sclose, "dataspace");
  hsize_t size[2] = {0, 1};
  H5Sget_simple_extent_dims(space.get(), size, nullptr);
  if (size[1] == 0 || size[1] > 1'000'000) throw hdf5::Error("unusable number of elements");
  s.spec.count = static_cast<std::uint32_t>(size[1]);
  const Handle type(H5Dget_type(value.get()), H5Tclose, "type");
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind == H5T_INTEGER) {
    s.spec.scalar = H5Tget_size(type.get()) == 1 ? Scalar::byte : Scalar::integer;
  } else if (kind != H5T_FLOAT) {
    throw hdf5::Error(s.spec.path + " does not hold numbers");
  }
  w.found.push_back(std::move(s));
}

/// Whether the object is in the file itself, not a link elsewhere.
bool is_own(hid_t file, const std::string& path) {
  H5L_info_t link{};
  return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0 &&
         H5Lget_info(file, path.c_str(), &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
}

bool is_dataset(hid_t file, const std::string& path) {
  if (!is_own(file, path)) return false;
  H5O_info_t info{};
  return H5Oget_info_by_name2(file, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
         info.type == H5O_TYPE_DATASET;
}

void walk(Walk&);

// called from C: exceptions must not leave it
herr_t visit(hid_t, const char* name, const H5L_info_t* link, void* data) noexcept {
  Walk& w = *static_cast<Walk*>(data);
  if (link->type != H5L_TYPE_HARD) return 0;  // an untrusted file could refer anywhere
  const std::size_t length = w.place.size();
  try {
    w.place += '/';
    w.place += name;
    H5O_info_t info{};
    hdf5::check(H5Oget_info_by_name2(w.file, w.place.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT),
                "cannot read the list of signals");
    if (info.type == H5O_TYPE_GROUP && w.groups.insert(info.addr).second) walk(w);
  } catch (const std::exception& e) {
    w.error = e.what();
    return -1;
  }
  w.place.resize(length);
  return 0;
}

void walk(Walk& w) {
  if (++w.depth > deepest) throw hdf5::Error("signals are nested too deeply");
  if (w.found.size() >= most_signals) throw hdf5::Error("too many signals");
  // a signal has a name: it is in a group below the first
  if (w.depth > 1 && is_dataset(w.file, w.place + "/value") &&
      is_dataset(w.file, w.place + "/time"))
    take_signal(w);
  const Handle group(H5Gopen2(w.file, w.place.c_str(), H5P_DEFAULT), H5Gclose, "group");
  const herr_t status = H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &w);
  if (!w.error.empty()) throw hdf5::Error(w.error);
  hdf5::check(status, "cannot read the list of signals");
  --w.depth;
}

}  // namespace

std::vector<IndexedSignal> index_signals(hid_t file, bool cautious) {
  Walk w{.file = file, .cautious = cautious, .place = "/signals"};
  if (!is_own(file, "/signals")) throw hdf5::Error("it has no group /signals");
  H5O_info_t info{};
  hdf5::check(H5Oget_info_by_name2(file, "/signals", &info, H5O_INFO_BASIC, H5P_DEFAULT),
              "cannot read the list of signals");
  w.groups.insert(info.addr);
  walk(w);
  if (cautious) {
    // a row is complete when all signals that share its time have it
    std::map<std::uint64_t, std::uint64_t> least;
    for (const IndexedSignal& s : w.found) {
      const auto [at, fresh] = least.try_emplace(s.time_id, s.rows);
      at->second = std::min(at->second, s.rows);
    }
    for (IndexedSignal& s : w.found) s.rows = least[s.time_id];
  }
  std::sort(w.found.begin(), w.found.end(),
            [](const auto& a, const auto& b) { return a.spec.path < b.spec.path; });
  return std::move(w.found);
}

}  // namespace vernier::record
