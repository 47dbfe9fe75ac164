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

/// "kilopascal (kPa)" or "kPa"; modules write r for radian. Nothing: no unit that is known.
std::optional<Unit> unit_of(std::string text) {
  const std::size_t open = text.rfind('('), close = text.rfind(')');
  if (open != std::string::npos && close != std::string::npos && close > open && open > 0 &&
      text[open - 1] == ' ')
    text = text.substr(open + 1, close - open - 1);
  if (text == "r" || text.starts_with("r/")) text = "1" + text.substr(1);
  return text == "NA" ? std::nullopt : parsed_unit(text);
}

/// Walks through a type and notes where its numbers are.
class Flattener {
 public:
  Flattener(const fom::Fom& f, const std::string& unit) : fom_(f) {
    if (!unit.empty()) given_ = parsed_unit(unit);
  }

  std::string add(const std::string& name, int depth = 0) {
    const auto index = fom_.data_type(name);
    if (!index) return "there is no data type " + name;
    if (depth > 32) return "the data type " + name + " is nested too deep";
    // arrays of arrays of nothing have no numbers to count
    if (++visits_ > 16 * most_numbers) return too_many(name);
    const fom::DataType& type = fom_.data_types[static_cast<std::size_t>(*index)];
    const fom::Layout& layout = fom_.layouts[static_cast<std::size_t>(*index)];
    if (!layout.known || !layout.bytes) return "the data type " + name + " has no fixed size";
    flat_.bytes = fom::aligned(flat_.bytes, layout.boundary);
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
  Flat take() { return std::move(flat_); }

 private:
  static std::string too_many(const std::string& name) {
    return "the data type " + name + " has more than " + std::to_string(most_numbers) + " numbers";
  }

  std::string below(const std::string& more, const std::string& type, int depth) {
    const std::size_t length = path_.size();
    path_ += more;
    std::string why = add(type, depth + 1);
    path_.resize(length);
    return why;
  }

  std::string array(const std::string& name, const fom::Array& a, int depth) {
    std::uint64_t count = 1;
    for (const fom::Extent& x : a.extents) {
      if (!x.most || *x.most != x.least || *x.most > most_numbers)
        return "the data type " + name + " has no fixed size";
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
    const bool whole = name.find("integer") != std::string::npos || name == "HLAoctet";
    const bool usual =
        real ? b.bits == 32 || b.bits == 64 : b.bits % 8 == 0 && b.bits >= 8 && b.bits <= 64;
    if ((!real && !whole) || !usual)
      return "the data type " + name + " is not a number of 8 to 64 bits";
    if (flat_.numbers.size() == most_numbers) return too_many(name);
    const Unit unit = enumeration_ >= 0 ? Unit{} : given_.value_or(unit_);
    Flat::Number n;
    n.offset = flat_.bytes;
    n.bytes = static_cast<std::uint8_t>(b.bits / 8);
    n.real = real;
    n.little = b.little;
    n.is_unsigned = name.find("unsigned") != std::string::npos || name == "HLAoctet";
    n.factor = unit.factor;
    n.enumeration = enumeration_;
    if (flat_.parts.empty() || flat_.parts.back().name != path_) {
      if (flat_.parts.size() == most_parts)
        return "it has more than " + std::to_string(most_parts) + " parts";
      Unit si = unit;
      si.factor = 1.0;
      flat_.parts.push_back({path_, flat_.numbers.size(), 0, text(si), enumeration_});
    }
    ++flat_.parts.back().count;
    flat_.numbers.push_back(n);
    flat_.bytes += n.bytes;
    return {};
  }

  const fom::Fom& fom_;
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
                                    const std::string& unit) {
  Flattener walk(f, unit);
  if (std::string why = walk.add(name); !why.empty()) return Failure<std::string>{std::move(why)};
  return walk.take();
}

void write_flat(const Flat& f, std::span<const double> from, std::span<std::byte> to) noexcept {
  std::fill(to.begin(), to.end(), std::byte{0});
  for (std::size_t i = 0; i < f.numbers.size(); ++i) {
    const Flat::Number& n = f.numbers[i];
    const std::uint64_t b = bits_of(n.factor == 1.0 ? from[i] : from[i] / n.factor, n);
    for (std::size_t k = 0; k < n.bytes; ++k)
      to[n.offset + (n.little ? k : n.bytes - 1 - k)] = std::byte(b >> (8 * k) & 0xff);
  }
}

bool read_flat(const Flat& f, std::span<const std::byte> from, std::span<double> to) noexcept {
  if (from.size() != f.bytes) return false;
  const auto number = [&](const Flat::Number& n) {
    std::uint64_t b = 0;
    for (std::size_t k = n.bytes; k-- > 0;)
      b = b << 8 | static_cast<std::uint64_t>(from[n.offset + (n.little ? k : n.bytes - 1 - k)]);
    return n.factor * value_of(b, n);
  };
  for (const Flat::Number& n : f.numbers)
    if (!std::isfinite(number(n))) return false;
  for (std::size_t i = 0; i < f.numbers.size(); ++i) to[i] = number(f.numbers[i]);
  return true;
}

}  // namespace vernier::spacefom
