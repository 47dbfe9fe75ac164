#include "vernier/run/desktop/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "vernier/base/base64.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/desktop/report_file.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/result_writer.hpp"

namespace vernier::desktop {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string unzipped(const std::string& packed) {
  z_stream z{};
  EXPECT_EQ(inflateInit2(&z, 15 + 16), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  char piece[4096];
  int state = Z_OK;
  while (state == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(piece);
    z.avail_out = sizeof piece;
    state = inflate(&z, Z_NO_FLUSH);
    out.append(piece, sizeof piece - z.avail_out);
  }
  EXPECT_EQ(state, Z_STREAM_END);
  inflateEnd(&z);
  return out;
}

std::string gzip(const std::string& text) {
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 100, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string page_pack() {
  const std::string html = gzip("<html>index-a.js</html>"), script = gzip("export {};");
  return "vernier page 1\nindex.html text/html " + std::to_string(html.size()) +
         "\nassets/index-a.js text/javascript " + std::to_string(script.size()) + "\n\n" + html +
         script;
}

/// What a report holds, read by other means than it was written.
struct Unpacked {
  explicit Unpacked(const std::string& html) {
    const std::string begin = "id=\"vernier-report\">";
    const std::size_t at = html.find(begin) + begin.size();
    whole = unzipped(from_base64(html.substr(at, html.find('<', at) - at)).value());
    std::uint64_t length = 0;
    for (int b = 7; b >= 0; --b)
      length = length << 8 | static_cast<unsigned char>(whole[static_cast<std::size_t>(b)]);
    json = ordered_json::parse(whole.substr(8, length));
    numbers = 8 + (length + 7) / 8 * 8;
  }
  std::vector<double> values(const ordered_json& place) const {
    const std::size_t offset = place[0], n = place[1];
    std::vector<double> out(n);
    std::uint64_t bits = 0;
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t change = 0;
      for (std::size_t b = 0; b < 8; ++b)
        change |= static_cast<std::uint64_t>(
                      static_cast<unsigned char>(whole[numbers + offset + b * n + i]))
                  << (8 * b);
      bits ^= change;
      const auto v = std::bit_cast<double>(bits);
      out[i] = place[2] == 1 ? (sum += v) / 1e9 : v;
    }
    return out;
  }
  std::string whole;
  ordered_json json;
  std::size_t numbers = 0;
};

constexpr const char* script = "</script><script>alert(1)</script><!--";

class Reports : public ::testing::Test {
 protected:
  fs::path run(const std::string& name, int rows = 1000, double gain = 1.0) {
    const fs::path folder = folder_ / name;
    fs::create_directories(folder);
    record::ResultLayout layout;
    layout.groups.push_back({{},
                             {{.path = "body.omega", .unit = "rad/s", .description = script},
                              {.path = "body.wide", .count = 3}}});
    {
      record::ResultWriter w(folder / "results.h5", layout);
      for (int k = 0; k < rows; ++k) {
        const double row[] = {k * 0.1, gain * std::sin(0.01 * k) + (k == 777 ? 42.0 : 0.0),
                              std::sin(k * 12.9898) * 43758.5, std::cos(k * 78.233) * 1e5,
                              k == 5 ? std::nan("") : std::sin(k * 3.7) * 1e3};
        w.append(0, std::as_bytes(std::span(row)));
      }
    }
    record::Manifest m;
    m.name = name;
    m.status = "finished";
    m.composition = script;
    std::ofstream(folder / "manifest.json") << record::to_json(m);
    std::ofstream(folder / "events.csv")
        << "time,component,kind,from,to,reason,transition\n1,body,mode,a,b," << script << ",\n";
    return folder;
  }
  Report report(const std::vector<fs::path>& runs, ReportSettings s = {}) {
    s.title = script;
    s.version = "1.0.0";
    s.describe = [](const std::string& what, const fs::path&) -> ordered_json {
      if (what != "source") return nullptr;
      return {{"files", {{{"file", "a.xml"}, {"text", std::string("<a>") + script}}}}};
    };
    const std::string pack = page_pack();
    const Page page(pack);
    return report_of(runs, catalogue_, page, s);
  }

  TemporaryFolder folder_;
  Catalogue catalogue_;
};

TEST_F(Reports, HoldEveryRowBitForBitWhenThereIsRoom) {
  const fs::path folder = run("a-0001");
  const Report r = report({folder});
  EXPECT_TRUE(r.left_out.empty());
  const Unpacked u(r.html);
  const ordered_json& one = u.json["runs"][0];
  EXPECT_EQ(one["answers"]["open"]["signals"][0]["path"], "body.omega");
  EXPECT_EQ(one["answers"]["events"].size(), 1u);
  ASSERT_EQ(one["columns"].size(), 4u);
  const record::ResultReader file(folder);
  for (const ordered_json& c : one["columns"]) {
    EXPECT_EQ(c[2], true);
    const record::Trace t = file.trace(file.signals()[c[0].get<std::size_t>()], c[1]);
    EXPECT_EQ(u.values(c[3]), t.time);
    const std::vector<double> v = u.values(c[4]);
    ASSERT_EQ(v.size(), t.values.size());
    for (std::size_t i = 0; i < v.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(v[i]), std::bit_cast<std::uint64_t>(t.values[i]));
  }
  // signals that share their times store them once
  EXPECT_EQ(one["columns"][0][3], one["columns"][3][3]);
}

TEST_F(Reports, NeverTurnTextIntoMarkup) {
  const Report r = report({run("a-0001"), run("b-0002")});
  const std::string title = "<title>&lt;/script&gt;&lt;script&gt;alert(1)";
  ASSERT_THAT(r.html, HasSubstr(title));
  // everything else of it is compressed, in base64
  EXPECT_EQ(r.html.find("alert(1)"), r.html.rfind("alert(1)"));
  EXPECT_THAT(r.html, Not(HasSubstr("<script>alert")));
}

TEST_F(Reports, KeepASpikeAndSayWhatIsReduced) {
  const Report r = report({run("a-0001", 20'000)}, {.most_points = 300});
  ASSERT_EQ(r.left_out.size(), 1u);
  EXPECT_THAT(r.left_out[0], HasSubstr("about 300 points"));
  const Unpacked u(r.html);
  EXPECT_EQ(u.json["left_out"][0], r.left_out[0]);
  const ordered_json& c = u.json["runs"][0]["columns"][0];
  EXPECT_EQ(c[2], false);
  const std::vector<double> v = u.values(c[4]);
  EXPECT_LE(v.size(), 460u);
  EXPECT_GT(*std::max_element(v.begin(), v.end()), 41.0);
}

TEST_F(Reports, FitIntoTheSizeAndNameWhatTheyLeaveOut) {
  const fs::path folder = run("a-0001", 20'000);
  const std::size_t all = report({folder}).html.size();
  for (const std::size_t part : {2, 5, 20}) {
    const Report r = report({folder}, {.most_bytes = all / part});
    EXPECT_LE(r.html.size(), all / part);
    const Unpacked u(r.html);
    const std::size_t kept = u.json["runs"][0]["columns"].size();
    std::size_t named = 0;
    for (const std::string& l : r.left_out) named += l.find("the curve of") != l.npos;
    EXPECT_EQ(kept == 4 ? 0u : kept == 1 ? 1u : 2u, named) << part;
  }
  try {
    report({folder}, {.most_bytes = 1000});
    FAIL() << "a report of nothing";
  } catch (const ConfigurationError& e) {
    EXPECT_THAT(rendered(e.diagnostics()),
                HasSubstr("error[V8134]: a report of 1000 bytes has no room for the page"));
  }
}

TEST_F(Reports, CompareTheirRuns) {
  const Report r = report({run("a-0001"), run("b-0002", 1000, 2.0)});
  const Unpacked u(r.html);
  EXPECT_EQ(u.json["compare"]["comparisons"][0]["signals"][0]["signal"], "body.omega");
  const double largest = u.json["compare"]["comparisons"][0]["signals"][0]["largest"];
  const ordered_json& d = u.json["differences"][0];
  EXPECT_EQ(d["signal"], "body.omega");
  double seen = 0.0;
  for (const double v : u.values(d["curves"][0][2])) seen = std::max(seen, std::abs(v));
  EXPECT_EQ(seen, largest);
}

TEST_F(Reports, AskForNothing) {
  const Report r = report({run("a-0001")});
  EXPECT_THAT(r.html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(r.html, Not(HasSubstr("http://")));
  EXPECT_THAT(r.html, Not(HasSubstr("https://")));
  EXPECT_THAT(r.html, Not(HasSubstr("src=\"")));
}

}  // namespace
}  // namespace vernier::desktop
