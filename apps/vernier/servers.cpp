#include "apps/vernier/servers.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "apps/vernier/console.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/server/executor.hpp"
#include "vernier/run/server/host_messages.hpp"

namespace vernier::app {

ConfigurationError refusal(std::string code, std::string message, std::string note) {
  Diagnostics problems;
  problems.error(std::move(code), std::move(message), {}).notes.push_back(std::move(note));
  return ConfigurationError(std::move(problems));
}

ConfigurationError no_avahi(const std::string& what, const std::string& why) {
  return refusal(
      "V5656", fmt::format("{}: {}", what, harmless(why)),
      "install avahi-daemon and avahi-utils, and start avahi-daemon; or name the servers: "
      "--on HOST[:PORT],…");
}

net::Address server_address(const std::string& text) {
  // without a port: a name, or an address of IPv6 in brackets
  const bool port = !text.ends_with(']') && (text.find(':') != text.npos || parsed_integer(text));
  const auto a = net::parsed_address(port ? text : text + ":" + std::to_string(server::usual_port));
  if (a && !text.empty() && a->host.find_first_of(" \t/") == std::string::npos) return *a;
  throw refusal("V5642", fmt::format("\"{}\" is not the address of a server", text),
                "write HOST or HOST:PORT, for example 10.0.0.2:4870; IPv6 in brackets: [::1]:4870");
}

std::vector<net::Address> server_addresses(const std::string& text) {
  std::vector<net::Address> all;
  std::vector<std::string> known;
  for (const std::string_view part : split(text, ',')) {
    const net::Address a = server_address(std::string(trimmed(part)));
    if (std::ranges::find(known, net::text(a)) != known.end()) continue;
    known.push_back(net::text(a));
    all.push_back(a);
  }
  return all;
}

void declare_credentials(CLI::App& app, server::CredentialFiles& files, CLI::Option* server) {
  const auto file = [&](const char* name, std::string& into, const char* what) {
    CLI::Option* option = app.add_option(name, into, what)->type_name("FILE");
    if (server) option->needs(server);
  };
  file("--key", files.key,
       "a key that servers and their clients share (~/.config/vernier/server-key)");
  file("--certificate", files.certificate, "use mutual TLS, with this certificate (PEM)");
  file("--private-key", files.private_key, "its private key (PEM)");
  file("--authorities", files.authorities,
       "who must have issued the certificate of the other side (PEM)");
}

std::array<std::pair<const char*, std::string*>, 4> files_of(server::CredentialFiles& f) {
  return {{{"key", &f.key},
           {"certificate", &f.certificate},
           {"private-key", &f.private_key},
           {"authorities", &f.authorities}}};
}

std::vector<std::string> executor_words(const Permissions& p, const server::CredentialFiles& c) {
  // an executor has another working directory
  std::vector<std::string> words{"executor"};
  const auto add = [&words](const char* option, const std::string& file) {
    if (!file.empty())
      words.push_back(fmt::format("{}={}", option, std::filesystem::absolute(file).string()));
  };
  for (const std::string& file : p.trust) add("--trust", file);
  for (const std::string& folder : p.allow_write) add("--allow-write", folder);
  add("--certificate", c.certificate);
  add("--private-key", c.private_key);
  add("--authorities", c.authorities);
  return words;
}

int become_executor(const std::vector<std::string>& words) {
  Permissions permissions;
  server::CredentialFiles files;
  CLI::App app;
  declare_permissions(app, permissions, true);
  declare_credentials(app, files);
  std::vector<std::string> rest(words.rbegin(), words.rend() - 1);
  try {
    app.parse(rest);
  } catch (const CLI::Error& e) {
    throw refusal("V5604", e.what(), "vernier starts its executors itself");
  }
  if (fcntl(server::composer_descriptor, F_GETFL) < 0)
    throw refusal("V5604", "an executor has no use without a composer",
                  "vernier run FILE --on local:2   starts executors");
  fcntl(server::composer_descriptor, F_SETFL, O_NONBLOCK);
  fcntl(server::composer_descriptor, F_SETFD, FD_CLOEXEC);
  server::MeshTls tls;
  if (!files.certificate.empty())
    tls = {server::credentials(files, server::Side::client).tls,
           server::credentials(files, server::Side::server).tls};
  const Catalogue types = running_catalogue(permissions);
  return server::execute(net::Stream(Descriptor(server::composer_descriptor)), types,
                         std::string(version()), tls,
                         trusted_code({permissions.trust.begin(), permissions.trust.end()}));
}

}  // namespace vernier::app
