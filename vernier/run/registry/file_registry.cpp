#include "vernier/run/registry/file_registry.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::registry {
namespace {

namespace fs = std::filesystem;
using Kind = Trouble::Kind;

/// A lock of this open file, not of the process, on all of it.
struct flock whole_file() noexcept {
  struct flock l {};
  l.l_type = F_WRLCK;
  l.l_whence = SEEK_SET;
  return l;
}

Trouble words_of(const ConfigurationError& e) {
  return {Kind::unreachable, e.diagnostics().list().front().message, {}};
}

Failure<Trouble> not_possible() {
  return Failure{Trouble{Kind::unreachable, "a folder has the registry of one run only", {}}};
}

}  // namespace

FileRegistry::FileRegistry(const fs::path& run_folder)
    : record_(run_folder / "registry.json"), lock_file_(run_folder / "registry.lock") {}

Answer<Term> FileRegistry::lead(const std::string& run, const Leader& who,
                                Clock::time_point deadline) {
  Descriptor d(::open(lock_file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!d)
    return Failure{Trouble{
        Kind::unreachable, "cannot open " + lock_file_.string() + ": " + net::system_error(), {}}};
  struct flock lock = whole_file();
  const int error = ::fcntl(d.get(), F_OFD_SETLK, &lock) == 0 ? 0 : errno;
  const auto before = look(run, deadline);
  if (error == EAGAIN || error == EACCES) {
    const Leader other = before && before->leader ? *before->leader : Leader{};
    return Failure{Trouble{Kind::taken, text(other), other}};
  }
  if (!before) return Failure{before.error()};
  Term t{.run = run, .epoch = before->record ? before->record->leader.epoch + 1 : 1};
  lock_ = std::move(d);
  Record r = before->record.value_or(Record{});
  r.run = run;
  r.leader = who;
  r.leader.epoch = t.epoch;
  const auto written = publish(t, r, deadline);
  if (written) return t;
  lock_.reset();
  return Failure{written.error()};
}

Answer<Clock::time_point> FileRegistry::renew(const Term& t, Clock::time_point) { return t.ends; }

Answer<Done> FileRegistry::publish(const Term&, const Record& r, Clock::time_point) {
  if (!lock_) return Failure{Trouble{Kind::lost, "the term is over", {}}};
  try {
    record::write_file(record_, to_json(r));
  } catch (const ConfigurationError& e) {
    return Failure{words_of(e)};
  }
  return Done{};
}

Answer<Done> FileRegistry::resign(const Term&, bool, Clock::time_point) {
  lock_.reset();
  return Done{};
}

Answer<Entry> FileRegistry::look(const std::string& run, Clock::time_point) {
  Entry e{.run = run};
  std::error_code none;
  if (fs::exists(record_, none)) {
    try {
      const auto content = record::read_file(record_, longest_record);
      auto r = record_of(content);
      if (r)
        e.record = std::move(*r);
      else
        return Failure{Trouble{Kind::damaged, record_.string() + ": " + r.error(), {}}};
    } catch (const ConfigurationError& error) {
      return Failure{words_of(error)};
    }
  }
  const Descriptor d(::open(lock_file_.c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = whole_file();
  if (d && ::fcntl(d.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
    e.leader = e.record ? e.record->leader : Leader{};
  return e;
}

Answer<std::vector<Entry>> FileRegistry::list(Clock::time_point) { return not_possible(); }
Answer<Done> FileRegistry::forget(const std::string&, Clock::time_point) { return not_possible(); }

}  // namespace vernier::registry
