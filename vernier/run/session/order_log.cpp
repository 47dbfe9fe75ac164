#include "vernier/run/session/order_log.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>

#include "vernier/base/text.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::session {

namespace {

using executive::OrderKind;

constexpr std::size_t queued = 1024;
constexpr const char* head = "time_ns,order,path,values";

/// The header of a queue message; the values follow.
struct Header {
  std::int64_t at;
  std::uint32_t view, count;
  OrderKind kind;
  bool settled;
};

constexpr std::pair<OrderKind, std::string_view> kinds[] = {{OrderKind::replace, "set"},
                                                            {OrderKind::release, "release"},
                                                            {OrderKind::send, "send"},
                                                            {OrderKind::rest, "rest"},
                                                            {OrderKind::move, "move"}};

/// Whether it concerns the whole run, and no port.
bool of_all(OrderKind k) { return k == OrderKind::rest || k == OrderKind::move; }

std::size_t message_bytes(const executive::Executive& e) {
  std::size_t most = 1;
  for (const executive::PortView& v : e.ports()) most = std::max<std::size_t>(most, v.port->count);
  return sizeof(Header) + most * sizeof(double);
}

void write_line(std::ostream& to, Time at, bool settled, OrderKind kind, std::string_view path,
                std::span<const double> values) {
  std::string_view word;
  for (const auto& [k, name] : kinds)
    if (k == kind) word = name;
  to << at.time_since_epoch().count() << (settled ? "+," : ",") << word << ',' << path << ',';
  for (std::size_t i = 0; i < values.size(); ++i) to << (i ? " " : "") << exact(values[i]);
  to << '\n';
}

std::optional<executive::ScheduledOrder> parsed(std::string_view line) {
  std::string_view fields[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t comma = i < 3 ? line.find(',') : line.size();
    if (comma == std::string_view::npos) return {};
    fields[i] = line.substr(0, comma);
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  executive::ScheduledOrder s;
  s.settled = fields[0].ends_with('+');
  if (s.settled) fields[0].remove_suffix(1);
  const auto time = parsed_integer(fields[0]);
  const auto kind = std::find_if(std::begin(kinds), std::end(kinds),
                                 [&](const auto& k) { return k.second == fields[1]; });
  if (!time || *time < 0 || kind == std::end(kinds) || fields[2].empty() != of_all(kind->first))
    return {};
  s.at = Time(Duration(*time));
  s.order.kind = kind->first;
  s.order.path = fields[2];
  for (const std::string_view w : words(fields[3])) {
    const auto v = parsed_real(w);
    if (!v) return {};
    s.order.values.push_back(*v);
  }
  return s;
}

}  // namespace

OrderLog::OrderLog(const executive::Executive& e, std::filesystem::path file, std::uint64_t known)
    : executive_(e), file_(std::move(file)), queue_(message_bytes(e), queued), passed_(known) {
  if (known > 0) out_.open(file_, std::ios::app);
}

void OrderLog::carried_out(const executive::CarriedOut& o) noexcept {
  std::byte* to = queue_.next();
  if (to == nullptr) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const Header h{o.at.time_since_epoch().count(), o.view,
                 static_cast<std::uint32_t>(o.values.size()), o.kind, o.settled};
  std::memcpy(to, &h, sizeof h);
  if (!o.values.empty()) std::memcpy(to + sizeof h, o.values.data(), o.values.size_bytes());
  queue_.push();
  ++passed_;
}

bool OrderLog::drain() {
  const std::lock_guard lock(drains_);
  std::vector<double> values;
  while (const std::byte* from = queue_.front()) {
    if (!out_.is_open()) {
      out_.open(file_);
      out_ << head << '\n';
    }
    Header h;
    std::memcpy(&h, from, sizeof h);
    values.resize(h.count);
    if (h.count > 0) std::memcpy(values.data(), from + sizeof h, h.count * sizeof(double));
    write_line(out_, Time(Duration(h.at)), h.settled, h.kind,
               of_all(h.kind) ? std::string_view() : executive_.ports()[h.view].path, values);
    queue_.pop();
  }
  if (out_.is_open()) out_.flush();
  return !out_.is_open() || static_cast<bool>(out_);
}

std::vector<executive::ScheduledOrder> read_orders(const std::filesystem::path& file) {
  std::ifstream in(file);
  return in ? parse_orders(in, file.string()) : std::vector<executive::ScheduledOrder>{};
}

std::vector<executive::ScheduledOrder> read_whole_orders(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.resize(text.rfind('\n') + 1);
  std::istringstream whole(std::move(text));
  return parse_orders(whole, file.string());
}

void write_orders(const std::filesystem::path& file,
                  const std::vector<executive::ScheduledOrder>& orders) {
  std::ostringstream text;
  text << head << '\n';
  for (const executive::ScheduledOrder& o : orders)
    write_line(text, o.at, o.settled, o.order.kind, o.order.path, o.order.values);
  record::write_file(file, text.str());
}

std::vector<executive::ScheduledOrder> parse_orders(std::istream& in, const std::string& name) {
  std::vector<executive::ScheduledOrder> orders;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && line == head) continue;
    auto order = parsed(line);
    if (!order)
      throw ConfigurationError("V7117",
                               "\"" + line + "\" is not an order: time_ns,order,path,values",
                               {.file = name, .line = number, .column = 1});
    orders.push_back(std::move(*order));
  }
  return orders;
}

}  // namespace vernier::session
