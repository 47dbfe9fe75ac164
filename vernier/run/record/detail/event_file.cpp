#include "vernier/run/record/detail/event_file.hpp"

#include <cerrno>
#include <cmath>
#include <system_error>

namespace vernier::record {

void append_csv_field(std::string& line, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += field;
    return;
  }
  line += '"';
  for (const char c : field) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

std::string exact_seconds(Time time, double remainder) {
  __extension__ using Wide = __int128;
  constexpr std::int64_t giga = 1'000'000'000;
  Wide atto = Wide{time.time_since_epoch().count()} * giga + std::llround(remainder * 1e18);
  std::string text = atto < 0 ? "-" : "";
  if (atto < 0) atto = -atto;
  const auto whole = static_cast<long long>(atto / (Wide{giga} * giga));
  const auto rest = static_cast<long long>(atto % (Wide{giga} * giga));
  char digits[48];
  std::snprintf(digits, sizeof digits, "%lld.%018lld", whole, rest);
  text += digits;
  // always nanoseconds; further digits only if they are not zero
  const std::size_t least = text.find('.') + 10;
  while (text.size() > least && text.back() == '0') text.pop_back();
  return text;
}

namespace {

[[noreturn]] void refuse_events(const std::filesystem::path& path, int error) {
  throw ConfigurationError(
      "V7104", "cannot write " + path.string() + ": " + std::generic_category().message(error));
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& path, std::uint64_t kept) {
  std::error_code failed;
  std::filesystem::resize_file(path, kept, failed);
  if (failed) refuse_events(path, failed.value());
  file_.reset(std::fopen(path.c_str(), "ae"));
  if (!file_) refuse_events(path, errno);
}

EventFile::EventFile(const std::filesystem::path& path) : file_(std::fopen(path.c_str(), "wxe")) {
  if (!file_) refuse_events(path, errno);
  std::fputs("time,component,kind,from,to,reason,transition\n", file_.get());
  flush();
}

void EventFile::write(const Event& e) {
  line_ = exact_seconds(e.time, e.remainder);
  for (const std::string* field :
       {&e.component, &e.kind, &e.from, &e.to, &e.reason, &e.transition}) {
    line_ += ',';
    append_csv_field(line_, *field);
  }
  line_ += '\n';
  std::fwrite(line_.data(), 1, line_.size(), file_.get());
}

bool EventFile::flush() noexcept { return std::fflush(file_.get()) == 0; }

}  // namespace vernier::record
