#include "vernier/gateway/spacefom/recording.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

#include "vernier/base/text.hpp"

namespace vernier::spacefom {
namespace {

constexpr std::string_view title = "vernier-federation 1";
constexpr std::size_t most_line = 1 << 20, most_objects = 100'000, most_attributes = 1000;

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

/// The next line, of which not much more than allowed is read.
bool next_line(std::istream& in, std::string& line) {
  line.clear();
  if (in.peek() == std::istream::traits_type::eof()) return false;
  for (char c = 0; line.size() <= most_line && in.get(c) && c != '\n';) line += c;
  return true;
}

/// Names are anybody's: a line break is written \n, a backslash twice.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '\\' || c == '\n') text += '\\';
    text += c == '\n' ? 'n' : c;
  }
  return text;
}
std::string plain(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    name += escape ? (text[++i] == 'n' ? '\n' : text[i]) : text[i];
  }
  return name;
}

}  // namespace

Result<Recording, std::string> read_recording(std::istream& in) {
  Recording r;
  std::string text;
  std::size_t number = 0;
  const auto wrong = [&](const std::string& why) {
    return Failure<std::string>{"line " + std::to_string(number) + ": " + why};
  };
  while (next_line(in, text)) {
    ++number;
    if (text.size() > most_line) return wrong("too long");
    if (number == 1) {
      if (text != title) return wrong("is not the beginning of a recording: " + std::string(title));
      continue;
    }
    std::string_view line = text;
    const std::string_view kind = word_of(line);
    if (kind == "federation") {
      r.federation = plain(line);
    } else if (kind == "epoch") {
      const auto x = parsed_real(line);
      if (!x) return wrong("the epoch is not a number");
      r.epoch = *x;
    } else if (kind == "lcts") {
      const auto x = parsed_integer(line);
      if (!x || *x <= 0 || *x > longest_step) return wrong("the lcts is not a number of us");
      r.least_common = *x;
    } else if (kind == "object") {
      if (r.objects.size() == most_objects) return wrong("too many objects");
      const std::string_view object_class = word_of(line);
      if (object_class.empty() || line.empty()) return wrong("an object has a class and a name");
      r.objects.push_back({std::string(object_class), plain(line), {}});
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
      if (at == names.end()) {
        if (names.size() == most_attributes) return wrong("too many attributes");
        names.push_back(attribute);
      }
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
  out_ << title << '\n' << "federation " << escaped(f.settings().federation) << '\n';
}

std::size_t Recorder::number(const Remote& r) {
  const auto [at, fresh] = names_.emplace(r.name, names_.size());
  if (fresh) out_ << "object " << r.object_class << ' ' << escaped(r.name) << '\n';
  return at->second;
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
  std::vector<bool> root(r.objects.size(), false);  // by the last that was said
  for (const Recording::Update& u : r.updates)
    if (r.objects[u.object].attributes[u.attribute] == "parent_name")
      root[u.object] = read_string(u.bytes) == "";
  for (std::size_t i = 0; i < r.objects.size(); ++i) {
    const Recording::Object& o = r.objects[i];
    objects_.push_back(f.publish(o.object_class, o.name, o.attributes, root[i]));
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
