#include "vernier/gateway/file/window.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "vernier/base/require.hpp"

namespace vernier::file {
namespace {

using namespace std::chrono_literals;

constexpr auto nap = 100us;  // polling interval of the thread that waits

}  // namespace

Window::Window(const std::filesystem::path& path, Layout layout, const Position& first,
               std::size_t memory)
    : path_(path),
      layout_(std::move(layout)),
      first_(first),
      columns_(layout_.factors.size()),
      record_(columns_ + 1),
      position_{-1, first.offset, first.line} {
  const std::size_t bytes = sizeof(Slot) + sizeof(double) * columns_;
  slots_.resize(std::clamp<std::size_t>(memory / bytes, 16, 65'536));
  values_.resize(slots_.size() * columns_);
  history_ = static_cast<std::int64_t>(slots_.size() / 4);
  if (const auto why = file_.open(path_)) spoil("V7301", why->c_str());
  file_.seek(first_.offset, first_.line);
  thread_ = std::thread([this] { run(); });
}

Window::~Window() {
  stop_.store(true);
  thread_.join();
}

void Window::run() {
  while (!stop_.load(std::memory_order_relaxed)) {
    if (const auto asked = asked_.load(std::memory_order_acquire); asked != served_.load()) {
      next_ = std::max<std::int64_t>(target_.row, 0);
      file_.seek(target_.offset, target_.line);
      latest_ = Time::min();
      done_ = false;
      end_.store(-1);
      broken_.store(-1);
      oldest_.store(next_);
      filled_.store(next_);
      served_.store(asked, std::memory_order_release);
    }
    // a few rows at a time, so that a request is noticed soon
    bool idle = false;
    for (int i = 0; i < 256 && !idle; ++i) idle = !read_one();
    if (idle) std::this_thread::sleep_for(done_ ? 10 * nap : nap);
  }
}

void Window::spoil(const char* code, const char* text) {
  fault_.set(Category::input, code, "%s:%llu: %s", path_.c_str(),
             static_cast<unsigned long long>(file_.line_number()), text);
  broken_.store(next_, std::memory_order_release);
  done_ = true;
}

bool Window::read_one() {
  if (done_) return false;
  const auto capacity = static_cast<std::int64_t>(slots_.size());
  if (next_ - oldest_.load(std::memory_order_acquire) >= capacity) return false;
  std::string_view line;
  char text[300];
  switch (file_.next(line)) {
    case LineFile::Step::end:
      end_.store(next_, std::memory_order_release);
      done_ = true;
      return false;
    case LineFile::Step::too_long:
      std::snprintf(text, sizeof text, "the line is longer than %zu bytes", longest_csv_line);
      spoil("V7307", text);
      return false;
    case LineFile::Step::failed:
      spoil("V7301", "the file cannot be read any more");
      return false;
    case LineFile::Step::line:
      break;
  }
  if (line.empty() || line == "\r" || line.front() == '#') return true;

  const RowReading reading = read_row(line, layout_.separator, layout_.slots, record_);
  if (reading.flaw != RowFlaw::none) {
    char said[60];
    const std::size_t n = std::min(reading.text.size(), sizeof said - 1);
    std::transform(reading.text.begin(), reading.text.begin() + static_cast<std::ptrdiff_t>(n),
                   said, [](char c) { return static_cast<unsigned char>(c) < 0x20 ? '?' : c; });
    said[n] = '\0';
    const char* column =
        reading.flaw == RowFlaw::fields ? "" : layout_.names[reading.column].c_str();
    switch (reading.flaw) {
      case RowFlaw::fields:
        std::snprintf(text, sizeof text, "%zu fields, the header has %zu", reading.column,
                      layout_.slots.size());
        spoil("V7304", text);
        break;
      case RowFlaw::empty:
        std::snprintf(text, sizeof text, "the field of column \"%.80s\" is empty", column);
        spoil("V7305", text);
        break;
      default:
        std::snprintf(text, sizeof text, "\"%s\" in column \"%.80s\" is not a finite number", said,
                      column);
        spoil("V7305", text);
        break;
    }
    return false;
  }
  const auto time = to_time(record_[0] * layout_.time_factor);
  if (!time) {
    spoil("V7305", "the time is beyond 292 years");
    return false;
  }
  if (*time < latest_) {
    std::snprintf(text, sizeof text, "time goes back, from %.9g s to %.9g s", seconds(latest_),
                  seconds(*time));
    spoil("V7306", text);
    return false;
  }
  latest_ = *time;
  const std::size_t at = place(next_);
  slots_[at] = {*time, file_.line_offset(), file_.line_number()};
  for (std::size_t k = 0; k < columns_; ++k) {
    values_[at * columns_ + k] = record_[k + 1] * layout_.factors[k];
  }
  filled_.store(++next_, std::memory_order_release);
  return true;
}

Window::Reach Window::move_to(Time t) noexcept {
  while (true) {
    const std::int64_t ahead = position_.row + 1;
    if (ahead >= filled_.load(std::memory_order_acquire)) {
      if (broken_.load(std::memory_order_acquire) == ahead) return Reach::broken;
      if (end_.load(std::memory_order_acquire) == ahead) return Reach::there;
      // it may have arrived between the two checks
      if (ahead >= filled_.load(std::memory_order_acquire)) return Reach::behind;
      continue;
    }
    const Slot& slot = slots_[place(ahead)];
    if (slot.time > t) return Reach::there;
    position_ = {ahead, slot.offset, slot.line};
    if (ahead - history_ > oldest_.load(std::memory_order_relaxed)) {
      oldest_.store(ahead - history_, std::memory_order_release);
    }
  }
}

Window::Reach Window::wait_for(Time t) noexcept {
  while (true) {
    const Reach reach = move_to(t);
    if (reach != Reach::behind) return reach;
    std::this_thread::sleep_for(nap);
  }
}

void Window::go_to(const Position& p) noexcept {
  const std::int64_t wanted = std::max<std::int64_t>(p.row, 0);
  const bool here = wanted >= oldest_.load(std::memory_order_relaxed) &&
                    p.row < filled_.load(std::memory_order_acquire);
  position_ = p;
  if (!here) {
    target_ = p.row < 0 ? first_ : p;
    const auto number = asked_.load(std::memory_order_relaxed) + 1;
    asked_.store(number, std::memory_order_release);
    while (served_.load(std::memory_order_acquire) != number) std::this_thread::sleep_for(nap);
  }
  // requires the row, and the next one for interpolation
  while (filled_.load(std::memory_order_acquire) <= p.row + 1 &&
         broken_.load(std::memory_order_acquire) < 0 && end_.load(std::memory_order_acquire) < 0) {
    std::this_thread::sleep_for(nap);
  }
}

bool Window::has(std::int64_t offset) const noexcept {
  const std::int64_t wanted = position_.row + offset;
  return wanted >= oldest_.load(std::memory_order_relaxed) &&
         wanted < filled_.load(std::memory_order_acquire);
}

Window::Row Window::row(std::int64_t offset) const noexcept {
  require(has(offset));
  const std::int64_t wanted = position_.row + offset;
  const std::size_t at = place(wanted);
  return {slots_[at].time, std::span(values_).subspan(at * columns_, columns_)};
}

}  // namespace vernier::file
