#include "vernier/run/executive/detail/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "vernier/base/require.hpp"

namespace vernier::executive::detail {

namespace {

using composition::Plan;
using composition::Wire;

Scalar stored(const Port& p) noexcept { return p.flow == Flow::event ? Scalar::integer : p.scalar; }

std::size_t element_bytes(const Port& p) noexcept {
  const Scalar s = stored(p);
  return s == Scalar::real || s == Scalar::integer ? 8 : 1;
}

/// Room for the changes that a delay can hold: one per tick, and some for events.
std::size_t delay_capacity(const Plan& plan, Duration delay) {
  std::size_t most = 256;
  const double span = seconds(delay);
  if (plan.step > Duration{}) most += static_cast<std::size_t>(span / seconds(plan.step)) + 1;
  std::vector<Rate> seen;
  for (const composition::Part& p : plan.parts) {
    if (!p.rate.periodic() || std::find(seen.begin(), seen.end(), p.rate) != seen.end()) continue;
    seen.push_back(p.rate);
    most += static_cast<std::size_t>(span * static_cast<double>(p.rate.times) /
                                     static_cast<double>(p.rate.seconds)) +
            1;
  }
  return most;
}

}  // namespace

/// Passes the memory of one part's ports to its component, by name.
class PartBindings final : public Bindings {
 public:
  PartBindings(Memory& m, std::size_t part) : memory_(m), part_(part) {
    const Description& d = (*m.parts_)[part].component->description();
    for (std::size_t i = 0; i < d.outputs.size(); ++i)
      outputs_.emplace(d.outputs[i].name, m.output_cell(part, i));
    for (std::size_t i = 0; i < d.inputs.size(); ++i)
      inputs_.emplace(d.inputs[i].name, m.input_cell(part, i));
  }

  std::span<const double> real_input(std::string_view n) const override {
    return elements<double>(inputs_, n, Scalar::real);
  }
  std::span<double> real_output(std::string_view n) const override {
    return elements<double>(outputs_, n, Scalar::real);
  }
  std::span<const std::int64_t> integer_input(std::string_view n) const override {
    return elements<std::int64_t>(inputs_, n, Scalar::integer);
  }
  std::span<std::int64_t> integer_output(std::string_view n) const override {
    return elements<std::int64_t>(outputs_, n, Scalar::integer);
  }
  std::span<const std::uint8_t> byte_input(std::string_view n) const override {
    return elements<std::uint8_t>(inputs_, n, Scalar::byte);
  }
  std::span<std::uint8_t> byte_output(std::string_view n) const override {
    return elements<std::uint8_t>(outputs_, n, Scalar::byte);
  }
  StreamReader& stream_input(std::string_view n) const override {
    StreamReader* r = find(inputs_, n).reader;
    require(r != nullptr);
    return *r;
  }
  Stream& stream_output(std::string_view n) const override {
    Stream* s = find(outputs_, n).stream;
    require(s != nullptr);
    return *s;
  }
  Journal& journal() const override {
    memory_.keeps_journal(part_);
    return memory_.journals_[part_];
  }

 private:
  using Cells = std::unordered_map<std::string_view, std::size_t>;

  Memory::Cell& find(const Cells& cells, std::string_view name) const {
    const auto found = cells.find(name);
    require(found != cells.end());
    return memory_.cells_[found->second];
  }
  template <class T>
  std::span<T> elements(const Cells& cells, std::string_view name, Scalar kind) const {
    const Memory::Cell& c = find(cells, name);
    const Scalar s = stored(*c.port);
    require(c.port->flow != Flow::stream &&
            (s == kind || (s == Scalar::boolean && kind == Scalar::byte)));
    void* memory = c.overridden ? static_cast<void*>(c.shadow) : c.feed;
    return {static_cast<T*>(memory), c.port->count};
  }

  Memory& memory_;
  std::size_t part_;
  Cells inputs_, outputs_;
};

Memory::Memory(const Plan& plan, std::vector<PortView>& views)
    : views_(views), parts_(&plan.parts), journals_(plan.parts.size()) {
  allocate(plan);
  wire(plan);
  for (std::size_t part = 0; part < plan.parts.size(); ++part)
    bindings_.push_back(std::make_unique<PartBindings>(*this, part));
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    views_[i].data = cells_[i].feed;
    views_[i].stream = cells_[i].stream;
  }
  for (const composition::Wire& w : plan.wires) {
    if (plan.parts[w.from_part].rate.periodic()) views_[input_cell(w.to_part, w.to)].held = true;
  }
}

void Memory::bind(std::size_t part) { (*parts_)[part].component->bind(*bindings_[part]); }

void Memory::keeps_journal(std::size_t part) {
  const auto number = static_cast<std::uint32_t>(part);
  const auto place = std::lower_bound(journaling_.begin(), journaling_.end(), number);
  if (place == journaling_.end() || *place != number) journaling_.insert(place, number);
}

std::size_t Memory::input_cell(std::size_t part, std::size_t i) const {
  return first_[part] + (*parts_)[part].component->description().outputs.size() + i;
}

void Memory::allocate(const Plan& plan) {
  std::size_t reals = 0, integers = 0, bytes = 0, events = 0;
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    const Description& d = plan.parts[part].component->description();
    first_.push_back(cells_.size());
    const auto add = [&](const Port& p, bool output) {
      Cell c;
      c.port = &p;
      if (p.flow != Flow::stream) {
        c.bytes = p.count * element_bytes(p);
        switch (stored(p)) {
          case Scalar::real:
            reals += p.count;
            break;
          case Scalar::integer:
            integers += p.count;
            break;
          case Scalar::boolean:
          case Scalar::byte:
            bytes += p.count;
            break;
        }
        if (p.flow == Flow::event && !output) c.injected = events++;
      }
      cells_.push_back(c);
      views_.push_back({.path = composition::path(plan.parts[part], p),
                        .port = &p,
                        .part = static_cast<std::uint32_t>(part),
                        .cluster = plan.parts[part].cluster,
                        .output = output,
                        .held = output && plan.parts[part].rate.periodic()});
    };
    for (const Port& p : d.outputs) add(p, true);
    for (const Port& p : d.inputs) add(p, false);
  }
  first_.push_back(cells_.size());
  // inputs that alias an output leave their share unused, which costs nothing
  reals_.resize(reals);
  integers_.resize(integers);
  bytes_.resize(bytes);
  injected_.resize(events);
  part_streams_.resize(plan.parts.size());
  part_readers_.resize(plan.parts.size());

  for (std::size_t i = 0; i < cells_.size(); ++i) {
    Cell& c = cells_[i];
    const PortView& v = views_[i];
    if (!v.output) continue;
    if (c.port->flow == Flow::stream) {
      streams_.push_back(std::make_unique<Stream>(c.port->capacity, c.port->message_bytes));
      stream_clusters_.push_back(v.cluster);
      c.stream = streams_.back().get();
      part_streams_[v.part].push_back(c.stream);
    } else {
      c.feed = take(*c.port);
    }
  }
  real_outputs_ = reals_used_;

  std::size_t words = 0;
  for (const Cell& c : cells_) words += (c.bytes + 7) / 8;
  shadows_.resize(words);
  std::uint64_t* next = shadows_.data();
  for (Cell& c : cells_) {
    c.shadow = next;
    next += (c.bytes + 7) / 8;
  }
}

std::byte* Memory::take(const Port& p) {
  std::byte* memory = nullptr;
  switch (stored(p)) {
    case Scalar::real:
      memory = reinterpret_cast<std::byte*>(reals_.data() + reals_used_);
      reals_used_ += p.count;
      break;
    case Scalar::integer:
      memory = reinterpret_cast<std::byte*>(integers_.data() + integers_used_);
      integers_used_ += p.count;
      break;
    case Scalar::boolean:
    case Scalar::byte:
      memory = reinterpret_cast<std::byte*>(bytes_.data() + bytes_used_);
      bytes_used_ += p.count;
      break;
  }
  if (p.initial) set(memory, p, *p.initial);
  return memory;
}

void Memory::set(std::byte* memory, const Port& p, std::span<const double> values) const noexcept {
  for (std::size_t i = 0; i < p.count && i < values.size(); ++i) {
    switch (stored(p)) {
      case Scalar::real:
        reinterpret_cast<double*>(memory)[i] = values[i];
        break;
      case Scalar::integer:
        reinterpret_cast<std::int64_t*>(memory)[i] = static_cast<std::int64_t>(values[i]);
        break;
      case Scalar::boolean:
        memory[i] = static_cast<std::byte>(values[i] != 0.0);
        break;
      case Scalar::byte:
        memory[i] = static_cast<std::byte>(static_cast<int>(values[i]));
        break;
    }
  }
}

void Memory::wire(const Plan& plan) {
  // wires by target input, in the order of the document, which is the order of summation
  std::vector<std::vector<const Wire*>> to(cells_.size());
  for (const Wire& w : plan.wires) to[input_cell(w.to_part, w.to)].push_back(&w);

  std::size_t delayed = 0;
  for (const Wire& w : plan.wires) delayed += w.delay > Duration{};
  delays_.reserve(delayed);

  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    const Description& d = plan.parts[part].component->description();
    std::vector<Transfer> early, late;
    std::unordered_map<std::string_view, bool> needed;
    for (const Feedthrough& f : d.feedthrough) needed[f.input] = true;
    for (std::size_t i = 0; i < d.inputs.size(); ++i) {
      const std::size_t cell = input_cell(part, i);
      const bool direct = needed.contains(d.inputs[i].name);
      wire_input(plan, cell, to[cell], direct ? early : late);
    }
    early_.push_back({transfers_.size(), transfers_.size() + early.size()});
    transfers_.insert(transfers_.end(), early.begin(), early.end());
    late_.push_back({transfers_.size(), transfers_.size() + late.size()});
    transfers_.insert(transfers_.end(), late.begin(), late.end());
    if (!late.empty()) late_parts_.push_back(static_cast<std::uint32_t>(part));
  }
}

void Memory::wire_input(const Plan& plan, std::size_t cell, std::span<const Wire* const> wires,
                        std::vector<Transfer>& program) {
  Cell& c = cells_[cell];
  const Port& p = *c.port;
  const std::uint32_t part = views_[cell].part;
  if (p.flow == Flow::stream) {
    readers_.push_back(std::make_unique<StreamReader>());
    c.reader = readers_.back().get();
    part_readers_[part].push_back(c.reader);
    if (!wires.empty())
      c.reader->connect(cells_[output_cell(wires[0]->from_part, wires[0]->from)].stream);
    return;
  }
  const std::size_t each = element_bytes(p);
  const auto* only = wires.size() == 1 ? wires[0] : nullptr;
  if (only && p.flow == Flow::signal && only->gain == 1.0 && only->delay == Duration{} &&
      only->to_first == 0 && only->count == p.count) {
    c.feed = cells_[output_cell(only->from_part, only->from)].feed + only->from_first * each;
    return;
  }
  c.feed = take(p);
  std::vector<bool> covered(p.count, false);
  if (p.flow == Flow::event) {
    program.push_back(
        {.to = c.feed, .from = &injected_[c.injected], .kind = Transfer::Kind::set_integer});
    covered[0] = true;
  }
  for (const Wire* w : wires) {
    const std::byte* from = source(plan, *w, c, only != nullptr);
    // runs of elements that are assigned first, or added
    for (std::uint32_t i = 0; i < w->count;) {
      const bool add = covered[w->to_first + i];
      std::uint32_t n = 1;
      while (i + n < w->count && covered[w->to_first + i + n] == add) ++n;
      for (std::uint32_t k = 0; k < n; ++k) covered[w->to_first + i + k] = true;
      Transfer t{.to = c.feed + (w->to_first + i) * each,
                 .from = from + i * each,
                 .gain = w->gain,
                 .count = n};
      const Scalar s = stored(p);
      t.kind = s == Scalar::real ? (add ? Transfer::Kind::add_real : Transfer::Kind::set_real)
               : s == Scalar::integer
                   ? (add ? Transfer::Kind::add_integer : Transfer::Kind::set_integer)
                   : Transfer::Kind::set_byte;
      program.push_back(t);
      i += n;
    }
  }
}

const std::byte* Memory::source(const Plan& plan, const Wire& w, const Cell& to, bool only) {
  const std::size_t from_cell = output_cell(w.from_part, w.from);
  const Cell& from = cells_[from_cell];
  const std::size_t each = element_bytes(*from.port);
  const std::byte* memory = from.feed + w.from_first * each;
  if (w.delay == Duration{}) return memory;

  // Until something arrives, the input has its default if nothing else feeds it; otherwise nothing
  // is
  // added.
  std::vector<std::byte> initial(w.count * each);
  if (only && to.port->initial && to.port->flow == Flow::signal) {
    Port part_of = *from.port;
    part_of.count = w.count;
    std::vector<double> values;
    for (std::uint32_t i = 0; i < w.count && w.to_first + i < to.port->initial->size(); ++i)
      values.push_back(w.gain == 0.0 ? 0.0 : (*to.port->initial)[w.to_first + i] / w.gain);
    set(initial.data(), part_of, values);
  }
  delays_.emplace_back(memory, initial, w.delay, delay_capacity(plan, w.delay));
  delay_ends_.push_back({plan.parts[w.from_part].cluster, plan.parts[w.to_part].cluster});
  delay_wires_.push_back(static_cast<std::size_t>(&w - plan.wires.data()));
  delay_names_.push_back(views_[from_cell].path + " -> " +
                         views_[input_cell(w.to_part, w.to)].path);
  if (to.port->flow == Flow::event) event_delays_.push_back(delays_.size() - 1);
  return delays_.back().out();
}

std::span<const Transfer> Memory::before_output(std::size_t part) const noexcept {
  return {transfers_.data() + early_[part].begin, transfers_.data() + early_[part].end};
}

std::span<const Transfer> Memory::before_react(std::size_t part) const noexcept {
  return {transfers_.data() + late_[part].begin, transfers_.data() + late_[part].end};
}

void Memory::carry_all() noexcept { run(std::span<const Transfer>(transfers_)); }

Time Memory::next_arrival(std::uint32_t cluster, Time now, Due due) const noexcept {
  Time t = Time::max();
  for (const std::size_t i : event_delays_) {
    if (delay_ends_[i].to != cluster) continue;
    t = std::min(t, due[delay_ends_[i].from] ? delays_[i].next_arrival_after_push(now)
                                             : delays_[i].next_arrival());
  }
  return t;
}

std::uint64_t Memory::messages_lost() const noexcept {
  std::uint64_t n = 0;
  for (const auto& r : readers_) n += r->lost();
  return n;
}

std::uint64_t Memory::delays_merged() const noexcept {
  std::uint64_t n = 0;
  for (const DelayLine& d : delays_) n += d.merged();
  return n;
}

bool Memory::not_a_number() const noexcept {
  const double* x = reals_.data();
  const double* const end = x + real_outputs_;
  bool bad = false;
#if defined(__SSE2__)
  // one comparison for several numbers: unordered if any of them is NaN
  __m128d any = _mm_setzero_pd();
  for (; end - x >= 4; x += 4)
    any = _mm_or_pd(any, _mm_cmpunord_pd(_mm_loadu_pd(x), _mm_loadu_pd(x + 2)));
  bad = _mm_movemask_pd(any) != 0;
#endif
  for (; x < end; ++x) bad |= *x != *x;
  return bad;
}

void Memory::override_port(std::size_t view, std::span<const double> values) noexcept {
  Cell& c = cells_[view];
  PortView& v = views_[view];
  if (!std::exchange(c.overridden, true)) std::memcpy(c.shadow, c.feed, c.bytes);
  if (v.output) {
    set(c.feed, *c.port, values);
  } else {
    set(reinterpret_cast<std::byte*>(c.shadow), *c.port, values);
    v.data = c.shadow;
  }
  v.overridden = true;
}

void Memory::release(std::size_t view) noexcept {
  Cell& c = cells_[view];
  if (!std::exchange(c.overridden, false)) return;
  // the component's last value is used until it writes a new one
  if (views_[view].output) std::memcpy(c.feed, c.shadow, c.bytes);
  views_[view].data = c.feed;
  views_[view].overridden = false;
}

void Memory::send(std::size_t view) noexcept { ++injected_[cells_[view].injected]; }

std::span<std::byte> Memory::content(std::size_t view) noexcept {
  return {cells_[view].feed, cells_[view].bytes};
}

std::span<std::byte> Memory::shadow(std::size_t view) noexcept {
  Cell& c = cells_[view];
  if (!c.overridden) return {};
  return {reinterpret_cast<std::byte*>(c.shadow), c.bytes};
}

Memory::Values Memory::values() {
  Values v{reals_, integers_, bytes_, {}};
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const auto s = shadow(i);
    v.shadows.insert(v.shadows.end(), s.begin(), s.end());
  }
  return v;
}

void Memory::set(const Values& v) {
  // in place: others hold pointers to these
  std::copy(v.reals.begin(), v.reals.end(), reals_.begin());
  std::copy(v.integers.begin(), v.integers.end(), integers_.begin());
  std::copy(v.bytes.begin(), v.bytes.end(), bytes_.begin());
  auto next = v.shadows.begin();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const auto s = shadow(i);
    std::copy_n(next, s.size(), s.begin());
    next += static_cast<std::ptrdiff_t>(s.size());
  }
}

void Memory::reset() {
  for (DelayLine& d : delays_) d.reset();
  for (const auto& r : readers_) r->seek({});
  std::fill(injected_.begin(), injected_.end(), 0);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    Cell& c = cells_[i];
    if (c.stream)
      *c.stream = Stream(c.port->capacity, c.port->message_bytes);
    else if (views_[i].output && !c.overridden)
      std::memset(c.feed, 0, c.bytes);
  }
  for (Journal& j : journals_) j.clear();
}

}  // namespace vernier::executive::detail
