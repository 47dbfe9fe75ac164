#include "vernier/gateway/link/impairment.hpp"

#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::link {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    if (c == ' ' || c == ',' || c == '\t') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool begins_a_number(const std::string& w) {
  return !w.empty() && (w[0] == '.' || w[0] == '-' || w[0] == '+' || (w[0] >= '0' && w[0] <= '9'));
}

/// Reads words one by one.
class Reader {
 public:
  explicit Reader(std::string_view text) : words_(words_of(text)) {
    if (const auto better = without_decimal_commas(text))
      fail("the decimal separator is a point: write \"" + *better + "\"");
  }

  bool ended() const noexcept { return at_ >= words_.size(); }
  std::string next() { return ended() ? std::string() : words_[at_++]; }
  bool take(std::string_view word) {
    if (ended() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  bool number_follows() const { return !ended() && begins_a_number(words_[at_]); }

  /// "5ms" or "5 ms"; the first error is kept.
  double time(const std::string& what) {
    std::string text = next();
    if (!ended() && !text.empty() && text.find_first_not_of("0123456789.eE+-") == text.npos)
      if (const auto both = parsed_quantity(text + words_[at_], "s"); both) {
        ++at_;
        text += words_[at_ - 1];
      }
    const auto t = begins_a_number(text) ? parsed_quantity(text, "s") : std::nullopt;
    if (t && *t >= 0.0 && *t <= 3600.0) return *t;
    fail(what + " needs a time such as 5ms, up to an hour" +
         (text.empty() ? "" : ", not \"" + text + "\""));
    return 0.0;
  }
  /// "1%" or 0.01.
  double share(const std::string& what) {
    std::string text = next();
    if (begins_a_number(text) && take("%")) text += "%";
    const bool percent = !text.empty() && text.back() == '%';
    const auto v = begins_a_number(text)
                       ? parsed_quantity(percent ? text.substr(0, text.size() - 1) : text, "1")
                       : std::nullopt;
    const double s = v.value_or(-1.0) * (percent ? 0.01 : 1.0);
    if (s >= 0.0 && s <= 1.0) return s;
    fail(what + " needs a share such as 1% or 0.01" +
         (text.empty() ? "" : ", not \"" + text + "\""));
    return 0.0;
  }
  void fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }
  const std::string& error() const noexcept { return error_; }

 private:
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string error_;
};

std::optional<double> moment(Reader& r) {
  return r.take("at") ? std::optional(r.time("at")) : std::nullopt;
}

}  // namespace

Result<ImpairmentPlan, std::string> parsed_impairment(std::string_view text) {
  Reader r(text);
  ImpairmentPlan plan;
  Impairment& i = plan.steady;
  while (!r.ended() && r.error().empty()) {
    const std::string word = r.next();
    if (word == "delay") {
      i.delay = r.time(word);
    } else if (word == "jitter") {
      i.jitter = r.time(word);
    } else if (word == "loss") {
      i.loss = r.share(word);
    } else if (word == "reorder") {
      i.reorder = r.number_follows() ? r.share(word) : 0.1;
      i.ragged = true;
    } else if (word == "bytes") {
      i.piece = 1;
    } else if (word == "network") {
      i.network = network_named(r.next());
      if (!i.network) r.fail("a network is lan, app, epos or wan");
    } else if (word == "stall") {
      plan.stall = ImpairmentPlan::Stall{r.time(word), {}};
      plan.stall->at = moment(r);
    } else if (word == "cut") {
      plan.cut = ImpairmentPlan::Cut{moment(r)};
    } else {
      r.fail("\"" + word +
             "\" is none of delay, jitter, loss, reorder, bytes, network, stall, cut");
    }
  }
  if (!r.error().empty()) return Failure{r.error()};
  return plan;
}

ImpairmentSchedule::ImpairmentSchedule(const ImpairmentPlan& p, double length) noexcept : plan_(p) {
  if (p.stall) stall_at_ = p.stall->at.value_or(length / 3.0);
  if (p.cut) cut_at_ = p.cut->at.value_or(length * 2.0 / 3.0);
}

}  // namespace vernier::link
