#include "vernier/run/server/enrolment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "vernier/base/digest.hpp"
#include "vernier/run/placement/nodes.hpp"
#include "vernier/run/registry/file_registry.hpp"
#include "vernier/run/registry/leadership.hpp"
#include "vernier/run/registry/location.hpp"

namespace vernier::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using registry::Trouble;

constexpr auto lead_within = 10s;

class Enrolment final : public session::Companion {
 public:
  Enrolment(const std::string& on, const Run& run)
      : executive_(run.executive),
        fail_(run.fail),
        about_{.run = run.options.registry_run,
               .leader = {},
               .version = run.options.version,
               .folder = run.folder.empty() ? "" : fs::absolute(run.folder).string(),
               .document = fs::absolute(run.composition.file).lexically_normal().string()} {
    Diagnostics known;
    nodes_ = placement::nodes_of(on, known);
    const std::string where = run.options.registry;
    auto registry = registry_of(run.options, run.folder);
    const std::string shown = where.empty() ? (run.folder / "registry.json").string() : where;
    const registry::Leader who = registry::this_process();
    auto term = registry->lead(about_.run, who, net::Clock::now() + lead_within);
    if (!term) {
      Diagnostics d;
      d.add(words_of(term.error(), shown, about_.run));
      throw ConfigurationError(d);
    }
    leadership_.emplace(
        std::move(registry), *term, who, [this] { return record(); },
        [this, shown](const Trouble& why) { fail_(words_of(why, shown, about_.run)); });
  }

  void saved(const fs::path& file, Time t) override {
    {
      const std::lock_guard lock(mutex_);
      newest_ = {fs::absolute(file), t};
    }
    leadership_->refresh();
  }

  void ended(const session::Summary& s) override {
    // one that did not reach its end may be continued
    const bool over =
        s.result == session::Result::finished || s.result == session::Result::broken_check;
    leadership_->resign(over);
  }

 private:
  struct Saved {
    fs::path file;
    Time at{};
  };

  registry::Record record() {
    registry::Record r = about_;
    for (const auto& [name, parts] : executive_.placement()) {
      const auto host = std::ranges::find(nodes_.hosts, name, &placement::Host::name);
      const bool elsewhere = host != nodes_.hosts.end() && !host->local();
      r.nodes.push_back({name,
                         elsewhere
                             ? net::text(net::Address{host->address, std::to_string(host->port)})
                             : std::string(),
                         parts});
    }
    r.checkpoint = checkpoint();
    return r;
  }

  /// The digest of a large file takes time, which the run does not wait for.
  std::optional<registry::RunCheckpoint> checkpoint() {
    Saved newest;
    {
      const std::lock_guard lock(mutex_);
      newest = newest_;
    }
    if (newest.file.empty() || (known_ && known_->file == newest.file.string())) return known_;
    try {
      known_ = {newest.file.string(), newest.at.time_since_epoch().count(),
                text(sha256_of_file(newest.file))};
    } catch (const ConfigurationError&) {  // it was removed: what is known of others stays
    }
    return known_;
  }

  const executive::Executive& executive_;
  std::function<void(Diagnostic)> fail_;
  registry::Record about_;
  placement::Nodes nodes_;
  std::mutex mutex_;
  Saved newest_;                                  // checkpoint
  std::optional<registry::RunCheckpoint> known_;  // that was published; of the leadership's thread
  std::optional<registry::Leadership> leadership_;
};

}  // namespace

Diagnostic words_of(const Trouble& t, const std::string& where, const std::string& run) {
  Diagnostic d;
  d.category = Category::peer;
  switch (t.kind) {
    case Trouble::Kind::unreachable:
      d.code = "V5651";
      d.message = fmt::format("the registry {} does not answer: {}", where, t.why);
      d.notes.emplace_back("most members of an etcd cluster must be there; name all of them");
      break;
    case Trouble::Kind::taken:
      d.code = "V5652";
      d.message = fmt::format("another process runs {}: {}", run, t.why);
      d.notes.emplace_back("--as gives this run another name");
      break;
    case Trouble::Kind::lost:
      d.code = "V5653";
      d.message = fmt::format("this process does not lead {} any more: {}", run, t.why);
      d.notes.emplace_back("it stops, because another may continue the run");
      break;
    case Trouble::Kind::damaged:
      d.code = "V5654";
      d.message = fmt::format("{} is not a registry of runs: {}", where, t.why);
      break;
  }
  return d;
}

std::unique_ptr<registry::Registry> registry_of(const session::Options& o, const fs::path& folder) {
  if (o.registry.empty()) return std::make_unique<registry::FileRegistry>(folder);
  return registry::registry_at(o.registry);
}

session::Options::MakeCompanion enrolled(std::string on) {
  return [on = std::move(on)](
             const session::Companion::Run& run) -> std::unique_ptr<session::Companion> {
    if (run.options.registry.empty() && run.folder.empty()) return nullptr;
    return std::make_unique<Enrolment>(on, run);
  };
}

}  // namespace vernier::server
