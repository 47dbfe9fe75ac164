#include "vernier/run/server/discovery.hpp"

#include <gtest/gtest.h>

namespace vernier::server {
namespace {

// what avahi-browse 0.8 prints
TEST(Discovery, FindsEachServerOnce) {
  const auto all = announced_in(
      "+;eth0;IPv6;lab2;_vernier._tcp;local\n"
      "+;eth0;IPv4;lab2;_vernier._tcp;local\n"
      "=;eth0;IPv6;lab2;_vernier._tcp;local;lab2.local;2001:db8::2;4870;\"version=0.1.0\"\n"
      "=;eth0;IPv4;lab2;_vernier._tcp;local;lab2.local;10.0.0.2;4870;\"version=0.1.0\"\n"
      "=;eth1;IPv4;lab2;_vernier._tcp;local;lab2.local;10.1.0.2;4870;\"version=0.1.0\"\n"
      "=;eth0;IPv6;lab\\0323\\059;_vernier._tcp;local;lab3.local;2001:db8::3;4871;"
      "\"a=b;c\" \"version=0.2.0\"\n"
      "=;eth0;IPv6;lab4;_vernier._tcp;local;lab4.local;fe80::4;4870;\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "lab 3;");
  EXPECT_EQ(net::text(all[0].address), "[2001:db8::3]:4871");
  EXPECT_EQ(all[0].version, "0.2.0");
  EXPECT_EQ(all[1].name, "lab2");
  EXPECT_EQ(net::text(all[1].address), "10.0.0.2:4870");
  EXPECT_EQ(all[1].version, "0.1.0");
}

TEST(Discovery, LeavesOutWhatIsNoServer) {
  for (const char* line :
       {"", "=", "=;;;;;;;;;", "Failed to create client object: Daemon not running",
        "=;eth0;IPv4;a;_http._tcp;local;a.local;10.0.0.2;4870;",
        "=;eth0;IPv4;a;_vernier._tcp;local;a.local;a.local;4870;",
        "=;eth0;IPv4;a;_vernier._tcp;local;a.local;10.0.0.2,10.0.0.3;4870;",
        "=;eth0;IPv6;a;_vernier._tcp;local;a.local;10.0.0.2;4870;",
        "=;eth0;IPv4;a;_vernier._tcp;local;a.local;10.0.0.2;0;",
        "=;eth0;IPv4;a;_vernier._tcp;local;a.local;10.0.0.2;70000;",
        "=;eth0;IPv4;;_vernier._tcp;local;a.local;10.0.0.2;4870;",
        "=;eth0;IPv4;a;_vernier._tcp;local;a.local;10.0.0.2;4870"})
    EXPECT_TRUE(announced_in(line).empty()) << line;
  EXPECT_EQ(
      announced_in("=;eth0;IPv4;a\\999\\+12\\1;_vernier._tcp;local;a;10.0.0.2;4870;").at(0).name,
      "a\\999\\+12\\1");
}

TEST(Discovery, TakesABoundedNumberOfServers) {
  std::string many;
  for (std::size_t k = 0; k < 2 * most_announced; ++k)
    many += "=;e;IPv4;" + std::to_string(k) + ";_vernier._tcp;local;a;10.0.0.2;4870;\n";
  EXPECT_EQ(announced_in(many).size(), most_announced);
}

}  // namespace
}  // namespace vernier::server
