#include "vernier/gateway/spacefom/recording.hpp"

#include <algorithm>
#include <istream>
#include <limits>
#include <optional>
#include <ostream>

#include "vernier/base/text.hpp"

namespace vernier::spacefom {
namespace {

constexpr std::string_view title = "vernier-federation 2", first_title = "vernier-federation 1";
constexpr std::size_t unsaid = ~std::size_t{0};
constexpr std::size_t most_line = 1 << 20, most_objects = 100'000, most_attributes = 1000,
                      most_fom = 64u << 20;

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

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    text += digits[static_cast<unsigned>(b) >> 4];
    text += digits[static_cast<unsigned>(b) & 15];
  }
  return text;
}

/// The index of a name in a list, to which it is added; nothing when the list is full.
std::optional<std::size_t> index_of(std::vector<std::string>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  const auto i = static_cast<std::size_t>(at - names.begin());
  if (at != names.end()) return i;
  if (i == most_attributes) return {};
  names.emplace_back(name);
  return i;
}

/// Removes the next word from a line.
std::string_view word_of(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view w = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return w;
}

/// The next line; reads little more than the longest allowed.
bool next_line(std::istream& in, std::string& line) {
  line.clear();
  if (in.peek() == std::istream::traits_type::eof()) return false;
  for (char c = 0; line.size() <= most_line && in.get(c) && c != '\n';) line += c;
  return true;
}

/// Names may contain any character: a line break is written as \n, a backslash is doubled.
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
      if (text != title && text != first_title)
        return wrong("is not the beginning of a recording: " + std::string(title));
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
    } else if (kind == "fom") {
      if (r.fom.size() + line.size() >= most_fom) return wrong("the FOM is too long");
      r.fom.append(line).push_back('\n');
    } else if (kind == "interaction") {
      if (r.interactions.size() == most_objects) return wrong("too many interactions");
      if (line.empty()) return wrong("an interaction has a class");
      r.interactions.push_back({std::string(line), {}});
    } else if (kind == "received") {
      const auto stamp = parsed_integer(word_of(line)), of = parsed_integer(word_of(line));
      if (!stamp || *stamp < 0 || !of || *of < 0 ||
          static_cast<std::size_t>(*of) >= r.interactions.size())
        return wrong("what was received has a time and the number of an interaction");
      if (!r.sent.empty() && *stamp < r.sent.back().stamp) return wrong("goes back in time");
      Recording::Sent s{*stamp, static_cast<std::size_t>(*of), {}};
      while (!line.empty()) {
        const std::string_view value = word_of(line);
        const std::size_t equals = value.find('=');
        if (equals == 0 || equals == std::string_view::npos)
          return wrong("a parameter has a name and bytes");
        const auto at = index_of(r.interactions[s.interaction].parameters, value.substr(0, equals));
        if (!at) return wrong("too many parameters");
        s.values.emplace_back(*at, Octets());
        if (!read_hex(value.substr(equals + 1), s.values.back().second))
          return wrong("the bytes are not hexadecimal");
      }
      r.sent.push_back(std::move(s));
    } else if (kind == "update") {
      const auto stamp = parsed_integer(word_of(line)), object = parsed_integer(word_of(line));
      const std::string attribute(word_of(line));
      if (!stamp || *stamp < 0 || !object || *object < 0 ||
          static_cast<std::size_t>(*object) >= r.objects.size() || attribute.empty())
        return wrong("an update has a time, the number of an object, an attribute and bytes");
      if (!r.updates.empty() && *stamp < r.updates.back().stamp) return wrong("goes back in time");
      Recording::Update u{*stamp, static_cast<std::size_t>(*object), 0, {}};
      if (!read_hex(line, u.bytes)) return wrong("the bytes are not hexadecimal");
      const auto at = index_of(r.objects[u.object].attributes, attribute);
      if (!at) return wrong("too many attributes");
      u.attribute = *at;
      r.updates.push_back(std::move(u));
    } else if (!kind.empty()) {
      return wrong("\"" + std::string(kind) + "\" is not known");
    }
  }
  if (number == 0) return wrong("is empty");
  return r;
}

// -- writing -------------------------------------------------------------------------------------

FederationRecorder::FederationRecorder(Federate& f, std::ostream& out) : federate_(f), out_(out) {
  f.add_listener(*this);
  out_ << title << '\n' << "federation " << escaped(f.settings().federation) << '\n';
}

void FederationRecorder::keep_all(const fom::Fom& f, const std::string& document) {
  for (std::size_t begin = 0; begin < document.size();) {
    const std::size_t end = std::min(document.find('\n', begin), document.size());
    if (end > begin) out_ << "fom " << document.substr(begin, end - begin) << '\n';
    begin = end + 1;
  }
  const auto managed = [](const std::string& path) {  // by the RTI or the federate itself
    return path.find(".HLAmanager") != std::string::npos ||
           path.ends_with(".ExecutionConfiguration") || path.ends_with(".ModeTransitionRequest");
  };
  for (std::size_t c = 0; c < f.object_classes.size(); ++c) {
    std::vector<std::string> names;
    for (const int a : f.all_attributes(static_cast<int>(c)))
      if (const std::string& name = f.attributes[static_cast<std::size_t>(a)].name;
          name != "HLAprivilegeToDeleteObject")
        names.push_back(name);
    const std::string& path = f.object_classes[c].path;
    if (!names.empty() && !managed(path)) federate_.subscribe(path, std::move(names));
  }
  for (std::size_t c = 1; c < f.interaction_classes.size(); ++c) {
    Recording::Interaction i{f.interaction_classes[c].path, {}};
    if (managed(i.interaction_class) || !f.interaction_classes[c].transportation.given()) continue;
    for (const int p : f.all_parameters(static_cast<int>(c)))
      i.parameters.push_back(f.parameters[static_cast<std::size_t>(p)].name);
    static_cast<void>(federate_.subscribe_interaction(i.interaction_class, i.parameters));
    heard_.push_back(std::move(i));
  }
  heard_numbers_.assign(heard_.size(), unsaid);
}

Ticks FederationRecorder::time(Ticks stamp) {
  if (!begun_) {
    begun_ = true;
    out_ << "epoch " << exact(federate_.configuration().epoch) << "\nlcts "
         << federate_.configuration().least_common << '\n';
  }
  return last_ = std::max(last_, stamp >= 0 ? stamp : federate_.granted());
}

void FederationRecorder::received(std::size_t interaction, std::span<const Octets> values,
                                  Ticks stamp) {
  if (interaction >= heard_.size()) return;
  std::size_t& number = heard_numbers_[interaction];
  if (number == unsaid) {
    number = said_++;
    out_ << "interaction " << heard_[interaction].interaction_class << '\n';
  }
  const Ticks t = time(stamp);
  out_ << "received " << t << ' ' << number;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty())
      out_ << ' ' << heard_[interaction].parameters[i] << '=' << hex(values[i]);
  out_ << '\n';
  ++received_;
}

void FederationRecorder::discovered(const Remote& r) {
  const auto [at, fresh] = names_.emplace(r.name, names_.size());
  if (fresh) out_ << "object " << r.object_class << ' ' << escaped(r.name) << '\n';
  if (r.number >= numbers_.size()) numbers_.resize(r.number + 1);
  numbers_[r.number] = at->second;
}

void FederationRecorder::reflected(const Remote& r, std::span<const std::size_t> changed) {
  const std::size_t n = numbers_[r.number];
  for (const std::size_t i : changed) {
    const Remote::Value& v = r.values[i];
    const Ticks t = time(v.stamp);
    out_ << "update " << t << ' ' << n << ' ' << v.attribute << ' ' << hex(v.bytes) << '\n';
    ++updates_;
  }
}

// -- replaying -----------------------------------------------------------------------------------

Replayer::Replayer(Federate& f, const Recording& r) : federate_(f), recording_(r) {
  f.add_listener(*this);
  std::vector<bool> root(r.objects.size(), false);  // by the last value
  for (const Recording::Update& u : r.updates)
    if (r.objects[u.object].attributes[u.attribute] == "parent_name")
      root[u.object] = read_string(u.bytes) == "";
  for (std::size_t i = 0; i < r.objects.size(); ++i) {
    const Recording::Object& o = r.objects[i];
    objects_.push_back(f.publish(o.object_class, o.name, o.attributes, root[i]));
  }
  for (const Recording::Interaction& i : r.interactions)
    static_cast<void>(f.publish_interaction(i.interaction_class, i.parameters));
  first_ = std::numeric_limits<Ticks>::max();
  if (!r.updates.empty()) first_ = r.updates.front().stamp;
  if (!r.sent.empty()) first_ = std::min(first_, r.sent.front().stamp);
}

void Replayer::sending(Ticks t) {
  while (next_ < recording_.updates.size() && recording_.updates[next_].stamp - first_ <= t) {
    const Recording::Update& u = recording_.updates[next_++];
    federate_.set(objects_[u.object], u.attribute, u.bytes);
  }
  while (next_sent_ < recording_.sent.size() && recording_.sent[next_sent_].stamp - first_ <= t) {
    const Recording::Sent& s = recording_.sent[next_sent_++];
    std::vector<Octets> values(recording_.interactions[s.interaction].parameters.size());
    for (const auto& [parameter, bytes] : s.values) values[parameter] = bytes;
    federate_.post(s.interaction, std::move(values));
  }
}

}  // namespace vernier::spacefom
