// Results files that our writer never produces.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/detail/driver.hpp"
#include "vernier/run/record/detail/hdf5.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {
namespace {

using hdf5::Handle;
using ::testing::HasSubstr;

struct Foreign : ::testing::Test {
  /// Creates the file with `/signals/a`.
  void make(const std::function<void(hid_t)>& fill) {
    const auto lock = hdf5::locked();
    const Handle h(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "");
    for (const char* group : {"/signals", "/signals/a"})
      H5Gclose(H5Gcreate2(h.get(), group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    fill(h.get());
  }
  static void dataset(hid_t file, const char* path, hsize_t rows, hid_t create) {
    const Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose, "");
    const Handle d(
        H5Dcreate2(file, path, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, create, H5P_DEFAULT),
        H5Dclose, "");
  }
  static Handle chunks(hsize_t rows) {
    Handle create = hdf5::property_list(H5P_DATASET_CREATE);
    H5Pset_chunk(create.get(), 1, &rows);
    return create;
  }
  std::string refused() const {
    try {
      ResultReader r(file);
      return "read";
    } catch (const ConfigurationError& e) {
      return e.what();
    }
  }

  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "results.h5";
};

TEST_F(Foreign, LinksThatLeadBackAreWalkedOnce) {
  make([](hid_t h) {
    dataset(h, "/signals/a/value", 3, H5P_DEFAULT);
    dataset(h, "/signals/a/time", 3, H5P_DEFAULT);
    // each group links to all: there are far too many paths of 32 steps to visit
    for (const char* link : {"/signals/b", "/signals/c", "/signals/a/b", "/signals/a/c"})
      H5Lcreate_hard(h, "/signals", h, link, H5P_DEFAULT, H5P_DEFAULT);
  });
  const ResultReader r(file);
  ASSERT_EQ(r.signals().size(), 1u);
  EXPECT_EQ(r.signals()[0].spec.path, "a");
  EXPECT_EQ(r.read(r.signals()[0]).time.size(), 3u);
}

TEST_F(Foreign, ASignalWithoutANameIsLeftOut) {
  make([](hid_t h) {
    dataset(h, "/signals/value", 3, H5P_DEFAULT);
    dataset(h, "/signals/time", 3, H5P_DEFAULT);
  });
  EXPECT_TRUE(ResultReader(file).signals().empty());
}

TEST_F(Foreign, MoreRowsThanTheFileCanHoldAreRefused) {
  make([](hid_t h) {
    const Handle create = chunks(1024);
    dataset(h, "/signals/a/value", hsize_t{1} << 60, create.get());
    dataset(h, "/signals/a/time", hsize_t{1} << 60, create.get());
  });
  EXPECT_THAT(refused(), HasSubstr("more rows than the file can hold"));
}

TEST_F(Foreign, NothingIsReadFromOtherFiles) {
  make([](hid_t h) {
    const Handle create = hdf5::property_list(H5P_DATASET_CREATE);
    H5Pset_external(create.get(), "elsewhere", 0, 80);
    dataset(h, "/signals/a/value", 10, create.get());
    dataset(h, "/signals/a/time", 10, H5P_DEFAULT);
  });
  EXPECT_THAT(refused(), HasSubstr("in another file"));
  make([](hid_t h) {
    H5Lcreate_external("other.h5", "/x", h, "/signals/a/value", H5P_DEFAULT, H5P_DEFAULT);
    dataset(h, "/signals/a/time", 10, H5P_DEFAULT);
  });
  EXPECT_TRUE(ResultReader(file).signals().empty());
}

TEST(Journal, AWriteFarBehindTheEndIsNotFinished) {
  const TemporaryFolder folder;
  const auto descriptor = [&](const char* name) {
    return ::open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  };
  const int journal = descriptor("journal"), file = descriptor("file");
  for (const std::uint64_t offset : {std::uint64_t{1} << 40, std::uint64_t{4}}) {
    std::array<std::byte, 52> record{};
    const std::uint64_t size = 4;
    std::memcpy(record.data() + 32, &offset, sizeof offset);
    std::memcpy(record.data() + 40, &size, sizeof size);
    const Digest d = sha256(std::span(record).subspan(32));
    std::memcpy(record.data(), d.data(), d.size());
    ASSERT_EQ(::pwrite(journal, record.data(), record.size(), 0), 52);
    EXPECT_TRUE(hdf5::finish_write(journal, file));
    EXPECT_EQ(::lseek(file, 0, SEEK_END), offset == 4 ? 8 : 0);
  }
  ::close(journal);
  ::close(file);
}

}  // namespace
}  // namespace vernier::record
