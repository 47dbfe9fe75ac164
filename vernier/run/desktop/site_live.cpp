// What the server sends without being asked: rows and states of live runs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/desktop/site.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/control.hpp"

namespace vernier::desktop {

namespace fs = std::filesystem;
using net::Clock;

namespace {

constexpr const char* next_link = "next";  // in the folder of a run that was rewound
constexpr std::size_t most_follows = 64;   // of one page
constexpr std::size_t most_columns = 50'000;
constexpr auto longest_start = std::chrono::minutes(1);  // of a run that continues another

/// The run that continues a rewound one, once it has begun; empty: not yet, or there is none.
std::string next_of(const fs::path& run) {
  std::error_code failed;
  const fs::path target = fs::read_symlink(run / next_link, failed);
  if (failed || target.filename().empty()) return {};
  return (run.parent_path() / target.filename()).string();
}

}  // namespace

void Site::follow(Client c, const Request& r) {
  const double rate = r.has("rate") ? r.number("rate") : 30.0;
  constexpr double least = 0.1, most = 60.0;
  if (!(rate >= least && rate <= most))
    refuse("V8103", "\"rate\" is not from 0.1 to 60", "messages a second");
  const auto columns = r.pairs("columns");
  std::size_t followed = columns.size();
  for (const auto& [number, f] : visitors_[c].follows) followed += f.columns;
  if (visitors_[c].follows.size() >= most_follows || followed > most_columns)
    refuse("V8103", "this page follows too much at once", "unfollow what is not shown");
  have_done(c, r.id(), reading_,
            [this, c, rate, id = r.id(), name = r.text("run"), columns, role = role(c)]() -> Done {
              const fs::path run = places_.run(name, role);
              auto rows = std::make_shared<LiveFollow>(run, runs_.at(run).columns(columns), rate);
              return [this, c, id, run, rows, rate, count = columns.size()] {
                Visitor& v = visitors_[c];
                const std::uint32_t number = ++v.last_follow;
                v.follows[number] = {.run = run,
                                     .rows = rows,
                                     .columns = count,
                                     .every = std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(1.0 / rate)),
                                     .next = {}};
                return answer(id, {{"follow", number}});
              };
            });
}

void Site::unfollow(Client c, const Request& r) {
  visitors_[c].follows.erase(static_cast<std::uint32_t>(r.whole("follow", 0xffffffff)));
  server_->send(c, answer(r.id(), nlohmann::ordered_json::object()));
}

net::Clock::time_point Site::send_live(Clock::time_point now) {
  Clock::time_point next = net::forever;
  for (auto& [client, visitor] : visitors_) {
    for (auto f = visitor.follows.begin(); f != visitor.follows.end();) {
      Follow& follow = f->second;
      if (follow.next <= now) {
        follow.next += follow.every;
        if (follow.next <= now) follow.next = now + follow.every;
        send_rows(client, visitor, f->first, follow);
        if (follow.rows->over()) {
          f = visitor.follows.erase(f);
          continue;
        }
      }
      next = std::min(next, follow.next);
      ++f;
    }
  }
  return next;
}

void Site::send_rows(Client c, Visitor& v, std::uint32_t number, Follow& f) {
  const std::vector<std::byte> message = f.rows->poll(number, v.dropped);
  if (message.empty() || server_->send_live(c, message)) return;
  v.dropped += f.rows->samples();
}

std::uint64_t Site::lost_of(const fs::path& run) const {
  std::uint64_t most = 0;
  for (const auto& [client, visitor] : visitors_) {
    for (const auto& [number, follow] : visitor.follows) {
      if (follow.run == run) most = std::max(most, follow.rows->lost());
    }
  }
  return most;
}

void Site::ask_states(Clock::time_point now) {
  for (fs::path run = status_.due(now); !run.empty(); run = status_.due(now)) {
    asking_.add([this, run] { ask_state(run); });
  }
}

/// On a worker's thread.
void Site::ask_state(const fs::path& run) {
  try {
    const std::string state = session::ask(run, "state", ending_.descriptor());
    hand_over([this, run, state] { tell(status_.take(run, state, lost_of(run), Clock::now())); });
    return;
  } catch (const ConfigurationError&) {
    // it has ended, or is about to
  } catch (const std::exception&) {  // no memory
    return hand_over([this, run] { status_.missed(run, Clock::now()); });
  }
  std::string status = "unreadable";
  std::uint64_t events = 0;
  bool rewound = false;
  try {
    const record::Manifest manifest = record::read_manifest(run);
    status = manifest.status;
    rewound = manifest.rewound;
    record::EventList list(run);
    list.refresh();
    events = list.total();
  } catch (const std::exception&) {
    // its folder has vanished
  }
  hand_over([this, run, status, events, rewound] {
    const std::string next = next_of(run);
    // a run that was rewound has ended when the one that continues it has begun
    const Clock::time_point now = Clock::now();
    const bool waits = next.empty() && rewound &&
                       now - rewound_.try_emplace(run, now).first->second < longest_start;
    if (status == "running" || waits) return status_.missed(run, now);
    rewound_.erase(run);
    // the next one who asks sees its last rows
    reading_.add([this, run] { runs_.forget(run); });
    tell(status_.end(run, status, events, next));
  });
}

void Site::tell(const LiveStatus::Told& told) {
  for (const auto& [client, message] : told) server_->send(client, message);
}

}  // namespace vernier::desktop
