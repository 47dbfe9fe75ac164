#include "vernier/gateway/spacefom/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace vernier::spacefom {
namespace {

constexpr std::size_t most_numbers = 4096;

/// Walks through a type and notes where its numbers are.
class Flattener {
 public:
  explicit Flattener(const fom::Fom& f) : fom_(f) {}

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
    if (const auto* s = std::get_if<fom::Simple>(&type.definition))
      return add(s->representation.name, depth + 1);
    if (const auto* e = std::get_if<fom::Enumerated>(&type.definition))
      return add(e->representation.name, depth + 1);
    if (const auto* a = std::get_if<fom::Array>(&type.definition)) {
      std::uint64_t count = 1;
      for (const fom::Extent& x : a->extents) {
        if (!x.most || *x.most != x.least || *x.most > most_numbers)
          return "the data type " + name + " has no fixed size";
        count *= *x.most;
        if (count > most_numbers) return too_many(name);
      }
      for (std::uint64_t i = 0; i < count; ++i)
        if (std::string why = add(a->element.name, depth + 1); !why.empty()) return why;
      return {};
    }
    if (const auto* r = std::get_if<fom::FixedRecord>(&type.definition)) {
      for (const fom::Field& f : r->fields)
        if (std::string why = add(f.data_type.name, depth + 1); !why.empty()) return why;
      return {};
    }
    return "the data type " + name + " is a variant record";
  }
  Flat take() { return std::move(flat_); }

 private:
  static std::string too_many(const std::string& name) {
    return "the data type " + name + " has more than " + std::to_string(most_numbers) + " numbers";
  }
  std::string basic(const std::string& name, const fom::Basic& b) {
    const bool real = name.find("float") != std::string::npos;
    const bool whole = name.find("integer") != std::string::npos || name == "HLAoctet";
    if (!real && !whole) return "the data type " + name + " is not a number";
    if (flat_.numbers.size() == most_numbers) return too_many(name);
    flat_.numbers.push_back({flat_.bytes, static_cast<std::uint8_t>(b.bits / 8), real, b.little,
                             name.find("unsigned") != std::string::npos || name == "HLAoctet"});
    flat_.bytes += static_cast<std::size_t>(b.bits / 8);
    return {};
  }

  const fom::Fom& fom_;
  Flat flat_;
  std::size_t visits_ = 0;
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
  const int shift = 64 - 8 * n.bytes;
  return static_cast<double>(static_cast<std::int64_t>(b << shift) >> shift);
}

}  // namespace

Result<Flat, std::string> flattened(const fom::Fom& f, const std::string& name) {
  Flattener walk(f);
  if (std::string why = walk.add(name); !why.empty()) return Failure<std::string>{std::move(why)};
  return walk.take();
}

void write_flat(const Flat& f, std::span<const double> from, std::span<std::byte> to) noexcept {
  std::fill(to.begin(), to.end(), std::byte{0});
  for (std::size_t i = 0; i < f.numbers.size(); ++i) {
    const Flat::Number& n = f.numbers[i];
    const std::uint64_t b = bits_of(from[i], n);
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
    return value_of(b, n);
  };
  for (const Flat::Number& n : f.numbers)
    if (!std::isfinite(number(n))) return false;
  for (std::size_t i = 0; i < f.numbers.size(); ++i) to[i] = number(f.numbers[i]);
  return true;
}

}  // namespace vernier::spacefom
