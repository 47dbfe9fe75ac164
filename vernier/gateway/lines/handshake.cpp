#include <charconv>

#include "vernier/base/units.hpp"
#include "vernier/gateway/lines/protocol.hpp"

namespace vernier::lines {
namespace {

// a unit as a single word: blanks stand for products
std::string one_word(std::string unit) {
  for (char& c : unit) {
    if (c == ' ' || c == '\t') c = '*';
  }
  return unit;
}

void append(std::string& text, const std::vector<channel::Channel>& channels) {
  for (const auto& c : channels) {
    text += " " + c.name;
    if (c.count != 1) text += "[" + std::to_string(c.count) + "]";
    if (c.unit != "1") text += "(" + one_word(c.unit) + ")";
  }
}

std::string quoted(std::string_view word) {
  char buffer[64];
  return "\"" + std::string(shown(word, buffer)) + "\"";
}

// "omega[3](rad/s)"
Result<Offer::Signal, std::string> parsed_signal(std::string_view word) {
  Offer::Signal signal;
  const std::string_view whole = word;
  if (word.ends_with(')')) {
    const auto open = word.find('(');
    if (open == word.npos) return Failure{quoted(whole) + " has no \"(\""};
    signal.unit = word.substr(open + 1, word.size() - open - 2);
    word = word.substr(0, open);
  }
  if (word.ends_with(']')) {
    const auto open = word.find('[');
    if (open == word.npos) return Failure{quoted(whole) + " has no \"[\""};
    const std::string_view number = word.substr(open + 1, word.size() - open - 2);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), signal.count);
    if (error != std::errc{} || end != number.data() + number.size() || signal.count == 0 ||
        signal.count > most_elements) {
      return Failure{quoted(whole) + " has no size from 1 to " + std::to_string(most_elements)};
    }
    word = word.substr(0, open);
  }
  if (word.empty() || word.find_first_of("[]():") != word.npos) {
    return Failure{quoted(whole) + " is not name[size](unit)"};
  }
  signal.name = word;
  return signal;
}

std::string labels(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& n : names) text += (text.empty() ? "" : " ") + n;
  return text.empty() ? "none" : text;
}

std::string difference(std::string_view kind, const std::vector<Offer::Signal>& offered,
                       const std::vector<channel::Channel>& agreed) {
  for (std::size_t i = 0; i < std::min(offered.size(), agreed.size()); ++i) {
    const auto& o = offered[i];
    const auto& a = agreed[i];
    const std::string which = std::string(kind) + " " + std::to_string(i + 1);
    if (o.name != a.name)
      return which + " is " + quoted(o.name) + " there, \"" + a.name + "\" here";
    if (o.count != a.count) {
      return which + ", \"" + a.name + "\", has size " + std::to_string(o.count) + " there, " +
             std::to_string(a.count) + " here";
    }
    if (o.unit.empty() || o.unit == one_word(a.unit)) continue;
    const auto there = parsed_unit(o.unit), here = parsed_unit(a.unit);
    if (!there || !here || !(*there == *here)) {
      return which + ", \"" + a.name + "\", is in " + quoted(o.unit) + " there, in \"" + a.unit +
             "\" here";
    }
  }
  if (offered.size() != agreed.size()) {
    return std::to_string(offered.size()) + " " + std::string(kind) + "s there, " +
           std::to_string(agreed.size()) + " here";
  }
  return {};
}

}  // namespace

std::string channels_text(const channel::Channels& channels) {
  std::string text = "in:";
  append(text, channels.inputs);
  text += " out:";
  append(text, channels.outputs);
  if (!channels.events_in.empty()) text += " events-in: " + labels(channels.events_in);
  if (!channels.events_out.empty()) text += " events-out: " + labels(channels.events_out);
  return text;
}

Result<Offer, std::string> parsed_channels(std::string_view rest) {
  Offer offer;
  std::vector<Offer::Signal>* signals = nullptr;
  std::vector<std::string>* events = nullptr;
  std::size_t elements = 0;
  Words words(rest);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word.ends_with(':')) {
      signals = word == "in:" ? &offer.inputs : word == "out:" ? &offer.outputs : nullptr;
      events = word == "events-in:"    ? &offer.events_in
               : word == "events-out:" ? &offer.events_out
                                       : nullptr;
      if (!signals && !events)
        return Failure{quoted(word) + " is not in:, out:, events-in: or events-out:"};
    } else if (events) {
      if (events->size() >= most_elements) return Failure{std::string("too many events")};
      events->emplace_back(word);
    } else if (signals) {
      auto signal = parsed_signal(word);
      if (!signal) return Failure{signal.error()};
      elements += signal->count;
      if (elements > 2 * most_elements) return Failure{std::string("too many values")};
      signals->push_back(*signal);
    } else {
      return Failure{quoted(word) + " comes before in: or out:"};
    }
  }
  return offer;
}

std::string difference(const Offer& offer, const channel::Channels& agreed) {
  std::string text = difference("input", offer.inputs, agreed.inputs);
  if (text.empty()) text = difference("output", offer.outputs, agreed.outputs);
  if (text.empty() && offer.events_in != agreed.events_in) {
    text = "event inputs are " + quoted(labels(offer.events_in)) + " there, \"" +
           labels(agreed.events_in) + "\" here";
  }
  if (text.empty() && offer.events_out != agreed.events_out) {
    text = "event outputs are " + quoted(labels(offer.events_out)) + " there, \"" +
           labels(agreed.events_out) + "\" here";
  }
  return text;
}

}  // namespace vernier::lines
