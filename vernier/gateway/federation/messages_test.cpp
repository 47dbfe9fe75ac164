#include <gtest/gtest.h>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/requests.hpp"

namespace vernier::federation {
namespace {

Frame some_join() {
  return frame(Join{.federate = "a", .type = "b", .federation = "c", .modules = {{"x", "<y/>"}}},
               7);
}

TEST(Messages, ComeBackAsTheyWere) {
  const Frame f = some_join();
  const auto h = header(*f);
  ASSERT_TRUE(h);
  EXPECT_EQ(h->kind, Kind::join);
  EXPECT_EQ(h->sequence, 7u);
  Join back;
  ASSERT_TRUE(read(*f, back));
  EXPECT_EQ(back.federation, "c");
  ASSERT_EQ(back.modules.size(), 1u);
  EXPECT_EQ(back.modules[0].text, "<y/>");
}

TEST(Messages, CutShortOrTooLongAreRefused) {
  const Frame f = some_join();
  Join back;
  for (std::size_t n = 0; n < f->size(); ++n) EXPECT_FALSE(read(Bytes(*f).first(n), back)) << n;
  std::vector<std::byte> longer = *f;
  longer.push_back({});
  EXPECT_FALSE(read(longer, back));
  EXPECT_FALSE(header(longer));
}

TEST(Messages, AnAbsurdCountIsRefusedBeforeAnythingIsAllocated) {
  std::vector<std::byte> bytes;
  write(bytes, PublishAttributes{.object_class = 1, .attributes = {}});
  const std::uint32_t many = 0xffffffff;
  std::memcpy(bytes.data() + sizeof(Header) + 4, &many, 4);
  PublishAttributes back;
  EXPECT_FALSE(read(bytes, back));
  EXPECT_LT(back.attributes.capacity(), 100u);
}

TEST(Messages, HaveNumbersThatNeverChange) {
  // of protocol version 3; a request and a callback of each group
  EXPECT_EQ(static_cast<int>(CreateFederation::kind), 1);
  EXPECT_EQ(static_cast<int>(PublishAttributes::kind), 17);
  EXPECT_EQ(static_cast<int>(UpdateAttributes::kind), 28);
  EXPECT_EQ(static_cast<int>(IsOwned::kind), 48);
  EXPECT_EQ(static_cast<int>(Advance::kind), 53);
  EXPECT_EQ(static_cast<int>(CreateRegion::kind), 64);
  EXPECT_EQ(static_cast<int>(Alive::kind), 77);
  EXPECT_EQ(static_cast<int>(Answer::kind), 78);
  EXPECT_EQ(static_cast<int>(InteractionsWanted::kind), 97);
  EXPECT_EQ(static_cast<int>(Reflect::kind), 100);
  EXPECT_EQ(static_cast<int>(OwnershipSet::kind), 115);
  EXPECT_EQ(static_cast<int>(RetractionRequested::kind), 119);
}

TEST(Messages, AreRequestsOrCallbacksAndNeverBoth) {
  int requests = 0, callbacks = 0;
  for (unsigned n = 0; n <= 0xffff; ++n) {
    const auto kind = static_cast<Kind>(n);
    const bool request = with_request(kind, []<class>() {}),
               callback = with_callback(kind, []<class>() {});
    EXPECT_FALSE(request && callback) << n;
    requests += request;
    callbacks += callback;
  }
  EXPECT_EQ(requests, 77);
  EXPECT_EQ(callbacks, 42);
}

}  // namespace
}  // namespace vernier::federation
