#include "vernier/run/record/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/detail/files.hpp"
#include "vernier/run/record/detail/hdf5.hpp"
#include "vernier/run/record/detail/writer_lock.hpp"
#include "vernier/run/record/live_rows.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_manifest = 16u << 20;
constexpr std::uintmax_t largest_copy = 64u << 20;  // of data

[[noreturn]] void refuse(const std::string& what, const fs::path& at, const std::string& why) {
  throw ConfigurationError("V7107", what + " " + at.string() + ": " + why);
}

std::string file_name_of(std::string_view name) {
  std::string clean;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    clean += plain ? c : '-';
  }
  while (!clean.empty() && clean.front() == '.') clean.erase(0, 1);
  if (clean.size() > 100) clean.resize(100);
  return clean.empty() ? "run" : clean;
}

/// The number at the end of "detumble-0007"; nothing when it does not belong to `name`.
std::optional<long long> number_of(const std::string& folder, const std::string& name) {
  if (folder.size() < name.size() + 5 || !folder.starts_with(name + "-")) return {};
  const std::string digits = folder.substr(name.size() + 1);
  if (digits.find_first_not_of("0123456789") != std::string::npos || digits.size() > 15) return {};
  return parsed_integer(digits);
}

fs::path folder_with_number(const fs::path& runs, const std::string& name, long long n) {
  char number[32];
  std::snprintf(number, sizeof number, "-%04lld", n);
  return runs / (name + number);
}

Descriptor opened_folder(const fs::path& folder) {
  return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Whether a run writes into a folder. Not every file system locks folders; then its results tell.
bool in_use(const fs::path& folder) {
  const Descriptor lock = opened_folder(folder);
  const bool locked = lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return locked || being_written(folder / "results.h5");
}

/// Makes `latest` point to `target`, unless it exists and is not a link.
void point_latest(const fs::path& runs, const fs::path& target) {
  std::error_code ignored;
  const fs::path latest = runs / "latest";
  const fs::file_status status = fs::symlink_status(latest, ignored);
  if (fs::exists(status) && !fs::is_symlink(status)) return;
  const fs::path draft = runs / (".latest-" + target.filename().string());
  fs::create_symlink(target.filename(), draft, ignored);
  fs::rename(draft, latest, ignored);
  fs::remove(draft, ignored);
}

fs::path common_root(const std::vector<fs::path>& files) {
  fs::path root = files.front().parent_path();
  for (const fs::path& f : files) {
    fs::path shared;
    auto a = root.begin(), b = f.begin();
    for (; a != root.end() && b != f.end() && *a == *b; ++a, ++b) shared /= *a;
    root = shared;
  }
  return root;
}

/// Room on the disk, of a file that nobody sees and the system removes with the process. Invalid
/// where there is none.
Descriptor reserved_room(const fs::path& folder) {
  constexpr off_t bytes = 512 * 1024;  // manifest, report of real time, last lines of logs
  Descriptor d(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (d && ::fallocate(d.get(), FALLOC_FL_KEEP_SIZE, 0, bytes) != 0) d.reset();
  return d;
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t sum = 0;
  std::error_code e;
  for (fs::recursive_directory_iterator i(folder, e), end; !e && i != end; i.increment(e)) {
    std::error_code ignored;
    if (i->is_regular_file(ignored) && !i->is_symlink(ignored)) sum += i->file_size(ignored);
  }
  return sum;
}

}  // namespace

RunLog::RunLog(const fs::path& path, bool again)
    : file_(path, again ? std::ios::app : std::ios::out) {
  if (!file_) refuse("cannot write", path, std::generic_category().message(errno));
}

void RunLog::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  file_.clear();  // a full disk may have room again
  file_ << iso8601(std::chrono::system_clock::now()) << "  " << text << '\n' << std::flush;
}

RunFolder::RunFolder(const fs::path& runs, std::string_view name) {
  const std::string clean = file_name_of(name);
  std::error_code e;
  fs::create_directories(runs, e);
  if (e) refuse("cannot make the folder", runs, e.message());
  long long newest = 0;
  for (fs::directory_iterator i(runs, e), end; !e && i != end; i.increment(e)) {
    newest = std::max(newest, number_of(i->path().filename().string(), clean).value_or(0));
  }
  for (long long n = newest + 1;; ++n) {
    path_ = folder_with_number(runs, clean, n);
    if (::mkdir(path_.c_str(), 0755) == 0) break;
    if (errno != EEXIST)
      refuse("cannot make the folder", path_, std::generic_category().message(errno));
  }
  lock_ = opened_folder(path_);
  if (lock_) static_cast<void>(::flock(lock_.get(), LOCK_EX));
  fs::create_directory(path_ / "inputs", e);
  if (!e) fs::create_directory(path_ / "checkpoints", e);
  if (e) refuse("cannot make the folder", path_, e.message());
  log_ = std::make_unique<RunLog>(path_ / "log.txt");
  reserve_ = reserved_room(path_);
  std::error_code none;
  before_ = fs::read_symlink(runs / "latest", none);
  point_latest(runs, path_);
}

RunFolder::RunFolder(fs::path folder, Descriptor lock)
    : path_(std::move(folder)), continued_(true), lock_(std::move(lock)) {
  log_ = std::make_unique<RunLog>(path_ / "log.txt", true);
  reserve_ = reserved_room(path_);
}

void RunFolder::discard() noexcept {
  std::error_code ignored;
  log_.reset();
  if (continued_) return;
  fs::remove_all(path_, ignored);
  const fs::path runs = path_.parent_path(), latest = runs / "latest";
  if (fs::read_symlink(latest, ignored) != path_.filename()) return;  // a later run's
  if (before_.empty()) {
    fs::remove(latest, ignored);
    fs::remove(runs, ignored);  // unless there is something in it
  } else {
    point_latest(runs, before_);
  }
}

fs::path RunFolder::checkpoint(Time t) const { return path_ / "checkpoints" / checkpoint_name(t); }

std::vector<Input> RunFolder::copy_inputs(const std::vector<fs::path>& documents,
                                          const std::vector<fs::path>& data,
                                          const KnownContent& known) {
  std::vector<Input> inputs;
  if (documents.empty()) return inputs;
  std::vector<fs::path> files;
  const auto add = [&files](const fs::path& file) {
    fs::path whole = fs::absolute(file).lexically_normal();
    if (std::find(files.begin(), files.end(), whole) == files.end())
      files.push_back(std::move(whole));
  };
  for (const fs::path& d : documents) add(d);
  const std::size_t always = files.size();
  for (const fs::path& d : data) add(d);
  const fs::path root = common_root(files);
  for (std::size_t n = 0; n < files.size(); ++n) {
    const fs::path& f = files[n];
    const fs::path place = f.lexically_relative(root);
    const fs::path copy = path_ / "inputs" / place;
    std::error_code e;
    if (const auto size = fs::file_size(f, e); n >= always && !e && size > largest_copy) {
      inputs.push_back({place.generic_string(), f.string(), text(sha256_of_file(f)), size, false});
      continue;
    }
    e.clear();
    fs::create_directories(copy.parent_path(), e);
    const std::string* content = known ? known(f) : nullptr;
    if (!e && content) {
      std::ofstream out(copy, std::ios::binary);
      out << *content;
      out.close();
      if (!out) e = std::make_error_code(std::errc::io_error);
    } else if (!e) {
      fs::copy_file(f, copy, fs::copy_options::overwrite_existing, e);
    }
    if (e) refuse("cannot copy", f, e.message());
    // of the content from which the run can be repeated
    const Digest digest =
        content ? sha256(std::as_bytes(std::span(*content))) : sha256_of_file(copy);
    inputs.push_back({place.generic_string(), f.string(), text(digest), fs::file_size(copy)});
  }
  return inputs;
}

void RunFolder::write(const Manifest& m) const { write("manifest.json", to_json(m)); }

void RunFolder::write(const std::string& file, std::string_view content) const {
  write_file(path_ / file, content);
}

void write_file(const fs::path& file, std::string_view content) {
  replace_file(file, std::as_bytes(std::span(content)));
}

std::string read_file(const fs::path& file, std::size_t most) {
  const auto content = file_content(file, most);
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

Descriptor lock_of_dead_run(const fs::path& run_folder, bool wait) {
  using namespace std::chrono_literals;
  Descriptor lock = opened_folder(run_folder);
  if (!lock) refuse("cannot open", run_folder, std::generic_category().message(errno));
  // who lists runs holds the lock for a moment
  const auto patience = std::chrono::steady_clock::now() + 500ms;
  const auto over = [&] { return !wait && std::chrono::steady_clock::now() > patience; };
  int status = 0;
  do {
    status = ::flock(lock.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB);
    if (status == 0 || (errno != EWOULDBLOCK && errno != EINTR)) break;
    if (!wait) std::this_thread::sleep_for(5ms);
  } while (!over());
  // not every file system locks folders: then the lock of the results tells
  const bool locked = status != 0 && errno == EWOULDBLOCK;
  while (!locked && being_written(run_folder / "results.h5")) {
    if (over()) break;
    std::this_thread::sleep_for(5ms);
  }
  if (!locked && !being_written(run_folder / "results.h5")) return lock;
  Diagnostics problems;
  problems.error("V7131", run_folder.string() + " cannot be continued: the run still runs", {})
      .notes.push_back("--standby   waits, and continues the run as soon as its process dies");
  throw ConfigurationError(problems);
}

Manifest read_manifest(const fs::path& run_folder) {
  const fs::path file = run_folder / "manifest.json";
  const auto read = [&file] { return manifest_from_json(read_file(file, largest_manifest), file); };
  Manifest m = read();
  if (m.status != "running" || in_use(run_folder)) return m;
  m = read();  // it may have ended meanwhile
  if (m.status == "running") m.status = "killed";
  return m;
}

std::optional<std::size_t> repair_run(const fs::path& run_folder) {
  std::size_t changed = 0;
  bool good = true;
  for (const char* name : {"results.h5", "frames.h5"}) {
    const fs::path file = run_folder / name;
    if (!hdf5::marked_open(file)) continue;
    const bool done = repair(file);
    good &= done;
    changed += done;
  }
  changed += remove_dead_live_file(run_folder);
  // drafts of replace_file() and of result files
  const auto unfinished = [](const std::string& name) {
    const std::size_t at = name.rfind(".new");
    return at != std::string::npos &&
           name.find_first_not_of("0123456789", at + 4) == std::string::npos;
  };
  for (const fs::path& folder : {run_folder, run_folder / "checkpoints"}) {
    std::error_code e;
    std::vector<fs::path> leftovers;
    for (fs::directory_iterator i(folder, e), end; !e && i != end; i.increment(e))
      if (unfinished(i->path().filename().string())) leftovers.push_back(i->path());
    for (const fs::path& p : leftovers) {
      const bool done = fs::remove(p, e);
      good &= done;
      changed += done;
    }
  }
  if (!good) return {};
  return changed;
}

bool is_run_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / "manifest.json", ignored);
}

Digest digest_of(const std::vector<Input>& inputs) {
  Sha256 sum;
  for (const Input& i : inputs) sum.add(i.sha256);
  return sum.finish();
}

Repetition repetition(const fs::path& run_folder) {
  Repetition r{{}, read_manifest(run_folder)};
  const fs::path inputs = run_folder / "inputs";
  const auto below = [&](const std::string& file) {
    const fs::path place = fs::path(file).lexically_normal();
    if (place.empty() || place.is_absolute() || *place.begin() == "..") {
      throw ConfigurationError("V7108", run_folder.string() +
                                            ": the manifest names an input outside "
                                            "of the run's folder: " +
                                            file);
    }
    return inputs / place;
  };
  Diagnostics problems;
  for (const Input& i : r.manifest.inputs) {
    const fs::path copy = fs::absolute(below(i.file)).lexically_normal();
    const fs::path original = i.original;
    const fs::path& file = i.copied ? copy : original;
    // most names are relative, and lead from copy to copy; others lead to the originals
    r.moved.emplace(i.copied ? original : copy, file);
    const std::string note = i.copied
                                 ? "it was copied from " + i.original
                                 : "it is too large to be copied; put it back to " + i.original;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
      problems.error("V7109", "input " + i.file + " of " + run_folder.string() + " is missing", {})
          .notes.push_back(note);
    } else if (text(sha256_of_file(file)) != i.sha256) {
      problems
          .error("V7109",
                 "input " + i.file + " of " + run_folder.string() +
                     " is not what it was when the run began",
                 {})
          .notes.push_back(note);
    }
  }
  problems.throw_if_errors();
  r.document = below(r.manifest.document);
  return r;
}

std::vector<RunEntry> list_runs(const fs::path& runs) {
  std::vector<RunEntry> found;
  std::error_code e;
  for (fs::directory_iterator i(runs, e), end; !e && i != end; i.increment(e)) {
    std::error_code ignored;
    if (i->is_symlink(ignored) || !is_run_folder(i->path())) continue;
    RunEntry r{i->path(), {}, bytes_below(i->path())};
    try {
      r.manifest = read_manifest(i->path());
    } catch (const ConfigurationError&) {
      r.manifest.name = i->path().filename().string();
      r.manifest.status = "unreadable";
    }
    found.push_back(std::move(r));
  }
  std::sort(found.begin(), found.end(), [](const RunEntry& a, const RunEntry& b) {
    return std::tie(a.manifest.started, a.path) < std::tie(b.manifest.started, b.path);
  });
  return found;
}

std::vector<fs::path> prune(const fs::path& runs, std::size_t keep, bool really) {
  std::vector<RunEntry> all = list_runs(runs);
  std::map<std::string, std::size_t> seen;
  std::vector<fs::path> removed;
  for (auto r = all.rbegin(); r != all.rend(); ++r) {
    const std::string& status = r->manifest.status;
    if (status == "running" || status == "unreadable") continue;
    if (++seen[r->manifest.composition] <= keep) continue;
    std::error_code e;
    if (really) fs::remove_all(r->path, e);
    if (e) refuse("cannot remove", r->path, e.message());
    removed.push_back(r->path);
  }
  std::error_code ignored;
  const fs::path latest = runs / "latest";
  if (fs::is_symlink(latest, ignored) && !fs::exists(latest, ignored)) fs::remove(latest, ignored);
  std::reverse(removed.begin(), removed.end());
  return removed;
}

}  // namespace vernier::record
