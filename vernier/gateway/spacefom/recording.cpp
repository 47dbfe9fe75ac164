#include "vernier/gateway/spacefom/recording.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

#include "vernier/base/text.hpp"

namespace vernier::spacefom {
namespace {

constexpr std::string_view title = "vernier-federation 1";
constexpr std::size_t most_line = 1 << 20, most_objects = 100'000;

constexpr char digits[] = "0123456789abcdef";

bool read_hex(std::string_view text, Octets& to) {
  if (text.size() % 2 != 0) return false;
  const auto value = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]), low = value(text[i + 1]);
    if (high < 0 || low < 0) return false;
    to.push_back(std::byte(16 * high + low));
  }
  return true;
}

/// The next word of a line, and what is behind it.
std::string_view word_of(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view w = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return w;
}

}  // namespace

Result<Recording, std::string> read_recording(std::istream& in) {
  Recording r;
  std::string text;
  std::size_t number = 0;
  const auto wrong = [&](const std::string& why) {
    return Failure<std::string>{"line " + std::to_string(number) + ": " + why};
  };
  while (std::getline(in, text)) {
    ++number;
    if (text.size() > most_line) return wrong("too long");
    if (number == 1) {
      if (text != title) return wrong("is not the beginning of a recording: " + std::string(title));
      continue;
    }
    std::string_view line = text;
    const std::string_view kind = word_of(line);
    if (kind == "federation") {
      r.federation = line;
    } else if (kind == "epoch") {
      const auto x = parsed_real(line);
      if (!x) return wrong("the epoch is not a number");
      r.epoch = *x;
    } else if (kind == "lcts") {
      const auto x = parsed_integer(line);
      if (!x || *x <= 0 || *x > Ticks{1} << 40) return wrong("the lcts is not a number of us");
      r.least_common = *x;
    } else if (kind == "object") {
      if (r.objects.size() == most_objects) return wrong("too many objects");
      const std::string_view object_class = word_of(line);
      if (object_class.empty() || line.empty()) return wrong("an object has a class and a name");
      r.objects.push_back({std::string(object_class), std::string(line), {}});
    } else if (kind == "update") {
      const auto stamp = parsed_integer(word_of(line)), object = parsed_integer(word_of(line));
      const std::string attribute(word_of(line));
      if (!stamp || *stamp < 0 || !object || *object < 0 ||
          static_cast<std::size_t>(*object) >= r.objects.size() || attribute.empty())
        return wrong("an update has a time, the number of an object, an attribute and bytes");
      if (!r.updates.empty() && *stamp < r.updates.back().stamp) return wrong("goes back in time");
      Recording::Update u{*stamp, static_cast<std::size_t>(*object), 0, {}};
      if (!read_hex(line, u.bytes)) return wrong("the bytes are not hexadecimal");
      auto& names = r.objects[u.object].attributes;
      const auto at = std::find(names.begin(), names.end(), attribute);
      u.attribute = static_cast<std::size_t>(at - names.begin());
      if (at == names.end()) names.push_back(attribute);
      r.updates.push_back(std::move(u));
    } else if (!kind.empty()) {
      return wrong("\"" + std::string(kind) + "\" is not known");
    }
  }
  if (number == 0) return wrong("is empty");
  return r;
}

// -- writing -------------------------------------------------------------------------------------

Recorder::Recorder(Federate& f, std::ostream& out) : federate_(f), out_(out) {
  f.set_listener(this);
  out_ << title << '\n' << "federation " << f.settings().federation << '\n';
}

std::size_t Recorder::number(const Remote& r) {
  const auto at = std::find(names_.begin(), names_.end(), r.name);
  const auto n = static_cast<std::size_t>(at - names_.begin());
  if (at == names_.end()) {
    names_.push_back(r.name);
    out_ << "object " << r.object_class << ' ' << r.name << '\n';
  }
  return n;
}

void Recorder::discovered(const Remote& r) { number(r); }

void Recorder::reflected(const Remote& r, std::span<const std::size_t> changed) {
  if (!begun_) {
    begun_ = true;
    out_ << "epoch " << exact(federate_.configuration().epoch) << "\nlcts "
         << federate_.configuration().least_common << '\n';
  }
  const std::size_t n = number(r);
  for (const std::size_t i : changed) {
    const Remote::Value& v = r.values[i];
    std::string hex;
    for (const std::byte b : v.bytes) {
      hex += digits[static_cast<unsigned>(b) >> 4];
      hex += digits[static_cast<unsigned>(b) & 15];
    }
    // without a stamp it counts from now on
    last_ = std::max(last_, v.stamp >= 0 ? v.stamp : federate_.granted());
    out_ << "update " << last_ << ' ' << n << ' ' << v.attribute << ' ' << hex << '\n';
    ++updates_;
  }
}

// -- again ---------------------------------------------------------------------------------------

Replayer::Replayer(Federate& f, const Recording& r) : federate_(f), recording_(r) {
  f.set_listener(this);
  for (const Recording::Object& o : r.objects) {
    bool root = false;
    const auto parent = std::find(o.attributes.begin(), o.attributes.end(), "parent_name");
    for (const Recording::Update& u : r.updates)
      if (parent != o.attributes.end() && &r.objects[u.object] == &o &&
          u.attribute == static_cast<std::size_t>(parent - o.attributes.begin()))
        root = read_string(u.bytes) == "";
    objects_.push_back(f.publish(o.object_class, o.name, o.attributes, root));
  }
  if (!r.updates.empty()) first_ = r.updates.front().stamp;
}

void Replayer::sending(Ticks t) {
  while (next_ < recording_.updates.size() && recording_.updates[next_].stamp - first_ <= t) {
    const Recording::Update& u = recording_.updates[next_++];
    federate_.set(objects_[u.object], u.attribute, u.bytes);
  }
}

}  // namespace vernier::spacefom
