#include "vernier/run/viewers/foxglove_site.hpp"

#include "vernier/base/diagnostic.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::viewers {

namespace {

constexpr std::chrono::milliseconds look_every{16};  // for new rows
constexpr std::chrono::seconds tell_every{5};        // what a client has missed

Descriptor listening_there(const net::Address& where) {
  auto listener = net::listening(where, 16);
  if (listener) return std::move(*listener);
  throw ConfigurationError("V8120",
                           "cannot listen on " + net::text(where) + ": " + listener.error());
}

}  // namespace

FoxgloveSite::FoxgloveSite(const std::filesystem::path& run_folder, const std::string& name,
                           const net::Address& where)
    : listener_(listening_there(where)), rows_(run_folder), protocol_(rows_, name) {
  const std::string token = net::random_token();
  const net::Address at{where.host, std::to_string(net::port_of(listener_))};
  address_ = "ws://" + net::text(at) + "/?token=" + token;
  net::WebServer::Settings settings;
  settings.access.watch_token = token;
  settings.access.hosts = {"localhost", "127.0.0.1", "::1", where.host};
  settings.access.any_address = net::beyond_this_machine(where);
  settings.access.token_in_address = true;
  settings.socket_path = "/";
  settings.subprotocol = Foxglove::subprotocols;
  server_.emplace(std::move(listener_), std::move(settings), *this);
}

FoxgloveSite::~FoxgloveSite() = default;

std::string FoxgloveSite::address() const { return address_; }
void FoxgloveSite::serve() { server_->serve(); }
void FoxgloveSite::stop() noexcept { server_->stop(); }

std::optional<net::WebAnswer> FoxgloveSite::file(Client, const net::http::Request&, net::Role) {
  return net::WebAnswer{.status = 404};
}

void FoxgloveSite::opened(Client c, net::Role) {
  clients_.try_emplace(c);
  for (const std::string& text : protocol_.opened(c)) server_->send(c, text);
}

void FoxgloveSite::received(Client c, std::string text) {
  const std::string answer = protocol_.received(c, text);
  if (!answer.empty()) server_->send(c, answer);
}

void FoxgloveSite::closed(Client c) {
  clients_.erase(c);
  protocol_.closed(c);
}

net::Clock::time_point FoxgloveSite::serve(net::Clock::time_point now) {
  // asked before the rows are: what is written until the end is then read
  const bool over = rows_.over();
  const auto send = [this](Client c, Bytes message) {
    if (!server_->send_live(c, message)) ++clients_[c].messages;
  };
  std::optional<double> time;
  rows_.poll([&](const record::LiveRowReader::Row& row) {
    protocol_.take(row, send);
    time = row.time;
  });
  if (time) protocol_.tell_time(*time, send);
  for (auto& [client, missed] : clients_) {
    if (missed.messages == missed.told || now - missed.when < tell_every) continue;
    server_->send(client, Foxglove::status(1, std::to_string(missed.messages - missed.told) +
                                                  " messages were left out: this viewer does not "
                                                  "keep up; subscribe to fewer signals"));
    missed.told = missed.messages;
    missed.when = now;
  }
  if (over) {
    while (!clients_.empty())  // closed() removes them
      server_->close(clients_.begin()->first, net::websocket::Code::going_away, "the run is over");
    server_->stop();
  }
  return now + look_every;
}

}  // namespace vernier::viewers
