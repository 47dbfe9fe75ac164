#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/permissions.hpp"
#include "vernier/base/text.hpp"
#include "vernier/component/file_writer.hpp"
#include "vernier/gateway/lines/line_server.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::app {
namespace {

struct ServeRequest {
  std::string document, part, listen, connect, connector, patience;
  std::vector<std::string> set;
  Permissions permissions;
  bool once = false;
};

/// The part of a plan to host: the only one, or the named one.
composition::Part& chosen_part(composition::Plan& plan, const std::string& name) {
  std::vector<composition::Part*> parts;
  for (composition::Part& p : plan.parts) {
    if (p.prefix != "ext.") parts.push_back(&p);  // the inputs come over the line
  }
  std::vector<std::string> names;
  for (composition::Part* p : parts) {
    const bool holds =
        std::find(p->instances.begin(), p->instances.end(), name) != p->instances.end();
    if (p->name == name || holds || (name.empty() && parts.size() == 1)) return *p;
    names.push_back(p->name);
  }
  Diagnostics problems;
  Diagnostic& d =
      problems.error("V7504",
                     name.empty() ? "the document has several components; one of them can be hosted"
                                  : fmt::format("there is no component \"{}\" to be hosted", name),
                     {});
  d.notes.push_back(fmt::format("say --part with one of: {}", joined(names, ", ")));
  throw ConfigurationError(problems);
}

net::Address served_address(const std::string& text) {
  if (const auto address = net::parsed_address(text)) return *address;
  throw ConfigurationError(
      "V7505",
      fmt::format("\"{}\" is not an address; write HOST:PORT, for example 127.0.0.1:4711", text));
}

int serve(const ServeRequest& a) {
  Diagnostics problems;
  session::Prepared p = session::prepare(a.document, {.set = a.set},
                                         running_catalogue(a.permissions), problems, false);
  if (!problems.list().empty()) print_problems(problems);
  composition::Part& part = chosen_part(p.plan, a.part);
  // there is no run, so its files go where the user allowed files at all
  auto* writer = dynamic_cast<FileWriter*>(part.component.get());
  if (writer && !a.permissions.allow_write.empty())
    writer->write_below(a.permissions.allow_write.front());

  lines::ServerSettings settings;
  settings.name = part.name;
  settings.listen = a.connect.empty();
  settings.address = served_address(settings.listen ? a.listen : a.connect);
  if (!a.patience.empty()) {
    const auto t = composition::parsed_time(a.patience);
    if (!t || *t < Duration{})
      throw ConfigurationError(
          "V2005", fmt::format("--patience must be a time such as 30s, not \"{}\"", a.patience));
    settings.patience = std::chrono::duration_cast<std::chrono::milliseconds>(*t);
  }
  lines::LineServer server(*part.component, settings);
  if (settings.listen && net::beyond_this_machine(settings.address)) {
    Diagnostics open;
    open.warning(
            "V5144",
            fmt::format("any process that can reach {} can run this component", server.address()),
            {})
        .notes.emplace_back(
            "the line protocol has no key: listen at 127.0.0.1, and tunnel from elsewhere");
    print_problems(open);
  }
  if (!a.connector.empty()) {
    std::ofstream out(a.connector);
    out << lines::connector_document(part.component->description(), part.name, server.address());
    out.close();
    if (!out) cannot_write(a.connector);
  }
  fmt::print("{} {} {}; Ctrl-C ends\n", part.name, settings.listen ? "waits at" : "calls",
             server.address());
  std::fflush(stdout);
  const Interruptible guard(
      [](void* whom) noexcept { static_cast<lines::LineServer*>(whom)->stop(); }, &server);
  while (true) {
    const lines::LineServer::Ending ending = server.serve();
    if (ending == lines::LineServer::Ending::stopped) return status::good;
    static constexpr const char* words[] = {"said goodbye", "went away",
                                            "does not speak the protocol",
                                            "was silent while another client waited"};
    fmt::print("{} {}; {}\n", server.peer(), words[static_cast<std::size_t>(ending)],
               server.summary());
    std::fflush(stdout);
    const bool good = ending == lines::LineServer::Ending::bye;
    if (a.once || !settings.listen) return good ? status::good : status::peer_lost;
  }
}

}  // namespace

Action declare_serve(CLI::App& app) {
  auto asked = std::make_shared<ServeRequest>();
  asked->listen = "127.0.0.1:4711";
  app.add_option("document", asked->document, "a model or a composition")
      ->required()
      ->type_name("");
  app.add_option("--part", asked->part, "which component or island of it, when there are several")
      ->type_name("NAME");
  app.add_option("--listen", asked->listen,
                 "where to wait (127.0.0.1:4711); port 0: any that is free")
      ->type_name("HOST:PORT");
  app.add_option("--connect", asked->connect, "connect to this address instead of listening")
      ->type_name("HOST:PORT");
  app.add_option("--patience", asked->patience, "with --connect: how long to try (30s)")
      ->type_name("TIME");
  app.add_option("--connector", asked->connector,
                 "write the connector document with which a composition joins")
      ->type_name("FILE");
  app.add_option("--set", asked->set, "a parameter: plant.mass=4.1kg; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  declare_permissions(app, asked->permissions, true);
  app.add_flag("--once", asked->once, "end after the first session");
  return
      [asked](const Invocation&) { return run_or_explain(false, [&] { return serve(*asked); }); };
}

}  // namespace vernier::app
