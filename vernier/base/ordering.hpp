#pragma once

#include <cstddef>
#include <vector>

namespace vernier {

/// What can be called to compute its outputs: a component, a part of a composition.
struct Block {
  /// Output `output` needs input `input` at the same instant.
  struct Need {
    std::size_t output, input;
  };
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::vector<Need> needs;
};

/// An output of one block feeds an input of another, or of itself, at once (no delay between).
struct DirectFeed {
  std::size_t from, output;  // block and its output
  std::size_t to, input;     // block and its input

  bool operator==(const DirectFeed&) const = default;
};

/// The order in which blocks are called so that each output is right at the end.
struct Ordering {
  /// Blocks, in order of calls. Each comes at least once; a block of which some outputs feed others
  /// that it needs itself comes again. Those without outputs come last.
  std::vector<std::size_t> calls;
  /// An algebraic loop: along link k a signal enters a block, whose output that starts link k+1
  /// needs it; the last link leads to the first. Empty: there is none; else `calls` is empty.
  std::vector<DirectFeed> loop;
};

/// Deterministic: of the blocks that can be called the one with the lowest number comes first,
/// preferring those that are then complete. Time grows as links plus needs, times a logarithm.
Ordering ordering(const std::vector<Block>&, const std::vector<DirectFeed>&);

}  // namespace vernier
