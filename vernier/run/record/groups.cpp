#include <algorithm>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/run/record/recorder.hpp"

namespace vernier::record {

using executive::PortView;

namespace {

bool recordable(const PortView& v) noexcept { return v.data != nullptr; }

std::vector<const PortView*> named(std::span<const PortView> ports, const std::string& pattern) {
  std::vector<const PortView*> found;
  const PortView* input = nullptr;
  for (const PortView& v : ports) {
    if (!recordable(v)) continue;
    if (v.output && matches(pattern, v.path)) found.push_back(&v);
    if (!v.output && v.path == pattern) input = &v;
  }
  if (found.empty() && input != nullptr) found.push_back(input);
  return found;
}

}  // namespace

std::vector<RecordGroup> groups_of(std::span<const PortView> ports,
                                   const std::vector<composition::Record>& records,
                                   Diagnostics& problems) {
  const std::vector<composition::Record> all{{.signals = "*", .rate = {}, .place = {}}};
  std::vector<RecordGroup> groups;
  std::set<std::string_view> taken;
  for (const composition::Record& r : records.empty() ? all : records) {
    bool any = false;
    for (std::string_view pattern : words(r.signals)) {
      for (const PortView* v : named(ports, std::string(pattern))) {
        any = true;
        if (!taken.insert(v->path).second) continue;
        const executive::Sampling sampling{.rate = r.rate, .cluster = v->cluster};
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const RecordGroup& g) { return g.sampling == sampling; });
        if (group == groups.end()) group = groups.insert(groups.end(), RecordGroup{sampling, {}});
        group->ports.push_back(v);
      }
    }
    if (any || records.empty()) continue;
    // a pattern that matches no port was reported when the composition was checked
    const std::string quoted = "\"" + r.signals + "\" ";
    if (std::any_of(problems.list().begin(), problems.list().end(), [&](const Diagnostic& d) {
          return d.code == "V2128" && d.message.starts_with(quoted);
        }))
      continue;
    Diagnostic& d = problems.warning(
        "V2128", quoted + "matches no output, so nothing is recorded for it", r.place);
    std::vector<std::string> names;
    for (const PortView& v : ports) {
      if (recordable(v)) names.push_back(v.path);
    }
    if (const auto meant = closest(r.signals, names)) d.mark = "did you mean " + *meant + "?";
    d.notes.push_back("an input is recorded when its full path is written");
  }
  return groups;
}

}  // namespace vernier::record
