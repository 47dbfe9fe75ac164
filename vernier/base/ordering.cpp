#include "vernier/base/ordering.hpp"

#include <algorithm>
#include <set>

#include "vernier/base/require.hpp"

namespace vernier {

namespace {

// The signal graph: the outputs of all blocks, numbered consecutively, each with the outputs it
// waits for. A topological sort (Kahn's algorithm) with a deterministic choice.
class Graph {
 public:
  Graph(const std::vector<Block>& blocks, const std::vector<DirectFeed>& links)
      : blocks_(blocks), links_(links) {
    std::size_t outputs = 0;
    std::size_t inputs = 0;
    for (const Block& b : blocks) {
      first_output_.push_back(outputs);
      first_input_.push_back(inputs);
      outputs += b.outputs;
      inputs += b.inputs;
    }
    block_of_.resize(outputs);
    waits_.resize(outputs, 0);
    needs_.resize(outputs);
    fed_by_.resize(inputs);
    needed_by_.resize(inputs);
    feeds_.resize(outputs);
    for (std::size_t k = 0; k < links.size(); ++k) {
      const DirectFeed& l = links[k];
      require(l.from < blocks.size() && l.output < blocks[l.from].outputs);
      require(l.to < blocks.size() && l.input < blocks[l.to].inputs);
      fed_by_[input(l.to, l.input)].push_back(k);
      feeds_[output(l.from, l.output)].push_back(k);
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::size_t o = 0; o < blocks[b].outputs; ++o) block_of_[output(b, o)] = b;
      for (const Block::Need& need : blocks[b].needs) {
        require(need.output < blocks[b].outputs && need.input < blocks[b].inputs);
        const std::size_t i = input(b, need.input);
        needs_[output(b, need.output)].push_back(i);
        needed_by_[i].push_back(output(b, need.output));
        waits_[output(b, need.output)] += fed_by_[i].size();
      }
    }
  }

  Ordering order() {
    std::vector<std::size_t> open(blocks_.size());   // outputs not computed yet
    std::vector<std::size_t> ready(blocks_.size());  // of those, computable now
    std::vector<bool> done(block_of_.size(), false);
    std::set<std::size_t> complete;  // blocks of which all open outputs are ready
    std::set<std::size_t> partial;   // blocks of which some are
    const auto file = [&](std::size_t b) {
      complete.erase(b);
      partial.erase(b);
      if (ready[b] == 0) return;
      (ready[b] == open[b] ? complete : partial).insert(b);
    };
    for (std::size_t o = 0; o < block_of_.size(); ++o) {
      ++open[block_of_[o]];
      if (waits_[o] == 0) ++ready[block_of_[o]];
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) file(b);

    Ordering result;
    std::size_t computed = 0;
    while (!complete.empty() || !partial.empty()) {
      const std::size_t b = !complete.empty() ? *complete.begin() : *partial.begin();
      result.calls.push_back(b);
      for (std::size_t local = 0; local < blocks_[b].outputs; ++local) {
        const std::size_t o = output(b, local);
        if (done[o] || waits_[o] != 0) continue;
        done[o] = true;
        ++computed;
        --open[b];
        --ready[b];
        release(o, ready, file);
      }
      file(b);
    }
    if (computed < block_of_.size()) return {.calls = {}, .loop = loop(done)};
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].outputs == 0) result.calls.push_back(b);
    }
    return result;
  }

 private:
  std::size_t output(std::size_t block, std::size_t o) const { return first_output_[block] + o; }
  std::size_t input(std::size_t block, std::size_t i) const { return first_input_[block] + i; }

  template <class File>
  void release(std::size_t o, std::vector<std::size_t>& ready, File file) {
    for (std::size_t k : feeds_[o]) {
      for (std::size_t waiting : needed_by_[input(links_[k].to, links_[k].input)]) {
        if (--waits_[waiting] > 0) continue;
        ++ready[block_of_[waiting]];
        file(block_of_[waiting]);
      }
    }
  }

  // Every remaining output waits for another remaining one: walking back must return to a visited
  // one.
  std::vector<DirectFeed> loop(const std::vector<bool>& done) const {
    std::vector<std::size_t> place(block_of_.size(), 0);  // 1 + position in the walk
    std::vector<DirectFeed> walked;
    std::size_t o =
        static_cast<std::size_t>(std::find(done.begin(), done.end(), false) - done.begin());
    while (place[o] == 0) {
      place[o] = walked.size() + 1;
      const DirectFeed& back = waited_for(o, done);
      walked.push_back(back);
      o = output(back.from, back.output);
    }
    std::vector<DirectFeed> result(walked.begin() + static_cast<std::ptrdiff_t>(place[o] - 1),
                                   walked.end());
    std::reverse(result.begin(), result.end());
    // begin with the block of the lowest number, which the user wrote first
    std::rotate(
        result.begin(),
        std::min_element(result.begin(), result.end(),
                         [](const DirectFeed& a, const DirectFeed& b) { return a.from < b.from; }),
        result.end());
    return result;
  }

  const DirectFeed& waited_for(std::size_t o, const std::vector<bool>& done) const {
    for (std::size_t i : needs_[o]) {
      for (std::size_t k : fed_by_[i]) {
        if (!done[output(links_[k].from, links_[k].output)]) return links_[k];
      }
    }
    require(false);
    return links_.front();
  }

  const std::vector<Block>& blocks_;
  const std::vector<DirectFeed>& links_;
  std::vector<std::size_t> first_output_, first_input_;  // by block
  std::vector<std::size_t> block_of_;                    // by output
  std::vector<std::size_t> waits_;                       // by output: links not delivered yet
  std::vector<std::vector<std::size_t>> needs_;          // by output: inputs
  std::vector<std::vector<std::size_t>> feeds_;          // by output: links
  std::vector<std::vector<std::size_t>> fed_by_;         // by input: links
  std::vector<std::vector<std::size_t>> needed_by_;      // by input: outputs
};

}  // namespace

Ordering ordering(const std::vector<Block>& blocks, const std::vector<DirectFeed>& links) {
  return Graph(blocks, links).order();
}

}  // namespace vernier
