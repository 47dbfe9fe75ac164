#include "vernier/gateway/file/csv.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

#include "vernier/base/text.hpp"

namespace vernier::file {
namespace {

constexpr bool blank(char c) noexcept { return c == ' ' || c == '\t'; }

std::string_view stripped(std::string_view s) noexcept {
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && (blank(s.back()) || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

}  // namespace

Fields::Fields(std::string_view record, char separator) noexcept
    : rest_(record), separator_(separator), more_(true) {
  if (!rest_.empty() && rest_.back() == '\r') rest_.remove_suffix(1);
}

bool Fields::next(std::string_view& field) noexcept {
  if (!more_) return false;
  std::size_t i = 0;
  while (i < rest_.size() && blank(rest_[i]) && rest_[i] != separator_) ++i;
  if (i < rest_.size() && rest_[i] == '"') {
    // up to the quote that is not doubled (RFC 4180)
    const std::size_t from = ++i;
    while (i < rest_.size()) {
      if (rest_[i] != '"') {
        ++i;
      } else if (i + 1 < rest_.size() && rest_[i + 1] == '"') {
        i += 2;
      } else {
        break;
      }
    }
    field = rest_.substr(from, i - from);
    const std::size_t comma = rest_.find(separator_, i);
    more_ = comma != rest_.npos;
    // text after the closing quote makes the field invalid
    const std::string_view behind =
        i < rest_.size() ? rest_.substr(i + 1, (more_ ? comma : rest_.size()) - i - 1) : "x";
    if (!stripped(behind).empty()) field = rest_.substr(0, more_ ? comma : rest_.size());
    rest_ = more_ ? rest_.substr(comma + 1) : std::string_view{};
    return true;
  }
  const std::size_t comma = rest_.find(separator_);
  more_ = comma != rest_.npos;
  field = stripped(rest_.substr(0, comma));
  rest_ = more_ ? rest_.substr(comma + 1) : std::string_view{};
  return true;
}

std::optional<std::vector<Column>> parsed_header(std::string_view record, char separator) {
  if (record.starts_with("\xEF\xBB\xBF")) record.remove_prefix(3);
  std::vector<Column> columns;
  Fields fields(record, separator);
  std::string_view field;
  while (fields.next(field)) {
    if (columns.size() == most_columns) return {};
    Column c;
    // a unit follows after a blank: "omega[0] (rad/s)"
    const std::size_t gap = field.find_last_of(" \t(") == field.npos ? field.npos
                            : field.ends_with(')')                   ? field.rfind('(')
                            : field.ends_with(']')                   ? field.rfind('[')
                                                                     : field.npos;
    if (gap != field.npos && gap > 0 && blank(field[gap - 1])) {
      c.unit = stripped(field.substr(gap + 1, field.size() - gap - 2));
      field = stripped(field.substr(0, gap));
    }
    for (std::size_t i = 0; i < field.size(); ++i) {
      c.name += field[i];
      if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
    }
    columns.push_back(std::move(c));
  }
  return columns;
}

RowReading read_row(std::string_view record, char separator, std::span<const std::int32_t> slots,
                    std::span<double> values) noexcept {
  Fields fields(record, separator);
  std::string_view field;
  std::size_t i = 0;
  RowReading first;
  for (; fields.next(field); ++i) {
    if (i >= slots.size() || slots[i] < 0 || first.flaw != RowFlaw::none) continue;
    double value = 0.0;
    std::string_view digits = field;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (field.empty()) {
      first = {RowFlaw::empty, i, field};
    } else if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
      first = {RowFlaw::number, i, field};
    } else if (error != std::errc{}) {
      const bool tiny = digits.find("e-") != digits.npos || digits.find("E-") != digits.npos;
      if (!tiny) first = {RowFlaw::not_finite, i, field};
      value = 0.0;
    } else if (!std::isfinite(value)) {
      first = {RowFlaw::not_finite, i, field};
    }
    values[static_cast<std::size_t>(slots[i])] = value;
  }
  if (i != slots.size()) return {RowFlaw::fields, i, {}};
  return first;
}

std::optional<Time> to_time(double t) noexcept {
  if (!(std::abs(t) < 9.2e9)) return {};
  // whole seconds separately, so that only the fraction is rounded
  const double whole = std::floor(t);
  return Time{
      Duration{static_cast<std::int64_t>(whole) * 1'000'000'000 + std::llround((t - whole) * 1e9)}};
}

std::size_t write_real(char* out, double x) noexcept {
  return static_cast<std::size_t>(
      std::to_chars(out, out + 32, x, std::chars_format::general, 17).ptr - out);
}

std::size_t write_time(char* out, Time t) noexcept {
  const std::int64_t ns = t.time_since_epoch().count();
  const std::uint64_t size =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  char* p = out;
  if (ns < 0) *p++ = '-';
  p = std::to_chars(p, out + 32, size / 1'000'000'000).ptr;
  if (std::uint64_t part = size % 1'000'000'000; part != 0) {
    *p++ = '.';
    std::uint64_t place = 100'000'000;
    for (; part != 0; part %= place, place /= 10) *p++ = static_cast<char>('0' + part / place);
  }
  return static_cast<std::size_t>(p - out);
}

std::string as_field(std::string_view name, char separator) {
  if (name.find(separator) == name.npos && name.find('"') == name.npos) return std::string(name);
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

LineFile::~LineFile() {
  if (fd_ >= 0) close(fd_);
}

std::optional<std::string> LineFile::open(const std::filesystem::path& path) {
  buffer_.resize(longest_csv_line + 1);
  // opening a pipe must not block; it is refused below
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about {};
  if (fd_ < 0 || fstat(fd_, &about) != 0) return std::generic_category().message(errno);
  if (!S_ISREG(about.st_mode)) return "it is not a regular file";
  seek(0, 1);
  return {};
}

void LineFile::seek(std::uint64_t offset, std::uint64_t number) noexcept {
  begin_ = end_ = 0;
  offset_ = offset;
  number_ = number - 1;
  at_end_ = false;
}

LineFile::Step LineFile::next(std::string_view& line) noexcept {
  std::size_t searched = begin_;
  while (true) {
    const auto* stop =
        static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (stop || (at_end_ && begin_ < end_)) {
      const std::size_t size =
          (stop ? static_cast<std::size_t>(stop - buffer_.data()) : end_) - begin_;
      line = {buffer_.data() + begin_, size};
      line_offset_ = offset_ - (end_ - begin_);
      begin_ += size + (stop ? 1 : 0);
      ++number_;
      return Step::line;
    }
    if (at_end_) return Step::end;
    searched = end_ - begin_;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) {
      ++number_;
      return Step::too_long;
    }
    const ssize_t got =
        pread(fd_, buffer_.data() + end_, buffer_.size() - end_, static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Step::failed;
    at_end_ = got == 0;
    end_ += static_cast<std::size_t>(got);
    offset_ += static_cast<std::uint64_t>(got);
  }
}

}  // namespace vernier::file
