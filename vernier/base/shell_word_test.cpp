#include "vernier/base/shell_word.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace vernier {
namespace {

/// The words that a shell makes of a text, one a line.
std::string read_by_a_shell(const std::string& text) {
  const std::string command = "printf '%s\\n' " + text;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string read;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
    read += static_cast<char>(c);
  return read;
}

TEST(ShellWord, IsOneWordWhateverItContains) {
  for (const std::string text :
       {"plain/lowpass.so", "a blank.so", "x.so; echo stolen", "$(echo stolen)", "`echo stolen`",
        "it's", "\"quoted\"", "a\\b", "*", "~", "#", "a&b|c>d", "größe.so", ""})
    EXPECT_EQ(read_by_a_shell(shell_word(text)), text + "\n");
}

TEST(ShellWord, IsShownPlainlyWhereItCan) {
  EXPECT_EQ(shell_word("runs/a-0001/inputs/b.so"), "runs/a-0001/inputs/b.so");
  EXPECT_EQ(shell_word("a b"), "'a b'");
}

TEST(ShellWord, IsNeitherAnOptionNorSeveralLines) {
  EXPECT_EQ(shell_word("--remove"), "'./--remove'");
  EXPECT_EQ(shell_word("a\nvernier trust b"), "'a?vernier trust b'");
}

}  // namespace
}  // namespace vernier
