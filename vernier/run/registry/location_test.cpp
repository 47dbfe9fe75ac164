#include "vernier/run/registry/location.hpp"

#include <gtest/gtest.h>

#include "vernier/base/diagnostic.hpp"

namespace vernier::registry {
namespace {

TEST(RegistryLocation, NamesTheMembersOfACluster) {
  const Location l = parsed_location("etcd://a,10.0.0.2:4711,[::1]:4712,[::2]/lab/two?lease=5s");
  ASSERT_EQ(l.members.size(), 4u);
  EXPECT_EQ(net::text(l.members[0]), "a:2379");
  EXPECT_EQ(net::text(l.members[1]), "10.0.0.2:4711");
  EXPECT_EQ(net::text(l.members[2]), "[::1]:4712");
  EXPECT_EQ(net::text(l.members[3]), "[::2]:2379");
  EXPECT_EQ(l.prefix, "lab/two");
  EXPECT_EQ(l.lease, std::chrono::seconds(5));
  EXPECT_EQ(parsed_location("etcd://a").prefix, "vernier");
  EXPECT_EQ(parsed_location("etcd://a?lease=60").lease, std::chrono::seconds(60));
}

TEST(RegistryLocation, ThatIsNotOneIsRefused) {
  std::string many = "etcd://a";
  for (int k = 0; k < 16; ++k) many += ",a";
  for (const std::string text :
       {"", "etcd://", "http://a", "etcd:a", "etcd://a,", "etcd://a:0", "etcd://a:99999",
        "etcd://:2379", "etcd://a b", "etcd://a@b", "etcd://::1", "etcd://a/", "etcd://a/b//c",
        "etcd://a/b c", "etcd://a?lease=1", "etcd://a?lease=4000", "etcd://a?lease=x",
        "etcd://a?ttl=5", many.c_str()}) {
    try {
      parsed_location(text);
      FAIL() << text;
    } catch (const ConfigurationError& e) {
      EXPECT_EQ(e.diagnostics().list().front().code, "V5650") << text;
    }
  }
}

}  // namespace
}  // namespace vernier::registry
