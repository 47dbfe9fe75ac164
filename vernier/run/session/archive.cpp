#include "vernier/run/session/archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/sources.hpp"
#include "vernier/run/session/continuation.hpp"
#include "vernier/run/session/order_log.hpp"

namespace vernier::session {

Computing computing(const composition::Composition& c) noexcept {
  return {c.run.arithmetic, chosen_instructions()};
}

Archive::Archive(const composition::Composition& c, const Options& o, const Diagnostics& problems) {
  const Computing how = computing(c);
  manifest_.composition = c.name;
  manifest_.version = o.version;
  manifest_.command = o.command;
  manifest_.host = record::host_name();
  manifest_.seed = c.run.seed;
  manifest_.arithmetic = vernier::name(how.arithmetic);
  if (how.arithmetic == Arithmetic::fastest)
    manifest_.instructions = vernier::name(how.instructions);
  manifest_.started = record::iso8601(std::chrono::system_clock::now());
  manifest_.set = o.changes.set;
  note_options(o);
  note_warnings(problems);
  if (!o.keep) {
    place_ = temporary_.emplace().path();
    for (const auto* files : {&c.documents, &c.data})
      for (const std::filesystem::path& f : *files)
        manifest_.inputs.push_back({.file = f.filename().string(),
                                    .original = f.string(),
                                    .sha256 = text(sha256_of_file(f))});
    note_executed(c);
    return;
  }
  folder_ = std::make_unique<record::RunFolder>(o.runs, c.name);
  kept_ = place_ = folder_->path();
  manifest_.name = folder_->name();
  manifest_.inputs =
      folder_->copy_inputs(c.documents, c.data, [&c](const std::filesystem::path& file) {
        return c.sources ? c.sources->find(file) : nullptr;
      });
  if (!manifest_.inputs.empty()) manifest_.document = manifest_.inputs.front().file;
  try {
    note_executed(c);
  } catch (const ConfigurationError&) {
    discard();
    throw;
  }
  if (!o.from.empty()) {
    std::error_code failed;
    std::filesystem::copy_file(o.from, place_ / start_file, failed);
  }
  if (!o.orders.empty()) write_orders(place_ / pending_orders_file, o.orders);
  folder_->write(manifest_);
  log(fmt::format("vernier {}: {}", o.version, joined(o.command, " ")));
  for (const std::string& w : manifest_.warnings) log("warning " + w);
}

Archive::Archive(Continuation& c, const Options& o, const Diagnostics& problems, Time begin)
    : folder_(std::make_unique<record::RunFolder>(c.folder, std::move(c.lock))),
      place_(folder_->path()),
      kept_(place_),
      manifest_(c.manifest) {
  const std::string now = record::iso8601(std::chrono::system_clock::now());
  manifest_.status = "running";
  manifest_.continued.push_back({seconds(begin), now});
  const auto fresh = note_warnings(problems);
  folder_->write(manifest_);
  log(fmt::format("vernier {}: {}", o.version, joined(o.command, " ")));
  log(fmt::format("the run was killed; it continues from {}",
                  c.checkpoint.empty() ? "its beginning" : c.checkpoint.filename().string()));
  for (const std::string& w : fresh) log("warning " + w);
}

std::vector<std::string> Archive::note_warnings(const Diagnostics& problems) {
  std::vector<std::string> fresh;
  for (const Diagnostic& d : problems.list()) {
    std::string w = d.code + ": " + d.message;
    // a run that is continued meets them again
    const bool known = std::find(manifest_.warnings.begin(), manifest_.warnings.end(), w) !=
                       manifest_.warnings.end();
    if (known && !manifest_.continued.empty()) continue;
    manifest_.warnings.push_back(w);
    fresh.push_back(std::move(w));
  }
  return fresh;
}

void Archive::note_options(const Options& o) {
  const auto note = [&](const char* name, std::string value) {
    manifest_.options.emplace_back(name, std::move(value));
  };
  const auto in_seconds = [](Duration d) { return fmt::format("{} ns", d.count()); };
  if (o.changes.until) note("until", in_seconds(*o.changes.until));
  if (o.checkpoint_every) note("checkpoint-every", in_seconds(*o.checkpoint_every));
  if (o.rate) note("rate", exact(*o.rate));
  if (o.late != realtime::LatePolicy{}) note("late", realtime::text(o.late));
  if (const auto& rt = o.real_time) {
    note("rt", rt->require ? "required" : "yes");
    note("priority", std::to_string(rt->wanted.priority));
    if (rt->wanted.cpu >= 0) note("cpu", std::to_string(rt->wanted.cpu));
    if (rt->spin > Duration{}) note("spin", in_seconds(rt->spin));
  }
  if (o.threads != 1) note("threads", std::to_string(o.threads));
  if (!o.changes.record.empty()) note("record", joined(o.changes.record, " "));
  for (const std::string& assignment : o.overrides) note("override", assignment);
  if (!o.from.empty()) note("from", start_file);
  if (!o.registry.empty()) note("registry", o.registry);
  if (!o.registry_run.empty()) note("registry-run", o.registry_run);
  for (const auto& [name, value] : o.nodes) note(name.c_str(), value);
}

// The manifest names the code that runs, so its copy must be what was loaded.
void Archive::note_executed(const composition::Composition& c) {
  for (record::Input& i : manifest_.inputs) {
    const auto original = std::filesystem::absolute(i.original).lexically_normal();
    for (const NativeCode::Loaded& l : c.executed) {
      if (l.path != original) continue;
      if (text(l.sha256) != i.sha256)
        throw ConfigurationError("V7602", i.original + " was changed while the run was prepared");
      i.executed = true;
    }
  }
}

void Archive::warn_of_lost(const std::vector<FileWriter*>& writers, Diagnostics& problems) const {
  if (keeps()) return;
  for (const FileWriter* w : writers) {
    for (const std::filesystem::path& f : w->files()) {
      const auto name = f.lexically_relative(outputs());
      if (name.empty() || *name.begin() == "..") continue;
      problems
          .warning("V7313", fmt::format("{} is not kept, because the run is not", name.string()),
                   {})
          .notes.push_back(
              "keep the run, or give the file an absolute path and allow its folder: "
              "--allow-write DIR");
    }
  }
}

void Archive::log(std::string_view line) const {
  if (folder_) folder_->log().line(line);
}

void Archive::add(const Diagnostics& warnings) {
  for (const std::string& w : note_warnings(warnings)) log("warning " + w);
}

std::filesystem::path Archive::save(const record::Checkpoint& c, record::Progress p) const {
  std::filesystem::path file = place_of(c);
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  const std::vector<std::byte> content = record::encoded(c);
  p.checkpoint = sha256(content);
  record::write_progress(record::progress_file(file), p);
  record::write_checkpoint(file, content);
  if (!p.automatic) log(fmt::format("checkpoint {}", file.filename().string()));
  return file;
}

void Archive::remove(const std::filesystem::path& checkpoint) const {
  std::error_code none;
  std::filesystem::remove(checkpoint, none);
  std::filesystem::remove(record::progress_file(checkpoint), none);
}

std::filesystem::path Archive::last_checkpoint(Time t, Time begins) const {
  std::filesystem::path best;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(place_ / "checkpoints", failed)) {
    if (entry.path().extension() != ".vchk") continue;
    const Time its = record::read_checkpoint(entry.path()).snapshot.time;
    if (its > t || its < begins) continue;
    begins = its;
    best = entry.path();
  }
  return best;
}

void Archive::discard() {
  if (!folder_) return;
  folder_->discard();
  folder_.reset();
  kept_.clear();
}

void Archive::release_reserve() noexcept {
  if (folder_) folder_->release_reserve();
}

void Archive::finish(const Summary& s, const std::vector<realtime::LinkFigure>& links) {
  if (!folder_) return;
  const auto number = [](auto v) { return static_cast<double>(v); };
  manifest_.statistics = {{"simulated_s", seconds(s.reached - s.from)},
                          {"wall_s", s.wall},
                          {"times_real_time", s.factor()},
                          {"ticks", number(s.statistics.ticks)},
                          {"instants", number(s.statistics.instants)},
                          {"microsteps", number(s.statistics.microsteps)},
                          {"late", number(s.statistics.late)},
                          {"rows", number(s.recorded.rows)},
                          {"dropped", number(s.recorded.dropped)},
                          {"events", number(s.recorded.events)}};
  if (s.longest_rest > Duration{}) {
    manifest_.statistics.emplace_back("rest_s", seconds(s.rest.value_or(Duration{})));
    manifest_.statistics.emplace_back("longest_rest_s", seconds(s.longest_rest));
  }
  if (s.real_time) {
    for (auto& figure : figures_of(*s.real_time)) manifest_.statistics.push_back(std::move(figure));
    manifest_.machine = machine_of(*s.real_time);
    write_report(*s.real_time, links);
  }
  for (const std::filesystem::path& f : s.files) {
    const auto inside = f.lexically_relative(place_);
    manifest_.outputs.push_back(
        (inside.empty() || *inside.begin() == ".." ? std::filesystem::absolute(f) : inside)
            .string());
  }
  for (const ReportResult& r : s.reports)
    manifest_.reports.push_back({r.name, r.signal, r.value, r.unit});
  for (const CheckResult& c : s.checks) {
    manifest_.checks.push_back({c.name, c.signal, c.kept, c.seen, c.worst, c.allowed, words_of(c)});
  }
  static constexpr const char* words[] = {"finished", "check failed", "failed", "interrupted"};
  manifest_.stopped = record::iso8601(std::chrono::system_clock::now());
  manifest_.status = words[static_cast<std::size_t>(s.result)];
  manifest_.exit_status = exit_status(s);
  manifest_.message = s.fault ? s.fault->message : "";
  manifest_.rewound = s.rewind.has_value();
  folder_->write(manifest_);
  forget_progress();  // not earlier: it may be killed before the manifest says how it ended
  log(manifest_.status + (manifest_.message.empty() ? "" : ": " + manifest_.message));
}

/// A run that has ended is not continued.
void Archive::forget_progress() const {
  std::vector<std::filesystem::path> all;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(place_ / "checkpoints", none))
    if (entry.path().extension() == record::progress_extension) all.push_back(entry.path());
  all.push_back(place_ / pending_orders_file);
  all.push_back(place_ / pending_remarks_folder / "events.csv");
  for (const std::filesystem::path& p : all) std::filesystem::remove(p, none);
}

void Archive::write_report(const realtime::Health& h,
                           const std::vector<realtime::LinkFigure>& links) const {
  folder_->write("report.html",
                 realtime::report_html(h, manifest_.name,
                                       fmt::format("vernier {} on {}, {}", manifest_.version,
                                                   manifest_.host, manifest_.started),
                                       links));
}

}  // namespace vernier::session
