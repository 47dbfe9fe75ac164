#include <fmt/format.h>

#include <set>

#include "vernier/run/server/detail/host_work.hpp"

namespace vernier::server {

void Host::Work::begin_files(Visitor& v, std::vector<FileId> files) {
  if (files.size() > most_files)
    return refuse(
        v, "V5636",
        fmt::format("the server takes {} files at once, not {}", most_files, files.size()));
  for (const FileId& f : files)
    if (f.path.size() > longest_name) return refuse(v, "V5637", "a file has too long a name");
  v.transfer = std::make_unique<Transfer>();
  v.transfer->files = std::move(files);
  next_check(v);
}

void Host::Work::next_check(Visitor& v) {
  Transfer& t = *v.transfer;
  if (t.next == t.files.size()) return ask_for_missing(v);
  t.check = std::make_unique<FileCache::Check>(cache_, t.files[t.next]);
  checking_.push_back(v.id);
}

void Host::Work::check_files(Visitor& v) {
  if (!v.transfer || !v.transfer->check) return;
  Transfer& t = *v.transfer;
  const std::optional<bool> there = t.check->step();
  if (!there) return checking_.push_back(v.id);
  t.check.reset();
  if (!*there) t.missing.push_back(static_cast<std::uint32_t>(t.next));
  ++t.next;
  next_check(v);
  if (v.stage == Stage::asking && !t.check) {
    send(v);
    // what was received meanwhile is not reported again
    if (v.stage == Stage::asking) take_frames(v);
    if (!gone(v)) unread_.push_back(v.id);
  }
}

void Host::Work::ask_for_missing(Visitor& v) {
  Transfer& t = *v.transfer;
  // the same content under several names is sent once
  std::set<fs::path> seen;
  std::erase_if(t.missing,
                [&](std::uint32_t i) { return !seen.insert(cache_.place(t.files[i])).second; });
  std::set<fs::path> keep;
  for (const auto& [id, other] : visitors_)
    if (other->transfer)
      for (const FileId& f : other->transfer->files) keep.insert(cache_.place(f));
  std::uint64_t sum = 0;
  for (const std::uint32_t i : t.missing) {
    const std::uint64_t size = t.files[i].size;
    sum = size > settings_.most_cached - std::min(sum, settings_.most_cached)
              ? settings_.most_cached + 1
              : sum + size;
  }
  if (!t.missing.empty() && !cache_.make_room(sum, keep))
    return refuse(v, "V5636",
                  fmt::format("the files of the run do not fit: the server keeps {} MB of files",
                              settings_.most_cached >> 20),
                  "its owner can say --files MIB");
  t.next = 0;
  say(v, HostWord::missing, t.missing);
  next_arrival(v);
}

void Host::Work::next_arrival(Visitor& v) {
  Transfer& t = *v.transfer;
  t.arrival.reset();
  if (t.next < t.missing.size()) {
    t.arrival =
        std::make_unique<FileCache::Arrival>(cache_, t.files[t.missing[t.next]], scratch_.path());
    return;
  }
  std::vector<std::string> places;
  for (const FileId& f : t.files) places.push_back(cache_.place(f).string());
  say(v, HostWord::places, places);
}

void Host::Work::take_piece(Visitor& v, const Piece& p) {
  Transfer* t = v.transfer.get();
  if (!t || !t->arrival || t->missing[t->next] != p.file)
    return refuse(v, "V5637", "the client sent a file that is not missing");
  const auto complete = t->arrival->add(p.content);
  if (!complete) return refuse(v, "V5636", complete.error());
  if (!*complete) return;
  ++t->next;
  next_arrival(v);
}

}  // namespace vernier::server
