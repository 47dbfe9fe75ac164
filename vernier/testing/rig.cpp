#include "vernier/testing/rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "vernier/base/require.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::testing {

Rig::Rig(Component& c) : component_(c) {
  const Description& d = c.description();
  const auto make = [](const Port& p, Memories& memories) {
    auto m = std::make_unique<Memory>();
    m->port = &p;
    const auto initial = [&](std::size_t i) {
      return p.initial && i < p.initial->size() ? (*p.initial)[i] : 0.0;
    };
    if (p.flow == Flow::stream) {
      m->stream = std::make_unique<Stream>(p.capacity, p.message_bytes);
      m->reader.connect(m->stream.get());
    } else {
      for (std::uint32_t i = 0; i < p.count; ++i) {
        m->reals.push_back(initial(i));
        m->integers.push_back(static_cast<std::int64_t>(initial(i)));
        m->bytes.push_back(static_cast<std::uint8_t>(initial(i)));
      }
    }
    const bool is_new = memories.emplace(p.name, std::move(m)).second;
    require(is_new);
  };
  for (const Port& p : d.inputs) make(p, inputs_);
  for (const Port& p : d.outputs) make(p, outputs_);
  component_.bind(*this);
  for (int phase = 0; !component_.initialize(now_, phase); ++phase) {
    require(phase < 100);
    component_.output({now_});
  }
  settle();
}

Rig::Memory& Rig::find(const Memories& memories, std::string_view name, Flow flow, Scalar scalar) {
  const auto found = memories.find(name);
  if (found == memories.end()) ADD_FAILURE() << "no port " << name;
  require(found != memories.end());
  const Port& p = *found->second->port;
  const bool same_scalar = p.scalar == scalar ||
                           (scalar == Scalar::byte && p.scalar == Scalar::boolean) ||
                           (scalar == Scalar::integer && p.flow == Flow::event);
  const bool same_flow = p.flow == flow || (p.flow == Flow::event && scalar == Scalar::integer);
  if (!same_flow || (flow != Flow::stream && !same_scalar))
    ADD_FAILURE() << name << " is of another kind";
  return *found->second;
}

double& Rig::in(std::string_view port, std::size_t i) {
  return find(inputs_, port, Flow::signal, Scalar::real).reals.at(i);
}
double Rig::out(std::string_view port, std::size_t i) const {
  return find(outputs_, port, Flow::signal, Scalar::real).reals.at(i);
}
std::span<const double> Rig::reals(std::string_view output) const { return real_output(output); }
std::int64_t Rig::integer(std::string_view output) const { return integer_output(output)[0]; }
void Rig::send(std::string_view event) {
  ++find(inputs_, event, Flow::event, Scalar::integer).integers[0];
}
Stream& Rig::stream(std::string_view input) {
  return *find(inputs_, input, Flow::stream, Scalar::byte).stream;
}

void Rig::settle() {
  EXPECT_NE(component_.output({now_}), Outcome::failed) << component_.fault().text;
}

int Rig::react() {
  settle();
  int changes = 0;
  for (std::uint32_t microstep = 0; microstep < 2000; ++microstep) {
    const Outcome o = component_.react({now_, microstep});
    EXPECT_NE(o, Outcome::failed) << component_.fault().text;
    if (o != Outcome::changed) break;
    ++changes;
    component_.output({now_, microstep + 1});
  }
  return changes;
}

void Rig::step(Duration d) {
  const Time end = now_ + d;
  while (now_ < end) {
    react();
    const Advance a = component_.advance(now_, end);
    ASSERT_NE(a.outcome, Outcome::failed)
        << component_.fault().code << ": " << component_.fault().text;
    ASSERT_GT(a.reached, now_);
    ASSERT_LE(a.reached, end);
    now_ = a.reached;
  }
  react();
}

void Rig::run(Duration each, Duration span) {
  for (const Time end = now_ + span; now_ < end && !::testing::Test::HasFatalFailure();) step(each);
}

std::vector<std::byte> Rig::save() const {
  std::vector<std::byte> image(component_.description().state_bytes);
  component_.save(image);
  return image;
}

void Rig::load(const std::vector<std::byte>& image) { component_.load(image); }

std::span<const double> Rig::real_input(std::string_view n) const {
  return find(inputs_, n, Flow::signal, Scalar::real).reals;
}
std::span<double> Rig::real_output(std::string_view n) const {
  return find(outputs_, n, Flow::signal, Scalar::real).reals;
}
std::span<const std::int64_t> Rig::integer_input(std::string_view n) const {
  return find(inputs_, n, Flow::signal, Scalar::integer).integers;
}
std::span<std::int64_t> Rig::integer_output(std::string_view n) const {
  return find(outputs_, n, Flow::signal, Scalar::integer).integers;
}
std::span<const std::uint8_t> Rig::byte_input(std::string_view n) const {
  return find(inputs_, n, Flow::signal, Scalar::byte).bytes;
}
std::span<std::uint8_t> Rig::byte_output(std::string_view n) const {
  return find(outputs_, n, Flow::signal, Scalar::byte).bytes;
}
StreamReader& Rig::stream_input(std::string_view n) const {
  return find(inputs_, n, Flow::stream, Scalar::byte).reader;
}
Stream& Rig::stream_output(std::string_view n) const {
  return *find(outputs_, n, Flow::stream, Scalar::byte).stream;
}

namespace {

/// All output memory as bytes, for comparison to the bit.
std::vector<std::byte> seen(const Rig& rig, const Port& p) {
  const auto bytes = [](auto span) {
    const auto b = std::as_bytes(span);
    return std::vector<std::byte>(b.begin(), b.end());
  };
  if (p.flow == Flow::stream) return {};
  if (p.flow == Flow::event || p.scalar == Scalar::integer)
    return bytes(rig.integer_output(p.name));
  if (p.scalar == Scalar::real) return bytes(rig.real_output(p.name));
  return bytes(rig.byte_output(p.name));
}

}  // namespace

void expect_conforming(Component& c, Duration step, const std::function<void(Rig&, int)>& drive) {
  Rig rig(c);
  const Description& d = c.description();
  // the pacers of an unpaced run, so that nothing depends on the component's own threads
  std::vector<Pacer*> pacers;
  if (auto* source = dynamic_cast<PacerSource*>(&c)) pacers = source->pacers();
  const auto follow = [&](int first, int last) {
    std::vector<std::vector<std::byte>> trace;
    for (int k = first; k < last; ++k) {
      drive(rig, k);
      rig.step(step);
      for (Pacer* p : pacers) EXPECT_NE(p->wait_for(rig.now_), Outcome::failed);
      if (!pacers.empty()) rig.settle();  // with the data that was waited for
      for (const Port& p : d.outputs) trace.push_back(seen(rig, p));
      trace.push_back(rig.save());
    }
    return trace;
  };
  const auto repeat = [&](int first, int last) {
    const auto image = rig.save();
    const Time then = rig.now_;
    std::vector<std::pair<Rig::Memory*, std::vector<std::int64_t>>> inputs;
    for (auto& [name, m] : rig.inputs_) inputs.emplace_back(m.get(), m->integers);
    const auto once = follow(first, last);
    rig.load(image);
    rig.now_ = then;
    for (const auto& [memory, counts] : inputs) memory->integers = counts;
    rig.journal_.clear();
    EXPECT_EQ(rig.save(), image) << "save(load(image)) is not the image";
    return follow(first, last) == once;
  };
  if (d.abilities.rewinds) {
    const bool at_start = repeat(0, 5);  // as a rehearsal does
    follow(5, 50);
    const bool later = repeat(50, 100);
    EXPECT_TRUE(at_start && later)
        << "load(save()) does not bring the past back" << (later ? " to the start" : "");
  } else {
    follow(0, 50);
  }

  // an output that follows an undeclared input would violate the order of evaluation
  rig.settle();
  for (const Port& in : d.inputs) {
    if (in.flow != Flow::signal || in.scalar != Scalar::real) continue;
    for (std::uint32_t e = 0; e < in.count; ++e) {
      const double before = rig.in(in.name, e);
      std::vector<std::vector<std::byte>> undisturbed;
      for (const Port& o : d.outputs) undisturbed.push_back(seen(rig, o));
      rig.in(in.name, e) = before + 1e-3;
      rig.settle();
      for (std::size_t i = 0; i < d.outputs.size(); ++i) {
        const bool declared = std::any_of(
            d.feedthrough.begin(), d.feedthrough.end(),
            [&](const auto& f) { return f.output == d.outputs[i].name && f.input == in.name; });
        if (!declared) {
          EXPECT_TRUE(seen(rig, d.outputs[i]) == undisturbed[i])
              << d.outputs[i].name << " follows " << in.name << ", undeclared";
        }
      }
      rig.in(in.name, e) = before;
      rig.settle();
    }
  }

  drive(rig, 0);
  std::vector<std::byte> image(d.state_bytes);
  const long before = allocations();
  for (int k = 0; k < 10; ++k) {
    c.output({rig.now_});
    c.react({rig.now_});
    rig.now_ = c.advance(rig.now_, rig.now_ + step).reached;
    if (d.abilities.predicts) static_cast<void>(c.horizon(rig.now_));
    if (d.abilities.rewinds) {
      c.save(image);
      c.load(image);
    }
  }
  EXPECT_EQ(allocations(), before) << "a real-time function allocates";

  // an override during a run binds it to other memory
  const long bound = allocations();
  c.bind(rig);
  if (!d.abilities.faces_world) {
    EXPECT_EQ(allocations(), bound) << "bind() allocates when it is called again";
  }
}

}  // namespace vernier::testing
