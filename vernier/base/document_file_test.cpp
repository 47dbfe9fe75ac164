#include "vernier/base/document_file.hpp"

#include <gtest/gtest.h>

namespace vernier {
namespace {

TEST(DocumentFile, NamesFilesRelativeToItself) {
  const DocumentFile d("project/top.xml");
  EXPECT_EQ(d.beside("models/wheel.xml").path(), "project/models/wheel.xml");
  EXPECT_EQ(d.beside("/data/gyro.csv").path(), "/data/gyro.csv");
}

TEST(DocumentFile, FindsFilesThatWereMoved) {
  const auto moved = std::make_shared<const MovedFiles>(
      MovedFiles{{"/project/wheel.xml", "/run/inputs/wheel.xml"},
                 {"/project/motor.xml", "/run/inputs/motor.xml"}});
  DocumentFile d("/run/inputs/top.xml", moved);
  EXPECT_EQ(d.beside("/project/models/../wheel.xml").path(), "/run/inputs/wheel.xml");
  EXPECT_EQ(d.beside("wheel.xml").path(), "/run/inputs/wheel.xml");
  EXPECT_EQ(d.beside("/project/other.xml").path(), "/project/other.xml");
  // what it names knows it too, and so does a copy
  DocumentFile copy = d;
  EXPECT_EQ(copy.beside("/project/wheel.xml").beside("/project/motor.xml").path(),
            "/run/inputs/motor.xml");
}

}  // namespace
}  // namespace vernier
