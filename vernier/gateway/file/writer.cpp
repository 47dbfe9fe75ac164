#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>

#include "vernier/gateway/file/csv.hpp"
#include "vernier/gateway/file/detail/writer.hpp"

namespace vernier::file {
namespace {

using namespace std::chrono_literals;
constexpr auto writers_nap = 1ms;
constexpr auto longest_wait = 200ms;  // until rows of a slow run reach the file

}  // namespace

CsvSink::Writer::Writer(int fd, std::size_t columns, char separator, std::size_t memory)
    : fd_(fd), columns_(columns), separator_(separator) {
  const std::size_t bytes = sizeof(Item) + sizeof(double) * columns;
  items_.resize(std::clamp<std::size_t>(memory / bytes, 16, 65'536));
  values_.resize(items_.size() * columns);
  text_.resize(std::max<std::size_t>(65'536, std::size_t{2} * 32 * (columns + 1)));
  thread_ = std::thread([this] { run(); });
}

CsvSink::Writer::~Writer() {
  stop_.store(true);
  thread_.join();
  close(fd_);
}

bool CsvSink::Writer::push(Time t, bool rewind, std::span<const double> row) noexcept {
  const auto n = pushed_.load(std::memory_order_relaxed);
  if (n - taken_.load(std::memory_order_acquire) >= items_.size()) return false;
  const std::size_t at = n % items_.size();
  items_[at] = {t, rewind};
  std::copy(row.begin(), row.end(), values_.begin() + static_cast<std::ptrdiff_t>(at * columns_));
  pushed_.store(n + 1, std::memory_order_release);
  return true;
}

bool CsvSink::Writer::push(Time t, std::span<const double> row) noexcept {
  return push(t, false, row);
}

void CsvSink::Writer::rewind(Time t) noexcept {
  while (!push(t, true, {}) && error() == 0) std::this_thread::sleep_for(writers_nap);
}

bool CsvSink::Writer::half_full() const noexcept {
  return 2 * (pushed_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_acquire)) >
         items_.size();
}

void CsvSink::Writer::flush() noexcept {
  const auto goal = pushed_.load(std::memory_order_relaxed);
  hurry_.store(true);
  while (written_.load(std::memory_order_acquire) < goal && error() == 0) {
    std::this_thread::sleep_for(writers_nap);
  }
  hurry_.store(false);
}

void CsvSink::Writer::run() {
  auto written_at = std::chrono::steady_clock::now();
  while (true) {
    const bool last = stop_.load(std::memory_order_acquire);
    const auto goal = pushed_.load(std::memory_order_acquire);
    auto n = taken_.load(std::memory_order_relaxed);
    const bool idle = n == goal;
    for (; n < goal; ++n) {
      const std::size_t at = n % items_.size();
      format(items_[at], std::span(values_).subspan(at * columns_, columns_));
      taken_.store(n + 1, std::memory_order_release);
    }
    const auto now = std::chrono::steady_clock::now();
    if (used_ > text_.size() / 2 || hurry_.load() || last || now - written_at > longest_wait) {
      write_out();
      written_.store(goal, std::memory_order_release);
      written_at = now;
    }
    if (last && goal == pushed_.load(std::memory_order_acquire)) return;
    if (idle) std::this_thread::sleep_for(writers_nap);
  }
}

void CsvSink::Writer::format(const Item& item, std::span<const double> row) {
  if (item.rewind) {
    write_out();
    remove_from(item.time);
    return;
  }
  if (text_.size() - used_ < 33 * (columns_ + 1)) write_out();
  char* p = text_.data() + used_;
  p += write_time(p, item.time);
  for (const double x : row) {
    *p++ = separator_;
    p += write_real(p, x);
  }
  *p++ = '\n';
  used_ = static_cast<std::size_t>(p - text_.data());
}

void CsvSink::Writer::write_out() {
  std::size_t done = 0;
  while (done < used_ && error() == 0) {
    const ssize_t n = write(fd_, text_.data() + done, used_ - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      error_.store(errno == 0 ? EIO : errno, std::memory_order_release);
    }
  }
  used_ = 0;
}

// rows are in order of time: removes the first that is not before `t` and everything after it
void CsvSink::Writer::remove_from(Time t) {
  std::vector<char> block(65'536);
  std::string field;
  bool header = true, in_first = true;
  std::uint64_t offset = 0, line = 0;
  while (error() == 0) {
    const ssize_t n = pread(fd_, block.data(), block.size(), static_cast<off_t>(offset));
    if (n <= 0) break;
    for (ssize_t i = 0; i < n; ++i) {
      const char c = block[static_cast<std::size_t>(i)];
      if (in_first && (c == separator_ || c == '\n')) {
        in_first = false;
        double seconds_read = 0.0;
        std::from_chars(field.data(), field.data() + field.size(), seconds_read);
        const auto time = to_time(seconds_read);
        if (!header && time && *time >= t) {
          if (ftruncate(fd_, static_cast<off_t>(line)) != 0 ||
              lseek(fd_, static_cast<off_t>(line), SEEK_SET) < 0) {
            error_.store(errno, std::memory_order_release);
          }
          return;
        }
      } else if (in_first && field.size() < 64) {
        field += c;
      }
      if (c == '\n') {
        line = offset + static_cast<std::uint64_t>(i) + 1;
        in_first = true;
        header = false;
        field.clear();
      }
    }
    offset += static_cast<std::uint64_t>(n);
  }
}

}  // namespace vernier::file
