#include "vernier/run/desktop/report_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vernier/base/base64.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/desktop/problems.hpp"

namespace vernier::embedded {
std::string_view desktop(std::string_view file) noexcept;
}

namespace vernier::desktop {

using nlohmann::ordered_json;

namespace {

/// Differences of neighbours in ns; empty when the times are not whole nanoseconds.
std::vector<double> in_nanoseconds(std::span<const double> times) {
  constexpr double most = 9.0e15;  // below 2^53: exact
  std::vector<double> steps(times.size());
  double before = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double ns = std::round(times[i] * 1e9);
    if (!(std::abs(ns) < most) || ns / 1e9 != times[i]) return {};
    steps[i] = ns - before;
    before = ns;
  }
  return steps;
}

}  // namespace

ordered_json ReportNumbers::store(std::span<const double> values, int coding) {
  // byte by byte, so that similar bytes are neighbours: exponents, and zeros where numbers repeat
  const std::size_t n = values.size();
  std::string planes(8 * n, '\0');
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    const std::uint64_t change = bits ^ before;
    before = bits;
    for (std::size_t b = 0; b < 8; ++b)
      planes[b * n + i] = static_cast<char>(change >> (8 * b) & 0xff);
  }
  const Digest digest = sha256(std::as_bytes(std::span(planes)));
  std::string key = text(digest);
  const auto known = std::lower_bound(known_.begin(), known_.end(), key,
                                      [](const auto& k, const auto& v) { return k.first < v; });
  std::size_t offset = bytes_.size();
  if (known != known_.end() && known->first == key) {
    offset = known->second;
  } else {
    known_.insert(known, {std::move(key), offset});
    bytes_ += planes;
  }
  return ordered_json::array({offset, n, coding});
}

ordered_json ReportNumbers::add(std::span<const double> values) { return store(values, 0); }

ordered_json ReportNumbers::add_times(std::span<const double> times) {
  const std::vector<double> steps = in_nanoseconds(times);
  return steps.size() == times.size() ? store(steps, 1) : store(times, 0);
}

std::string report_data(const ordered_json& told, const ReportNumbers& numbers) {
  std::string text = dumped(told);
  std::string whole(8, '\0');
  for (std::size_t b = 0; b < 8; ++b)
    whole[b] = static_cast<char>(static_cast<std::uint64_t>(text.size()) >> (8 * b) & 0xff);
  text.append((8 - text.size() % 8) % 8, ' ');
  whole += text;
  whole += numbers.bytes();

  constexpr int gzip = 15 + 16, memory = 8;
  z_stream z{};
  if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    refuse("V8109", "the desktop could not do this: there is no memory for compressing");
  std::string packed;
  std::array<char, 1 << 16> piece;
  std::string_view rest = whole;
  constexpr std::size_t at_once = std::size_t{1} << 30;  // zlib counts in 32 bits
  int state = Z_OK;
  while (state == Z_OK) {
    if (z.avail_in == 0) {
      const std::string_view next = rest.substr(0, at_once);
      rest.remove_prefix(next.size());
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next.data()));
      z.avail_in = static_cast<uInt>(next.size());
    }
    z.next_out = reinterpret_cast<Bytef*>(piece.data());
    z.avail_out = static_cast<uInt>(piece.size());
    state = deflate(&z, rest.empty() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(piece.data(), piece.size() - z.avail_out);
  }
  deflateEnd(&z);
  return packed;
}

std::string report_html(const std::string& title, std::string_view data, const Page& page) {
  const std::string nonce = text(sha256(std::as_bytes(std::span(data)))).substr(0, 32);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      // only the script with this number runs, and what it makes itself; nothing is asked for
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'nonce-{0}' blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
      "connect-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{1}</title>\n</head>\n<body>\n"
      "<div id=\"app\"></div>\n<noscript>This report needs JavaScript. It asks nothing of any "
      "other machine.</noscript>\n<script type=\"application/octet-stream\" "
      "id=\"vernier-report\">{2}</script>\n",
      nonce, escaped(title), base64(data));
  for (const std::string& name : page.names()) {
    const auto file = page.file("/" + name);
    const auto& bytes = *file->body;
    html += fmt::format("<script type=\"application/octet-stream\" data-file=\"{}\">{}</script>\n",
                        name, base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  return html + fmt::format("<script nonce=\"{}\">\n{}</script>\n</body>\n</html>\n", nonce,
                            embedded::desktop("web/report/loader.js"));
}

}  // namespace vernier::desktop
