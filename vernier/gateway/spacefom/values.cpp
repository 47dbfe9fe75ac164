#include "vernier/gateway/spacefom/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "vernier/base/require.hpp"
#include "vernier/base/units.hpp"

namespace vernier::spacefom {
namespace {

constexpr std::size_t most_numbers = 4096, most_parts = 256;

std::uint8_t boundary_of(const Flat::Number& n) noexcept {
  return static_cast<std::uint8_t>(std::min(8u, std::bit_ceil(unsigned{n.bytes})));
}

/// "kilopascal (kPa)" or "kPa"; modules write r for radian. Nothing: not a known unit.
std::optional<Unit> unit_of(std::string text) {
  const std::size_t open = text.rfind('('), close = text.rfind(')');
  if (open != std::string::npos && close != std::string::npos && close > open && open > 0 &&
      text[open - 1] == ' ')
    text = text.substr(open + 1, close - open - 1);
  if (text == "r" || text.starts_with("r/")) text = "1" + text.substr(1);
  return text == "NA" ? std::nullopt : parsed_unit(text);
}

/// Traverses a type and records where its numbers are.
class Flattener {
 public:
  Flattener(const fom::Fom& f, const std::string& unit, std::uint32_t most) : fom_(f), most_(most) {
    if (!unit.empty()) given_ = parsed_unit(unit);
  }

  std::string add(const std::string& name, int depth = 0) {
    const auto index = fom_.data_type(name);
    if (!index) return "there is no data type " + name;
    if (depth > 32) return "the data type " + name + " is nested too deep";
    // bounds the work: nested arrays may contain no numbers to count
    if (++visits_ > 16 * most_numbers) return too_many(name);
    const fom::DataType& type = fom_.data_types[static_cast<std::size_t>(*index)];
    const fom::Layout& layout = fom_.layouts[static_cast<std::size_t>(*index)];
    if (!layout.known) return "the data type " + name + " has an encoding of its own";
    if (std::holds_alternative<fom::Array>(type.definition) ||
        std::holds_alternative<fom::FixedRecord>(type.definition))
      align(layout.boundary);
    if (const auto* b = std::get_if<fom::Basic>(&type.definition)) return basic(name, *b);
    if (const auto* s = std::get_if<fom::Simple>(&type.definition)) {
      unit_ = unit_of(s->units).value_or(Unit{});
      std::string why = add(s->representation.name, depth + 1);
      unit_ = {};
      return why;
    }
    if (const auto* e = std::get_if<fom::Enumerated>(&type.definition)) return words(*e, depth);
    if (const auto* a = std::get_if<fom::Array>(&type.definition)) return array(name, *a, depth);
    if (const auto* r = std::get_if<fom::FixedRecord>(&type.definition)) {
      for (const fom::Field& f : r->fields)
        if (std::string why = below("." + f.name, f.data_type.name, depth); !why.empty())
          return why;
      return {};
    }
    return "the data type " + name + " is a variant record";
  }
  Flat take() {
    flat_.list = !flat_.steps.empty() && flat_.parts.size() <= 2 &&
                 flat_.steps.front().kind == Flat::Step::Kind::repeat &&
                 flat_.steps.front().numbers == 1;
    flat_.text = flat_.list && characters_;
    return std::move(flat_);
  }

 private:
  static std::string too_many(const std::string& name) {
    return "the data type " + name + " has more than " + std::to_string(most_numbers) + " numbers";
  }

  void align(std::size_t boundary) {
    flat_.bytes = fom::aligned(flat_.bytes, boundary);
    if (boundary > 1 && !copying_ && !flat_.steps.empty())
      flat_.steps.push_back({Flat::Step::Kind::align, static_cast<std::uint8_t>(boundary)});
  }

  std::string below(const std::string& more, const std::string& type, int depth) {
    const std::size_t length = path_.size();
    path_ += more;
    std::string why = add(type, depth + 1);
    path_.resize(length);
    return why;
  }

  std::string array(const std::string& name, const fom::Array& a, int depth) {
    if (a.encoding.name == "HLAvariableArray") return variable(name, a, depth);
    std::uint64_t count = 1;
    for (const fom::Extent& x : a.extents) {
      if (!x.most || *x.most != x.least) return "the data type " + name + " has no fixed size";
      if (*x.most > most_numbers) return too_many(name);
      count *= *x.most;
      if (count > most_numbers) return too_many(name);
    }
    const bool records = has_records(a.element.name);
    for (std::uint64_t i = 0; i < count; ++i)
      if (std::string why =
              below(records ? "." + std::to_string(i) : std::string(), a.element.name, depth);
          !why.empty())
        return why;
    return {};
  }

  // all elements use the steps of the first
  std::string variable(const std::string& name, const fom::Array& a, int depth) {
    if (a.extents.size() != 1)
      return "the data type " + name + " is a variable array of several dimensions";
    const std::uint64_t given = a.extents.front().most.value_or(most_),
                        most = most_ > 0 ? std::min<std::uint64_t>(given, most_) : given;
    if (most == 0) return "the data type " + name + " has no largest size: say it with most=\"…\"";
    if (most > most_numbers) return too_many(name);
    flat_.fixed = false;
    if (std::string why = number({.bytes = 4, .real = false, .is_unsigned = true}, {}, ".count");
        !why.empty())
      return why;
    const bool outer = copying_;
    const std::size_t repeat = flat_.steps.size(), first = flat_.numbers.size();
    if (!outer)
      flat_.steps.back() = {Flat::Step::Kind::repeat, 4, static_cast<std::uint32_t>(most)};
    const std::string bare = a.element.name;
    characters_ = bare == "HLAunicodeChar" || bare == "HLAASCIIchar";
    const bool records = has_records(bare);
    for (std::uint64_t i = 0; i < most; ++i) {
      copying_ = outer || i > 0;
      if (std::string why = below(records ? "." + std::to_string(i) : std::string(), bare, depth);
          !why.empty())
        return why;
      if (copying_) continue;
      flat_.steps[repeat - 1].steps = static_cast<std::uint32_t>(flat_.steps.size() - repeat);
      flat_.steps[repeat - 1].numbers = static_cast<std::uint32_t>(flat_.numbers.size() - first);
    }
    copying_ = outer;
    return {};
  }

  bool has_records(std::string name) const {
    for (int depth = 0; depth < 32; ++depth) {
      const auto index = fom_.data_type(name);
      if (!index) return false;
      const auto& type = fom_.data_types[static_cast<std::size_t>(*index)].definition;
      if (std::holds_alternative<fom::FixedRecord>(type)) return true;
      const auto* a = std::get_if<fom::Array>(&type);
      if (!a) return false;
      name = a->element.name;
    }
    return false;
  }

  std::string words(const fom::Enumerated& e, int depth) {
    Flat::Enumeration all;
    for (const fom::Enumerator& one : e.enumerators)
      if (!one.values.empty()) all.emplace_back(one.name, static_cast<double>(one.values.front()));
    auto at = std::find(flat_.enumerations.begin(), flat_.enumerations.end(), all);
    if (at == flat_.enumerations.end())
      at = flat_.enumerations.insert(flat_.enumerations.end(), std::move(all));
    enumeration_ = static_cast<int>(at - flat_.enumerations.begin());
    std::string why = add(e.representation.name, depth + 1);
    enumeration_ = -1;
    return why;
  }

  std::string basic(const std::string& name, const fom::Basic& b) {
    const bool real = name.find("float") != std::string::npos;
    const bool octets = name == "HLAoctet" || name.starts_with("HLAoctetPair");
    const bool whole = name.find("integer") != std::string::npos || octets;
    const bool usual =
        real ? b.bits == 32 || b.bits == 64 : b.bits % 8 == 0 && b.bits >= 8 && b.bits <= 64;
    if ((!real && !whole) || !usual)
      return "the data type " + name + " is not a number of 8 to 64 bits";
    const Unit unit = enumeration_ >= 0 ? Unit{} : given_.value_or(unit_);
    Flat::Number n;
    n.bytes = static_cast<std::uint8_t>(b.bits / 8);
    n.real = real;
    n.little = b.little;
    n.is_unsigned = name.find("unsigned") != std::string::npos || octets;
    n.factor = unit.factor;
    n.enumeration = enumeration_;
    return number(n, unit, {});
  }

  std::string number(const Flat::Number& n, const Unit& unit, const char* more) {
    if (flat_.numbers.size() == most_numbers)
      return "it has more than " + std::to_string(most_numbers) + " numbers";
    const std::string path = path_ + (more ? more : "");
    if (flat_.parts.empty() || flat_.parts.back().name != path) {
      if (flat_.parts.size() == most_parts)
        return "it has more than " + std::to_string(most_parts) + " parts";
      Unit si = unit;
      si.factor = 1.0;
      flat_.parts.push_back({path, flat_.numbers.size(), 0, text(si), n.enumeration});
    }
    ++flat_.parts.back().count;
    flat_.numbers.push_back(n);
    flat_.bytes = fom::aligned(flat_.bytes, boundary_of(n)) + n.bytes;
    if (!copying_) flat_.steps.push_back({Flat::Step::Kind::number, boundary_of(n)});
    return {};
  }

  const fom::Fom& fom_;
  std::uint32_t most_;
  bool copying_ = false;  // elements after the first: the steps exist already
  bool characters_ = false;
  Flat flat_;
  std::size_t visits_ = 0;
  std::string path_;
  std::optional<Unit> given_;
  Unit unit_ = {};
  int enumeration_ = -1;
};

std::uint64_t bits_of(double x, const Flat::Number& n) noexcept {
  if (n.real)
    return n.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(x))
                        : std::bit_cast<std::uint64_t>(x);
  if (!(x == x)) return 0;
  const int bits = 8 * n.bytes;
  const double high = std::ldexp(1.0, n.is_unsigned ? bits : bits - 1);
  const double low = n.is_unsigned ? 0.0 : -high;
  const double r = std::round(x);
  if (r <= low) return n.is_unsigned ? 0 : std::uint64_t{1} << (bits - 1);
  if (r >= high) return ~std::uint64_t{0} >> (64 - (n.is_unsigned ? bits : bits - 1));
  return n.is_unsigned ? static_cast<std::uint64_t>(r)
                       : static_cast<std::uint64_t>(static_cast<std::int64_t>(r));
}

double value_of(std::uint64_t b, const Flat::Number& n) noexcept {
  if (n.real)
    return n.bytes == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(b)))
                        : std::bit_cast<double>(b);
  if (n.is_unsigned) return static_cast<double>(b);
  require(n.bytes >= 1 && n.bytes <= 8);
  const int shift = 64 - 8 * n.bytes;
  return static_cast<double>(static_cast<std::int64_t>(b << shift) >> shift);
}

}  // namespace

Result<Flat, std::string> flattened(const fom::Fom& f, const std::string& name,
                                    const std::string& unit, std::uint32_t most) {
  Flattener all(f, unit, most);
  if (std::string why = all.add(name); !why.empty()) return Failure<std::string>{std::move(why)};
  return all.take();
}

std::vector<double> characters(const Flat& f, std::string_view utf8) {
  const bool bytes = f.numbers.back().bytes == 1;
  std::vector<double> all;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    const std::size_t more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    std::uint32_t code = more == 0 ? c : c & (0x3fu >> more);
    if (more >= utf8.size() - i || (c >= 0x80 && c < 0xc0) || (bytes && more > 0)) return {};
    for (std::size_t k = 1; k <= more; ++k)
      code = code << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3fu);
    i += more + 1;
    if (code >= 0x10000) {
      all.push_back(0xd800 + ((code - 0x10000) >> 10));
      code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    all.push_back(code);
  }
  return all;
}

namespace {

using Step = Flat::Step;

/// Traverses a value step by step: calls `number(n, at, value)` for each number and `count(at,
/// value, most)`, which returns the number of elements, for each variable array. False as soon as
/// one of them fails.
template <class Number, class Count>
bool walk(const Flat& f, std::size_t first, std::size_t last, std::size_t& at, std::size_t& value,
          const Number& number, const Count& count) noexcept {
  for (std::size_t s = first; s < last; ++s) {
    const Step& step = f.steps[s];
    at = fom::aligned(at, step.boundary);
    if (step.kind == Step::Kind::align) continue;
    if (step.kind == Step::Kind::number) {
      const Flat::Number& n = f.numbers[value];
      if (!number(n, at, value)) return false;
      at += n.bytes;
      ++value;
      continue;
    }
    const std::optional<std::uint32_t> elements = count(at, value, step.most);
    if (!elements) return false;
    at += 4;
    const std::size_t begin = value + 1;
    for (std::uint32_t e = 0; e < *elements; ++e) {
      value = begin + std::size_t{e} * step.numbers;
      if (!walk(f, s + 1, s + 1 + step.steps, at, value, number, count)) return false;
    }
    value = begin + std::size_t{step.most} * step.numbers;
    s += step.steps;
  }
  return true;
}

}  // namespace

std::size_t write_flat(const Flat& f, std::span<const double> from,
                       std::span<std::byte> to) noexcept {
  std::fill(to.begin(), to.end(), std::byte{0});
  const auto put = [&](const Flat::Number& n, std::size_t at, double x) {
    const std::uint64_t b = bits_of(n.factor == 1.0 ? x : x / n.factor, n);
    for (std::size_t k = 0; k < n.bytes; ++k)
      to[at + (n.little ? k : n.bytes - 1 - k)] = std::byte(b >> (8 * k) & 0xff);
    return true;
  };
  std::size_t at = 0, value = 0;
  walk(
      f, 0, f.steps.size(), at, value,
      [&](const Flat::Number& n, std::size_t a, std::size_t v) { return put(n, a, from[v]); },
      [&](std::size_t a, std::size_t v, std::uint32_t most) -> std::optional<std::uint32_t> {
        const double wanted = std::round(from[v]);
        const double n = wanted > 0.0 ? std::min(wanted, static_cast<double>(most)) : 0.0;
        put(f.numbers[v], a, n);
        return static_cast<std::uint32_t>(n);
      });
  return at;
}

Unread read_flat(const Flat& f, std::span<const std::byte> from, std::span<double> to) noexcept {
  const auto bits = [&](const Flat::Number& n, std::size_t at) {
    std::uint64_t b = 0;
    for (std::size_t k = n.bytes; k-- > 0;)
      b = b << 8 | static_cast<std::uint64_t>(from[at + (n.little ? k : n.bytes - 1 - k)]);
    return b;
  };
  const auto holds = [&](std::size_t at, std::size_t bytes) {
    return at <= from.size() && bytes <= from.size() - at;
  };
  Unread why = Unread::malformed;
  std::size_t at = 0, value = 0;
  const bool good = walk(
      f, 0, f.steps.size(), at, value,
      [&](const Flat::Number& n, std::size_t a, std::size_t) {
        return holds(a, n.bytes) && std::isfinite(n.factor * value_of(bits(n, a), n));
      },
      [&](std::size_t a, std::size_t v, std::uint32_t most) -> std::optional<std::uint32_t> {
        if (!holds(a, 4)) return {};
        const std::uint64_t n = bits(f.numbers[v], a);
        if (n <= most) return static_cast<std::uint32_t>(n);
        if (n <= from.size() - a - 4) why = Unread::too_many;  // as far as the bytes show
        return {};
      });
  if (!good || at != from.size()) return why;
  if (!f.fixed) std::fill(to.begin(), to.end(), 0.0);
  at = value = 0;
  walk(
      f, 0, f.steps.size(), at, value,
      [&](const Flat::Number& n, std::size_t a, std::size_t v) {
        to[v] = n.factor * value_of(bits(n, a), n);
        return true;
      },
      [&](std::size_t a, std::size_t v, std::uint32_t) -> std::optional<std::uint32_t> {
        const auto n = static_cast<std::uint32_t>(bits(f.numbers[v], a));
        to[v] = n;
        return n;
      });
  return Unread::no;
}

}  // namespace vernier::spacefom
