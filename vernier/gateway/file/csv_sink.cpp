#include "vernier/gateway/file/csv_sink.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/shell_word.hpp"
#include "vernier/gateway/file/confined.hpp"
#include "vernier/gateway/file/csv.hpp"
#include "vernier/gateway/file/detail/writer.hpp"

namespace vernier::file {
namespace {

enum Note : std::int32_t { rows_dropped = 1, cannot_write = 2 };

}  // namespace

CsvSink::CsvSink(channel::Channels channels, CsvSinkSettings settings)
    : channels_(std::move(channels)),
      settings_(std::move(settings)),
      description_(channel::described(channels_)),
      path_(settings_.path),
      row_(channel::size(channels_.inputs)) {
  description_.rate = settings_.rate;
  description_.abilities.reacts = true;  // to see the values after all reactions
  description_.state_bytes = sizeof(Open) + sizeof(double) * row_.size();
  if (!settings_.confined) return;
  if (const std::string why = escape(settings_.path, settings_.writable); !why.empty())
    refuse_place(why);
}

CsvSink::~CsvSink() {
  if (writer_) flush();
}

void CsvSink::flush() {
  if (!writer_) return;
  if (open_.time != Time::min() && open_.time > handed_over_) {
    while (!writer_->push(open_.time, row_) && writer_->error() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    handed_over_ = open_.time;
  }
  writer_->flush();
}

void CsvSink::bind(const Bindings& bindings) {
  ports_.bind(channels_, bindings);
  journal_ = &bindings.journal();
}

std::string CsvSink::header() const {
  std::string text = settings_.units ? "t (s)" : "t";
  for (const auto& c : channels_.inputs) {
    const std::string base = c.column.empty() ? c.name : c.column;
    for (std::uint32_t i = 0; i < c.count; ++i) {
      std::string name = c.count == 1 ? base : base + "[" + std::to_string(i) + "]";
      if (settings_.units && c.unit != "1") name += " (" + c.unit + ")";
      text += settings_.separator + as_field(name, settings_.separator);
    }
  }
  return text + "\n";
}

void CsvSink::refuse_place(const std::string& why) const {
  Diagnostics problems;
  Diagnostic& d = problems.error(
      "V7312", "the document may not write " + settings_.path.string() + ": " + why, {});
  d.notes.push_back("a relative path is a file in the folder of the run, below outputs/");
  if (settings_.path.is_absolute())
    d.notes.push_back("to allow this one: --allow-write " +
                      shell_word(settings_.path.parent_path().lexically_normal().string()));
  throw ConfigurationError(std::move(problems));
}

int CsvSink::created(int number) {
  const bool inside = settings_.confined && settings_.path.is_relative();
  path_ = inside ? folder_ / settings_.path : settings_.path;
  if (number > 1)
    path_.replace_filename(settings_.path.stem().string() + "-" + std::to_string(number) +
                           settings_.path.extension().string());
  const int flags = O_RDWR | O_CREAT |
                    (settings_.existing == CsvSinkSettings::Existing::replace ? O_TRUNC : O_EXCL);
  if (!settings_.confined) return ::open(path_.c_str(), flags | O_CLOEXEC, 0666);
  if (inside) {
    std::error_code reported_by_open;
    std::filesystem::create_directories(path_.parent_path(), reported_by_open);
  }
  return open_below(inside ? folder_ : root_of(path_, settings_.writable), path_, flags);
}

bool CsvSink::initialize(Time, int phase) {
  if (phase > 0) return true;
  using Existing = CsvSinkSettings::Existing;
  if (writer_) flush();
  writer_.reset();
  open_ = {};
  due_ = handed_over_ = Time::min();
  dropped_ = 0;
  told_failure_ = false;
  if (settings_.confined && settings_.path.is_relative() && folder_.empty())
    refuse_place("there is no folder of a run");
  int fd = created(1);
  for (int n = 2;
       fd < 0 && errno == EEXIST && settings_.existing == Existing::number && n < 100'000; ++n)
    fd = created(n);
  if (fd < 0 && settings_.confined && (errno == EXDEV || errno == ELOOP))
    refuse_place("a symbolic link leads elsewhere");
  if (fd < 0 && errno == EEXIST) {
    throw ConfigurationError(
        "V7311", path_.string() + " exists; choose another name, or set existing to replace");
  }
  if (fd < 0) {
    throw ConfigurationError(
        "V7310", path_.string() + " cannot be written: " + std::generic_category().message(errno));
  }
  const std::string text = header();
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const std::string why = std::generic_category().message(errno);
    close(fd);
    throw ConfigurationError("V7310", path_.string() + " cannot be written: " + why);
  }
  writer_ = std::make_unique<Writer>(fd, row_.size(), settings_.separator, settings_.memory);
  return true;
}

bool CsvSink::failed() noexcept {
  const int error = writer_ ? writer_->error() : 0;
  if (error == 0) return false;
  fault_.set(Category::machine, "V7310", "%s cannot be written any more: %s", path_.c_str(),
             strerrordesc_np(error));
  // an unpaced run stops rather than lose a row; a paced one continues and reports it
  if (paced_) return true;
  if (!told_failure_ && journal_) {
    told_failure_ = true;
    Entry e;
    e.at = {open_.time};
    e.kind = cannot_write;
    e.item = error;
    journal_->note(e);
  }
  return false;
}

Outcome CsvSink::output(Instant at) noexcept {
  due_ = at.time;
  return failed() ? Outcome::failed : Outcome::ok;
}

void CsvSink::hand_over() noexcept {
  if (open_.time == Time::min() || open_.time <= handed_over_ || !writer_) return;
  handed_over_ = open_.time;
  if (writer_->error() == 0 && writer_->push(open_.time, row_)) return;
  // reported at the first and at every doubling: neither missed nor too often
  if (std::has_single_bit(++dropped_) && journal_) {
    Entry e;
    e.at = {open_.time};
    e.kind = rows_dropped;
    e.values[0] = static_cast<double>(dropped_);
    journal_->note(e);
  }
}

Outcome CsvSink::react(Instant at) noexcept {
  if (at.time != due_) return Outcome::ok;
  // a row is passed on when the next one begins: until then a reaction or rewind may change it
  if (at.time > open_.time) hand_over();
  open_.time = at.time;
  ports_.take_inputs(row_);
  return Outcome::ok;
}

Advance CsvSink::advance(Time, Time to) noexcept { return {to}; }

Outcome CsvSink::Waiting::wait_for(Time) noexcept {
  sink.paced_ = true;
  while (sink.writer_ && sink.writer_->half_full() && sink.writer_->error() == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return Outcome::ok;
}

void CsvSink::save(std::span<std::byte> to) const noexcept {
  std::memcpy(to.data(), &open_, sizeof open_);
  const auto row = std::as_bytes(std::span(row_));
  std::copy(row.begin(), row.end(), to.begin() + sizeof open_);
}

void CsvSink::load(std::span<const std::byte> from) noexcept {
  std::memcpy(&open_, from.data(), sizeof open_);
  const auto row = std::as_writable_bytes(std::span(row_));
  std::copy_n(from.begin() + sizeof open_, row.size(), row.begin());
  if (writer_ && handed_over_ != Time::min() && open_.time <= handed_over_) {
    // a rewind: the rows from then on are removed
    writer_->rewind(open_.time);
    handed_over_ = open_.time == Time::min() ? open_.time : open_.time - Duration{1};
  }
}

Telling CsvSink::tell(const Entry& e) const {
  Telling t;
  t.kind = "file";
  t.warning = true;
  t.reason = e.kind == rows_dropped
                 ? std::to_string(static_cast<std::uint64_t>(e.values[0])) + " rows of " +
                       path_.string() + " dropped so far: the disk is too slow"
                 : path_.string() +
                       " cannot be written any more: " + std::generic_category().message(e.item);
  return t;
}

}  // namespace vernier::file
