#pragma once

#include <cstddef>
#include <vector>

namespace vernier {

/// Something whose outputs are computed by a call: a component, a part of a composition.
struct Block {
  /// Output `output` needs input `input` at the same instant.
  struct Need {
    std::size_t output, input;
  };
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::vector<Need> needs;
};

/// An output of one block feeds an input of another, or of itself, without delay.
struct DirectFeed {
  std::size_t from, output;  // block and its output
  std::size_t to, input;     // block and its input

  bool operator==(const DirectFeed&) const = default;
};

/// The order in which to call blocks so that all outputs are valid at the end.
struct Ordering {
  /// Blocks, in order of calls. Each occurs at least once; a block occurs again if some of its
  /// outputs feed, through others, inputs that its other outputs need. Blocks without outputs come
  /// last.
  std::vector<std::size_t> calls;
  /// An algebraic loop: link k leads into a block whose output, which starts link k+1, depends on
  /// it; the last link leads to the first. Empty: there is none; otherwise `calls` is empty.
  std::vector<DirectFeed> loop;
};

/// Deterministic: of the blocks that can be called, those that are then complete are preferred, and
/// of these the one with the lowest number. The time is O((links + needs) log n).
Ordering ordering(const std::vector<Block>&, const std::vector<DirectFeed>&);

}  // namespace vernier
