#include "vernier/run/viewers/foxglove.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "vernier/run/record/ros_message.hpp"

namespace vernier::viewers {

using nlohmann::json;

namespace {

constexpr std::uint8_t message_data = 1, time_data = 2;

/// A text of a file that may not be UTF-8 becomes so.
std::string dumped(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

/// In ns. The protocol has no times before zero.
std::uint64_t nanoseconds(double seconds) noexcept {
  constexpr double most = 9e9;
  return seconds > 0.0 && seconds < most ? static_cast<std::uint64_t>(std::llround(seconds * 1e9))
                                         : 0;
}

/// A number of a request; nothing for anything else.
const json* list_of(const json& request, const char* member) {
  const auto found = request.find(member);
  return found != request.end() && found->is_array() ? &*found : nullptr;
}

}  // namespace

Foxglove::Foxglove(const record::LiveRowReader& run, const std::string& name) {
  const record::ResultLayout& layout = run.layout();
  json channels = json::array();
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    first_.push_back(channels_.size());
    for (std::size_t i = 0; i < layout.groups[g].signals.size(); ++i) {
      const record::SignalSpec& s = layout.groups[g].signals[i];
      const record::RowLayout::Column& c = run.row(g).columns[i];
      channels.push_back({{"id", channels_.size()},
                          {"topic", record::ros_topic(s)},
                          {"encoding", "cdr"},
                          {"schemaName", record::ros_type(channels_.size() + 1)},
                          {"schema", record::ros_schema(s)},
                          {"schemaEncoding", "ros2msg"}});
      channels_.push_back({c.offset, c.bytes});
    }
  }
  first_.push_back(channels_.size());
  subscribers_.resize(channels_.size());
  greeting_.push_back(dumped({{"op", "serverInfo"},
                              {"name", name},
                              {"capabilities", {"time"}},
                              {"supportedEncodings", json::array()},
                              {"metadata", {{"vernier", layout.version}}},
                              {"sessionId", layout.start}}));
  greeting_.push_back(dumped({{"op", "advertise"}, {"channels", std::move(channels)}}));
}

const std::vector<std::string>& Foxglove::opened(Client c) {
  clients_.try_emplace(c);
  return greeting_;
}

void Foxglove::closed(Client c) {
  const auto found = clients_.find(c);
  if (found == clients_.end()) return;
  for (const auto& [id, channel] : found->second)
    std::erase_if(subscribers_[channel], [c](const Subscription& s) { return s.client == c; });
  clients_.erase(found);
}

std::string Foxglove::received(Client c, std::string_view text) {
  if (!clients_.contains(c)) return {};
  const json request = json::parse(text, nullptr, false);
  const auto op = request.is_object() ? request.find("op") : request.end();
  if (!request.is_object() || op == request.end() || !op->is_string())
    return status(2, "this is not a message of the Foxglove protocol");
  const auto& what = op->get_ref<const std::string&>();
  std::string refused;
  if (what == "subscribe") {
    const json* all = list_of(request, "subscriptions");
    if (!all) return status(2, "subscribe needs subscriptions");
    for (const json& s : *all) {
      const auto number = [&s](const char* member) -> std::uint64_t {
        const auto found = s.is_object() ? s.find(member) : s.end();
        return s.is_object() && found != s.end() && found->is_number_unsigned()
                   ? found->get<std::uint64_t>()
                   : ~std::uint64_t{0};
      };
      std::string why = subscribe(c, number("id"), number("channelId"));
      if (!why.empty()) refused = std::move(why);
    }
  } else if (what == "unsubscribe") {
    const json* all = list_of(request, "subscriptionIds");
    if (!all) return status(2, "unsubscribe needs subscriptionIds");
    for (const json& id : *all)
      if (id.is_number_unsigned()) unsubscribe(c, id.get<std::uint64_t>());
  } else {
    refused = "only subscribe and unsubscribe are possible here; change the run with vernier set";
  }
  return refused.empty() ? std::string() : status(2, refused);
}

std::string Foxglove::subscribe(Client c, std::uint64_t id, std::uint64_t channel) {
  if (id > UINT32_MAX || channel >= channels_.size()) return "there is no such channel";
  Subscriptions& own = clients_[c];
  const auto number = static_cast<std::uint32_t>(id);
  if (own.contains(number)) return "a subscription with this number exists already";
  if (own.size() >= most_subscriptions) return "there are too many subscriptions";
  own[number] = channel;
  subscribers_[channel].push_back({c, number});
  return {};
}

void Foxglove::unsubscribe(Client c, std::uint64_t id) {
  Subscriptions& own = clients_[c];
  const auto found = id <= UINT32_MAX ? own.find(static_cast<std::uint32_t>(id)) : own.end();
  if (found == own.end()) return;
  std::erase_if(subscribers_[found->second],
                [&](const Subscription& s) { return s.client == c && s.id == found->first; });
  own.erase(found);
}

void Foxglove::take(const record::LiveRowReader::Row& row, const Send& send) {
  const std::uint64_t time = nanoseconds(row.time);
  for (std::size_t k = first_[row.group]; k < first_[row.group + 1]; ++k) {
    for (const Subscription& s : subscribers_[k]) {
      message_.clear();
      ByteWriter w(message_);
      w(message_data, s.id, time, record::cdr_head);
      w.raw(row.bytes.subspan(channels_[k].offset, channels_[k].bytes));
      send(s.client, message_);
    }
  }
}

void Foxglove::tell_time(double seconds, const Send& send) {
  message_.clear();
  ByteWriter w(message_);
  w(time_data, nanoseconds(seconds));
  for (const auto& [client, subscriptions] : clients_) send(client, message_);
}

std::string Foxglove::status(int level, std::string_view text) {
  return dumped({{"op", "status"}, {"level", level}, {"message", text}});
}

}  // namespace vernier::viewers
