// The cost of the RTI through the standard interface: round trips, lock-step, throughput, memory.
// All processes are on one processor, and a bare relay of the same messages over TCP is measured in
// the same run.
//
// usage: federation_bench [--large | --only-large] [--address DESIGNATOR]
//   --large        also 200 federates for 1000 steps
//   --only-large   only those
//   --address      uses another RTI than this program's own
#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/machine.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/federation/rti_server.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace rti1516e;
constexpr std::size_t payload = 200;  // bytes

double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<long>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

/// Peak memory of a process, in MB.
double peak_memory(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/status");
  for (std::string word; in >> word;) {
    if (double kilobytes = 0.0; word == "VmHWM:" && in >> kilobytes) return kilobytes / 1024.0;
  }
  return 0.0;
}

/// The result of a child process.
struct Found {
  bool good = false;
  double value = 0.0;   // as the scenario says
  double memory = 0.0;  // peak, MB
};

/// Another process that does something and returns its result.
class Child {
 public:
  explicit Child(const std::function<Found()>& work) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      Found f;
      try {
        f = work();
      } catch (const Exception& e) {
        std::fprintf(stderr, "%ls\n", e.what().c_str());
      }
      f.memory = peak_memory(getpid());
      const bool written = ::write(ends[1], &f, sizeof f) == sizeof f;
      _exit(written ? 0 : 1);
    }
    close(ends[1]);
    from_ = Descriptor(ends[0]);
  }
  Found wait() {
    Found f;
    if (::read(from_.get(), &f, sizeof f) != sizeof f) f = {};
    waitpid(process_, nullptr, 0);
    return f;
  }
  pid_t process() const noexcept { return process_; }

 private:
  pid_t process_ = -1;
  Descriptor from_;
};

// ---- the lower bound: a relay

bool move(int from, int to) {
  char some[65536];
  const ssize_t n = recv(from, some, sizeof some, 0);
  return n > 0 && ::send(to, some, static_cast<std::size_t>(n), MSG_NOSIGNAL) == n;
}

/// Two clients and a relay between them, 200 bytes back and forth; microseconds per round trip.
double relay_round_trip() {
  auto listener = net::listening({"127.0.0.1", "0"});
  const net::Address address{"127.0.0.1", std::to_string(net::port_of(*listener))};
  const auto connected = [&] {
    auto fd = net::connected(address, Clock::now() + std::chrono::seconds(5));
    fcntl(fd->get(), F_SETFL, 0);  // blocking: the least that a client can do
    return std::move(*fd);
  };
  char message[payload] = {};
  Child echo([&] {
    const auto fd = connected();
    while (recv(fd.get(), message, payload, MSG_WAITALL) == payload &&
           ::send(fd.get(), message, payload, MSG_NOSIGNAL) == payload) {
    }
    return Found{true};
  });
  auto second = net::accepted(*listener, Clock::now() + std::chrono::seconds(5));
  Child caller([&] {
    const auto fd = connected();
    std::vector<double> trips;
    for (int i = 0; i < 20000; ++i) {
      const auto begin = Clock::now();
      if (::send(fd.get(), message, payload, MSG_NOSIGNAL) != payload) return Found{};
      if (recv(fd.get(), message, payload, MSG_WAITALL) != payload) return Found{};
      trips.push_back(seconds_since(begin) * 1e6);
    }
    return Found{true, median(trips)};
  });
  auto first = net::accepted(*listener, Clock::now() + std::chrono::seconds(5));
  pollfd both[2] = {{first->get(), POLLIN, 0}, {second->get(), POLLIN, 0}};
  for (bool on = true; on && poll(both, 2, -1) > 0;) {
    for (int i : {0, 1})
      if (on && both[i].revents != 0) on = move(both[i].fd, both[1 - i].fd);
  }
  first.reset();
  second.reset();
  const Found f = caller.wait();
  echo.wait();
  return f.value;
}

// ---- federates

constexpr const char* fom = R"(<?xml version="1.0" encoding="UTF-8"?>
<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
  <modelIdentification><name>Benchmark</name><type>FOM</type><version>1.0</version>
    <modificationDate>2026-01-01</modificationDate><securityClassification>Unclassified</securityClassification>
    <description>One class</description></modelIdentification>
  <objects><objectClass><name>HLAobjectRoot</name><objectClass><name>Thing</name><sharing>PublishSubscribe</sharing>
    <attribute><name>Ordered</name><dataType>HLAopaqueData</dataType><updateType>Conditional</updateType><ownership>NoTransfer</ownership>
      <sharing>PublishSubscribe</sharing><transportation>HLAreliable</transportation><order>TimeStamp</order></attribute>
    <attribute><name>AtOnce</name><dataType>HLAopaqueData</dataType><updateType>Conditional</updateType><ownership>NoTransfer</ownership>
      <sharing>PublishSubscribe</sharing><transportation>HLAreliable</transportation><order>Receive</order></attribute>
  </objectClass></objectClass></objects>
  <interactions><interactionClass><name>HLAinteractionRoot</name></interactionClass></interactions>
  <dimensions/><time><timeStamp><dataType>HLAinteger64Time</dataType></timeStamp>
    <lookahead><dataType>HLAinteger64Time</dataType></lookahead></time>
</objectModel>
)";

struct Scenario {
  std::wstring designator, federation, module;
  int federates = 2;
  long count = 0;
};

/// One federate with one object; it waits by evoking callbacks.
class Federate : public NullFederateAmbassador {
 public:
  Federate(const Scenario& s, int rank) : s_(s), rank_(rank) {
    rti_ = RTIambassadorFactory().createRTIambassador();
    rti_->connect(*this, HLA_EVOKED, s.designator);
    join();
    const ObjectClassHandle thing = rti_->getObjectClassHandle(L"HLAobjectRoot.Thing");
    ordered_ = rti_->getAttributeHandle(thing, L"Ordered");
    at_once_ = rti_->getAttributeHandle(thing, L"AtOnce");
    rti_->publishObjectClassAttributes(thing, {ordered_, at_once_});
    rti_->subscribeObjectClassAttributes(thing, {ordered_, at_once_});
    object_ = rti_->registerObjectInstance(thing);
    const std::vector<char> bytes(payload, 'x');
    const VariableLengthData value(bytes.data(), bytes.size());
    ordered_values_[ordered_] = value;
    at_once_values_[at_once_] = value;
    wait([this] { return met_ >= s_.federates - 1; });
  }
  ~Federate() override {
    rti_->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
    try {
      rti_->destroyFederationExecution(s_.federation);
    } catch (const Exception&) {  // another federate is the last
    }
    rti_->disconnect();
  }

  template <class Condition>
  void wait(Condition holds) {
    while (!holds()) rti_->evokeCallback(1.0);
  }
  void together(const std::wstring& label) {
    if (rank_ == 0) rti_->registerFederationSynchronizationPoint(label, {});
    wait([&] { return announced_ == label; });
    rti_->synchronizationPointAchieved(label);
    wait([&] { return synchronized_ == label; });
  }
  void say() { rti_->updateAttributeValues(object_, at_once_values_, {}); }

  /// Microseconds of a round trip.
  double round_trips() {
    together(L"begin");
    std::vector<double> trips;
    for (long i = 0; i < s_.count; ++i) {
      const auto begin = Clock::now();
      if (rank_ == 0) say();
      wait([&] { return heard_ > i; });
      if (rank_ == 1) say();
      trips.push_back(seconds_since(begin) * 1e6);
    }
    together(L"end");
    return median(trips);
  }
  /// Steps per second.
  double steps() {
    rti_->enableTimeRegulation(HLAinteger64Interval(1));
    rti_->enableTimeConstrained();
    wait([this] { return regulating_ && constrained_; });
    together(L"begin");
    const auto begin = Clock::now();
    for (long i = 0; i < s_.count; ++i) {
      const HLAinteger64Time next(now_ + 1);
      rti_->updateAttributeValues(object_, ordered_values_, {}, next);
      granted_ = false;
      rti_->timeAdvanceRequest(next);
      wait([this] { return granted_; });
      if (heard_ != (i + 1) * (s_.federates - 1)) throw RTIinternalError(L"a message is missing");
    }
    const double rate = static_cast<double>(s_.count) / seconds_since(begin);
    together(L"end");
    return rate;
  }
  /// The first sends without pause; the others count, and wait in every callback. Messages per
  /// second.
  double flood(std::chrono::microseconds each) {
    together(L"begin");
    delay_ = each;
    const auto begin = Clock::now();
    if (rank_ == 0) {
      for (long i = 0; i < s_.count; ++i) say();
    } else {
      wait([this] { return heard_ == s_.count; });
    }
    const double rate = static_cast<double>(s_.count) / seconds_since(begin);
    together(L"end");
    return rate;
  }

  void announceSynchronizationPoint(const std::wstring& label, const VariableLengthData&) override {
    announced_ = label;
  }
  void federationSynchronized(const std::wstring& label, const FederateHandleSet&) override {
    synchronized_ = label;
  }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring&) override {
    ++met_;
  }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) override {
    ++met_;
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    ++heard_;
    if (delay_.count() > 0 && heard_ % 1000 == 0) std::this_thread::sleep_for(1000 * delay_);
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              const LogicalTime&, OrderType, SupplementalReflectInfo) override {
    ++heard_;
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              const LogicalTime&, OrderType, MessageRetractionHandle,
                              SupplementalReflectInfo) override {
    ++heard_;
  }
  void timeRegulationEnabled(const LogicalTime& t) override {
    regulating_ = true;
    now_ = std::max(now_, static_cast<const HLAinteger64Time&>(t).getTime());
  }
  void timeConstrainedEnabled(const LogicalTime& t) override {
    constrained_ = true;
    now_ = std::max(now_, static_cast<const HLAinteger64Time&>(t).getTime());
  }
  void timeAdvanceGrant(const LogicalTime& t) override {
    granted_ = true;
    now_ = static_cast<const HLAinteger64Time&>(t).getTime();
  }

 private:
  void join() {
    try {
      rti_->createFederationExecution(s_.federation, s_.module, L"HLAinteger64Time");
    } catch (const FederationExecutionAlreadyExists&) {
    }
    rti_->joinFederationExecution(L"federate " + std::to_wstring(rank_), L"benchmark",
                                  s_.federation);
  }

  const Scenario& s_;
  const int rank_;
  std::unique_ptr<RTIambassador> rti_;
  AttributeHandle ordered_, at_once_;
  AttributeHandleValueMap ordered_values_, at_once_values_;
  ObjectInstanceHandle object_;
  std::wstring announced_, synchronized_;
  long met_ = 0, heard_ = 0;
  Integer64 now_ = 0;
  bool regulating_ = false, constrained_ = false, granted_ = false;
  std::chrono::microseconds delay_{0};
};

/// The federates of a scenario, each a process; the results of the first and the last, and the
/// largest peak memory.
struct Outcome {
  bool good = true;
  double first = 0.0, last = 0.0, memory = 0.0;
};
Outcome in_processes(const Scenario& s, const std::function<double(Federate&)>& work) {
  std::vector<Child> all;
  for (int rank = 0; rank < s.federates; ++rank)
    all.emplace_back([&, rank] {
      Federate f(s, rank);
      return Found{true, work(f)};
    });
  Outcome o;
  for (Child& c : all) {
    const Found f = c.wait();
    o.good = o.good && f.good;
    if (&c == &all.front()) o.first = f.value;
    o.last = f.value;
    o.memory = std::max(o.memory, f.memory);
  }
  return o;
}

double in_threads(const Scenario& s, const std::function<double(Federate&)>& work) {
  std::vector<double> found(static_cast<std::size_t>(s.federates));
  std::vector<std::thread> all;
  for (int rank = 0; rank < s.federates; ++rank)
    all.emplace_back([&, rank] {
      Federate f(s, rank);
      found[static_cast<std::size_t>(rank)] = work(f);
    });
  for (std::thread& t : all) t.join();
  return found.front();
}

federation::RtiServer* serving = nullptr;

/// An RTI in its own process; the designator is passed through the pipe.
std::wstring started_rti(pid_t& process) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  process = fork();
  if (process == 0) {
    close(ends[0]);
    federation::RtiServer server({.listen = "127.0.0.1:0"}, std::make_unique<federation::Core>());
    serving = &server;
    signal(SIGTERM, [](int) { serving->stop(); });
    const std::string where = server.addresses().front();
    if (::write(ends[1], where.data(), where.size()) < 0) _exit(1);
    close(ends[1]);
    server.serve();
    _exit(0);
  }
  close(ends[1]);
  char text[200];
  const ssize_t n = ::read(ends[0], text, sizeof text);
  close(ends[0]);
  return {text, text + std::max<ssize_t>(n, 0)};
}

int missed = 0;

void say(const char* what, double value, const char* unit, double limit, bool at_most,
         bool good = true) {
  const bool met = good && (at_most ? value <= limit : value >= limit);
  missed += !met;
  std::printf("%-46s %12.1f %-10s %s %g%s\n", what, value, unit, at_most ? "at most" : "at least",
              limit,
              met    ? ""
              : good ? "  NOT MET"
                     : "  FAILED");
  std::fflush(stdout);
}

int measure(bool small, bool large, std::wstring designator) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  std::printf("%s; one processor\n", machine().c_str());
  const TemporaryFolder folder;
  std::ofstream(folder / "fom.xml") << fom;
  pid_t rti = 0;
  if (designator.empty()) designator = started_rti(rti);
  int number = 0;
  const auto scenario = [&](int federates, long count, const std::wstring& where) {
    return Scenario{where, L"bench " + std::to_wstring(number++), (folder / "fom.xml").wstring(),
                    federates, count};
  };
  const auto round_trips = [](Federate& f) { return f.round_trips(); };
  const auto steps = [](Federate& f) { return f.steps(); };

  if (small) {
    const double floor = relay_round_trip();
    std::printf("%-46s %12.1f us\n", "round trip through a bare relay: the floor", floor);
    const Outcome trip = in_processes(scenario(2, 20000, designator), round_trips);
    say("round trip of receive-ordered updates", trip.first, "us", 1.5 * floor, true, trip.good);
    const Outcome two = in_processes(scenario(2, 20000, designator), steps);
    say("lock-step, 2 federates", two.first, "steps/s", 17000.0 * 30.0 / floor, false, two.good);
    const Outcome ten = in_processes(scenario(10, 3000, designator), steps);
    say("lock-step, 10 federates", ten.first, "steps/s", 3000.0 * 30.0 / floor, false, ten.good);
    const Outcome many =
        in_processes(scenario(2, 600000, designator), [](Federate& f) { return f.flood({}); });
    say("receive-ordered throughput", many.last, "messages/s", 800000.0, false, many.good);
    say("lock-step in one process, 2 federates", in_threads(scenario(2, 100000, L""), steps),
        "steps/s", 100000.0, false);
    const Outcome slow = in_processes(scenario(2, 600000, designator), [](Federate& f) {
      return f.flood(std::chrono::microseconds(10));
    });
    say("slow reader of 600 000 updates: federates", slow.memory, "MB", 100.0, true, slow.good);
    if (rti > 0) say("                                 RTI", peak_memory(rti), "MB", 100.0, true);
  }
  if (large) {
    const Outcome all = in_processes(scenario(200, 1000, designator), steps);
    say("lock-step, 200 federates, 1000 steps", all.first, "steps/s", 0.0, false, all.good);
    if (rti > 0)
      say("                         memory of the RTI", peak_memory(rti), "MB", 1000.0, true);
  }
  if (rti > 0) {
    kill(rti, SIGTERM);
    waitpid(rti, nullptr, 0);
  }
  return missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace vernier::bench

int main(int argc, char** argv) {
  bool small = true, large = false;
  std::wstring designator;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    small = small && word != "--only-large";
    large = large || word == "--large" || word == "--only-large";
    if (word == "--address" && i + 1 < argc) {
      const std::string text = argv[++i];
      designator.assign(text.begin(), text.end());
    }
  }
  return vernier::bench::measure(small, large, designator);
}
