#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/shared/neighbour.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::shared {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

/// A name that no other test uses.
std::string fresh_name() {
  static int count = 0;
  return "test-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}
std::string file_of(const std::string& name) { return "/dev/shm/vernier-" + name; }
bool exists(const std::string& name) { return access(file_of(name).c_str(), F_OK) == 0; }

Settings side(const std::string& name, Side s, std::uint32_t send, std::uint32_t receive) {
  Settings x;
  x.name = name;
  x.side = s;
  x.send = send;
  x.receive = receive;
  return x;
}
Settings left(const std::string& name) { return side(name, Side::left, 2, 1); }
Settings right(const std::string& name) { return side(name, Side::right, 1, 2); }

std::string refusal(const Settings& s) {
  try {
    const Segment none(s);
  } catch (const ConfigurationError& e) {
    return e.what();
  }
  return "";
}

TEST(Segment, CarriesTheNewestEachWayAndGivesItAgain) {
  const std::string name = fresh_name();
  {
    Segment a(left(name));
    EXPECT_FALSE(a.present());
    Segment b(right(name));
    EXPECT_TRUE(a.present() && b.present() && a.alive());
    EXPECT_FALSE(b.read().fresh);
    EXPECT_EQ(b.read().number, 0u);
    EXPECT_TRUE(a.write(std::vector{1.0, 2.0}, 7, 70));
    EXPECT_TRUE(a.write(std::vector{3.0, -0.0}, 8, 80));
    const Received& r = b.read();
    EXPECT_TRUE(r.fresh);
    EXPECT_EQ(r.step, 8);
    EXPECT_EQ(r.acquired, 80);
    EXPECT_EQ(r.missed, 1u);
    EXPECT_EQ(r.values[0], 3.0);
    EXPECT_TRUE(std::signbit(r.values[1]));
    EXPECT_FALSE(b.read().fresh);  // the same again
    EXPECT_EQ(b.read().values[0], 3.0);
    EXPECT_TRUE(b.write(std::vector{5.0}, 1, 2));
    EXPECT_EQ(a.read().values[0], 5.0);
    EXPECT_TRUE(exists(name));
  }
  EXPECT_FALSE(exists(name));  // the last side removed it
}

TEST(Segment, AQueueKeepsTheOrderAndDropsTheNewestWhenFull) {
  const std::string name = fresh_name();
  Settings l = left(name), r = right(name);
  l.keep = r.keep = Keep::queue;
  l.capacity = r.capacity = 4;
  Segment a(l), b(r);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(a.write(std::vector{1.0 * k, 0.0}, k, k), k < 4);
  for (int k = 0; k < 4; ++k) {
    const Received& got = b.read();
    ASSERT_TRUE(got.fresh);
    EXPECT_EQ(got.step, k);
  }
  EXPECT_FALSE(b.read().fresh);
  EXPECT_EQ(b.read().values[0], 3.0);
  EXPECT_TRUE(a.write(std::vector{9.0, 0.0}, 9, 9));
  EXPECT_TRUE(b.read().fresh);
  EXPECT_EQ(b.read().missed, 2u);  // 4 and 5
}

TEST(Segment, RefusesWhatDoesNotFit) {
  const std::string name = fresh_name();
  Settings l = left(name);
  l.interface_hash = 1;
  const Segment a(l);
  EXPECT_NE(
      refusal(left(name)).find("its left side is taken by process " + std::to_string(getpid())),
      std::string::npos);
  EXPECT_NE(refusal(side(name, Side::right, 1, 3))
                .find("the other side takes 1 numbers and sends 2 by latest; here it should be: "
                      "takes 1 numbers and sends 3 by latest"),
            std::string::npos);
  Settings r = right(name);
  r.keep = Keep::queue;
  EXPECT_NE(refusal(r).find("V5185"), std::string::npos);
  r = right(name);
  r.interface_hash = 2;
  EXPECT_NE(refusal(r).find("do not mean the same"), std::string::npos);
  EXPECT_EQ(refusal(right(name)), "");
  EXPECT_NE(refusal(left("../etc")).find("V5183"), std::string::npos);
  EXPECT_NE(refusal(side(name, Side::right, 1u << 20, 1)).find("at most 131072"),
            std::string::npos);
}

TEST(Segment, RefusesMemoryOfOthersAndTakesWhatADeadProcessLeftUnfinished) {
  const std::string name = fresh_name();
  const auto put = [&](const std::string& bytes) {
    std::ofstream(file_of(name), std::ios::binary) << bytes;
  };
  put(std::string(5000, 'x'));
  EXPECT_NE(refusal(left(name)).find("was not made by Vernier"), std::string::npos);
  put(std::string("VRNSHM\r\n\2\0\0\0", 12) + std::string(1000, '\0'));
  EXPECT_NE(refusal(left(name)).find("has version 2, not 1"), std::string::npos);
  for (const std::size_t n : {std::size_t{7}, std::size_t{191}, std::size_t{64000}}) {
    put(std::string(n, '\0'));  // killed before it wrote anything
    EXPECT_EQ(refusal(left(name)), "") << n;
  }
}

/// Changes every byte of the memory, in turn and at random: nothing is read beyond it, and every
/// vector passed on is one that was written.
TEST(Segment, DamageNeverReachesBeyondTheMemory) {
  const std::string name = fresh_name();
  Segment a(left(name)), b(right(name));
  const int fd = shm_open(("/vernier-" + name).c_str(), O_RDWR, 0600);
  const auto bytes = static_cast<std::size_t>(lseek(fd, 0, SEEK_END));
  auto* memory = static_cast<volatile unsigned char*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  close(fd);
  std::uint32_t random = 1;
  for (std::size_t at = 64; at < bytes; ++at) {  // after what both check when they attach
    random = random * 1664525u + 1013904223u;
    memory[at] = static_cast<unsigned char>(random >> 24);
    a.write(std::vector{1.0, 2.0}, 1, 1);
    b.write(std::vector{3.0}, 1, 1);
    EXPECT_EQ(b.read().values.size(), 2u);
    static_cast<void>(a.read());
    static_cast<void>(a.alive());
    EXPECT_GE(a.period(), 1'000);
  }
  munmap(const_cast<unsigned char*>(memory), bytes);
}

/// Two processes; the writer is killed at any moment, and restarts.
TEST(Segment, OutlivesAWriterThatIsKilledInTheMiddle) {
  for (const Keep keep : {Keep::latest, Keep::queue}) {
    const std::string name = fresh_name();
    Settings l = left(name), r = right(name);
    l.keep = r.keep = keep;
    Segment reader(r);
    for (int life = 1; life <= 8; ++life) {
      const pid_t child = fork();
      if (child == 0) {
        Segment* writer = new Segment(l);
        for (double k = 1.0;; k += 1.0)
          writer->write(std::vector{k, -k}, static_cast<std::int64_t>(k), monotonic());
      }
      // it is seen alive and writing complete vectors
      int fresh = 0;
      const auto end = std::chrono::steady_clock::now() + 100s;
      while (fresh < 50 && std::chrono::steady_clock::now() < end) {
        const Received& got = reader.read();
        if (!got.fresh) continue;
        ASSERT_EQ(got.values[0], -got.values[1]);
        ++fresh;
      }
      EXPECT_EQ(fresh, 50);
      EXPECT_EQ(reader.lives(), static_cast<std::uint64_t>(life));
      EXPECT_TRUE(reader.alive());
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      EXPECT_FALSE(reader.alive());
      EXPECT_TRUE(reader.present());  // it did not detach
      while (reader.read().fresh) {   // what it left in the queue
      }
    }
    EXPECT_TRUE(exists(name));
  }
}

TEST(Segment, MemoryThatOnlyTheDeadHaveUsedIsMadeAnew) {
  const std::string name = fresh_name();
  const pid_t child = fork();
  if (child == 0) {
    new Segment(side(name, Side::left, 100, 100));
    _exit(0);  // no destructor: as if killed
  }
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(exists(name));
  {
    Segment a(left(name)), b(right(name));  // other sizes
    a.write(std::vector{1.0, 2.0}, 1, 1);
    EXPECT_TRUE(b.read().fresh);
    EXPECT_EQ(b.lives(), 1u);
  }
  EXPECT_FALSE(exists(name));
}

/// For the thread sanitizer; and the step side allocates nothing.
TEST(Segment, TwoThreadsExchangeWithoutAllocating) {
  const std::string name = fresh_name();
  Segment a(left(name)), b(right(name));
  std::atomic<bool> over{false};
  std::thread writer([&] {
    const long before = testing::allocations();
    std::array<double, 2> v{};
    for (int k = 0; !over; ++k) {
      v = {1.0 * k, -1.0 * k};
      a.write(v, k, k);
      static_cast<void>(a.read());
    }
    EXPECT_EQ(testing::allocations(), before);
  });
  const long before = testing::allocations();
  int fresh = 0;
  const std::array<double, 1> out{1.0};
  const auto last =
      std::chrono::steady_clock::now() + 100s;  // however late either thread is scheduled
  while (fresh < 1000 && std::chrono::steady_clock::now() < last) {
    const Received& r = b.read();
    fresh += r.fresh;
    if (r.values[0] != -r.values[1]) break;
    b.write(out, fresh, fresh);
  }
  EXPECT_EQ(testing::allocations(), before);
  over = true;
  writer.join();
  EXPECT_EQ(b.read().values[0], -b.read().values[1]);
  EXPECT_EQ(fresh, 1000);
  EXPECT_EQ(b.read().torn, 0u);
}

// -- as a component ------------------------------------------------------------------------------

channel::Channels channels(const char* in, const char* out) {
  channel::Channels c;
  c.inputs.resize(1);
  c.inputs[0].name = in;
  c.outputs.resize(1);
  c.outputs[0].name = out;
  c.outputs[0].initial = std::vector<double>{-1.0};
  return c;
}
NeighbourSettings neighbour(const std::string& name, Side s) {
  NeighbourSettings n;
  n.memory.name = name;
  n.memory.side = s;
  n.rate = {100, 1};
  return n;
}

TEST(Neighbour, KeepsTheComponentContract) {
  const std::string name = fresh_name();
  Neighbour n(channels("force", "angle"), neighbour(name, Side::left));
  testing::expect_conforming(n, 10ms, [](Rig& r, int k) { r.in("force") = k; });
}

TEST(Neighbour, HoldsTheLastValueAndSaysSo) {
  const std::string name = fresh_name();
  Neighbour a(channels("force", "angle"), neighbour(name, Side::left));
  Rig plant(a);
  EXPECT_EQ(plant.out("angle"), -1.0);  // the initial value of the document
  EXPECT_EQ(plant.byte_output("shared.stale")[0], 1);
  EXPECT_EQ(plant.byte_output("shared.present")[0], 0);
  {
    Neighbour b(channels("angle", "force"), neighbour(name, Side::right));
    Rig controller(b);
    controller.in("angle") = 0.25;
    // repeat if the machine paused between the two: a value that is 35 ms old is stale
    for (int k = 0; k < 1000 && plant.byte_output("shared.stale")[0] == 1; ++k) {
      controller.run(10ms, 10ms);
      plant.run(10ms, 10ms);
    }
    EXPECT_EQ(plant.out("angle"), 0.25);
    EXPECT_EQ(plant.byte_output("shared.fresh")[0], 1);
    EXPECT_EQ(plant.byte_output("shared.stale")[0], 0);
    EXPECT_EQ(plant.byte_output("shared.present")[0], 1);
    EXPECT_EQ(plant.integer("shared.lives"), 1);
  }
  std::this_thread::sleep_for(40ms);  // three and a half periods, and a bit
  plant.run(10ms, 10ms);
  EXPECT_EQ(plant.out("angle"), 0.25);
  EXPECT_EQ(plant.byte_output("shared.fresh")[0], 0);
  EXPECT_EQ(plant.byte_output("shared.stale")[0], 1);
  EXPECT_EQ(plant.byte_output("shared.present")[0], 0);
  EXPECT_GT(plant.out("shared.age"), 0.035);
  EXPECT_GE(plant.integer("shared.repeated"), 1);
}

}  // namespace
}  // namespace vernier::shared
