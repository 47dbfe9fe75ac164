#include "vernier/kernel/frames/tree.hpp"

#include "vernier/base/require.hpp"

namespace vernier::frames {
namespace {

std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

}  // namespace

const FrameTree::Frame& FrameTree::at(Index i) const noexcept {
  require(i >= 0 && i < size());
  return frames_[static_cast<std::size_t>(i)];
}

FrameTree::Index FrameTree::find(std::string_view name) const noexcept {
  if (name.empty()) return none;
  for (Index i = 0; i < size(); ++i) {
    if (at(i).name == name) return i;
  }
  return none;
}

// Whether the path up from `from` contains a frame that is called `name`, or waits for a parent of
// this name.
bool FrameTree::would_close(Index from, std::string_view name) const noexcept {
  for (Index i = from; i != none; i = at(i).parent) {
    if (at(i).name == name || at(i).parent_name == name) return true;
  }
  return false;
}

Result<FrameTree::Index, std::string> FrameTree::add(std::string name, std::string parent) {
  if (name.empty()) return Failure{std::string("a frame needs a name")};
  if (find(name) != none) return Failure{"there is a frame " + in_quotes(name) + " already"};
  if (name == parent || would_close(find(parent), name))
    return Failure{"with the parent " + in_quotes(parent) + " the frame " + in_quotes(name) +
                   " would be above itself"};
  Index i = 0;
  while (i < size() && !at(i).name.empty()) ++i;
  if (i == size()) frames_.emplace_back();
  Frame& f = frames_[static_cast<std::size_t>(i)];
  f = {};
  f.name = std::move(name);
  f.parent_name = std::move(parent);
  join();
  return i;
}

Result<FrameTree::Index, std::string> FrameTree::reparent(Index i, std::string parent) {
  const std::string& name = at(i).name;
  if (name == parent || would_close(find(parent), name))
    return Failure{"with the parent " + in_quotes(parent) + " the frame " + in_quotes(name) +
                   " would be above itself"};
  frames_[static_cast<std::size_t>(i)].parent_name = std::move(parent);
  join();
  return i;
}

void FrameTree::remove(Index i) {
  require(!at(i).name.empty());
  frames_[static_cast<std::size_t>(i)] = {};
  join();
}

void FrameTree::join() {
  for (Frame& f : frames_) f.parent = find(f.parent_name);
  for (Index i = 0; i < size(); ++i) {
    Frame& f = frames_[static_cast<std::size_t>(i)];
    f.depth = 0;
    f.top = i;
    while (at(f.top).parent != none) {
      f.top = at(f.top).parent;
      ++f.depth;
    }
  }
}

std::vector<std::string> FrameTree::problems() const {
  std::vector<std::string> list;
  Index root = none;
  for (Index i = 0; i < size(); ++i) {
    const Frame& f = at(i);
    if (f.name.empty() || f.parent != none) continue;
    if (!f.parent_name.empty()) {
      list.push_back("the parent " + in_quotes(f.parent_name) + " of " + in_quotes(f.name) +
                     " is not there");
    } else if (root == none) {
      root = i;
    } else {
      list.push_back("there are two root frames, " + in_quotes(at(root).name) + " and " +
                     in_quotes(f.name));
    }
  }
  if (root == none) list.insert(list.begin(), "there is no root frame");
  return list;
}

void FrameTree::set(Index i, const FrameState& s, const Epoch& e) noexcept {
  at(i);
  Frame& f = frames_[static_cast<std::size_t>(i)];
  f.state = s;
  f.epoch = e;
  f.has_state = true;
}

FrameTree::Index FrameTree::common_ancestor(Index a, Index b) const noexcept {
  if (at(a).top != at(b).top) return none;
  while (at(a).depth > at(b).depth) a = at(a).parent;
  while (at(b).depth > at(a).depth) b = at(b).parent;
  while (a != b) {
    a = at(a).parent;
    b = at(b).parent;
  }
  return a;
}

FrameState FrameTree::seen(Index i, Index ancestor, const Epoch* when) const noexcept {
  FrameState s;
  for (bool first = true; i != ancestor; i = at(i).parent, first = false) {
    const Frame& f = at(i);
    const FrameState up =
        when && f.has_state ? propagated(f.state, elapsed(f.epoch, *when)) : f.state;
    s = first ? up : composed(up, s);
  }
  return s;
}

bool FrameTree::resolve(Index subject, Index observer, const Epoch* when,
                        FrameState& out) const noexcept {
  const Index meet = common_ancestor(subject, observer);
  if (meet == none) return false;
  const FrameState s = seen(subject, meet, when);
  out = observer == meet ? s : relative(s, seen(observer, meet, when));
  return true;
}

bool FrameTree::resolve(Index subject, Index observer, FrameState& out) const noexcept {
  return resolve(subject, observer, nullptr, out);
}

bool FrameTree::resolve(Index subject, Index observer, const Epoch& when,
                        FrameState& out) const noexcept {
  return resolve(subject, observer, &when, out);
}

}  // namespace vernier::frames
