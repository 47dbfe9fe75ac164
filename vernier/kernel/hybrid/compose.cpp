#include "vernier/kernel/hybrid/compose.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/ordering.hpp"
#include "vernier/base/require.hpp"
#include "vernier/kernel/hybrid/detail/composition.hpp"

namespace vernier::hybrid::detail {

namespace {

std::string qualified(const std::string& part, const std::string& name) {
  if (part.empty()) return name;
  return name.empty() ? part : part + "." + name;
}

// Elements of a signal that was found: its index, and the offset of its elements in the vector.
struct Found {
  std::size_t signal = 0, first = 0, count = 0;
};

// One nonzero of M: its column and gain.
struct Entry {
  std::size_t from = 0;
  bool outside = false;
  double gain = 1.0;
};

}  // namespace

class Composer {
 public:
  Composer(std::vector<Part> parts, std::span<const MatrixBlock> wires, const Outside& outside)
      : wires_(wires), outside_(outside), result_(std::make_unique<Composition>()) {
    std::vector<std::map<std::string, std::vector<std::string>>> hears;
    for (Part& part : parts) {
      hears.push_back(std::move(part.hears));
      take(std::move(part));
    }
    for (std::size_t k = 0; k < hears.size(); ++k) listen(k, hears[k]);
    rows_.resize(result_->m_);
    export_rows_.resize(size(outside.outputs));
  }

  std::unique_ptr<System> composed() {
    name_outputs();
    place_inputs();
    for (const MatrixBlock& w : wires_) lay(w);
    finish_inputs();
    finish_exports();
    order();
    find_feedthrough();
    find_condition_inputs();
    assume_noise();
    return std::move(result_);
  }

 private:
  std::vector<Place>& places() { return result_->parts_; }
  const SystemSpec& spec_of(std::size_t part) { return places()[part].system->spec(); }

  void take(Part part) {
    require(part.system != nullptr);
    Composition& c = *result_;
    SystemSpec& spec = c.spec_;
    const SystemSpec& own = part.system->spec();
    Place place;
    place.x = size(spec.states);
    place.n = size(own.states);
    place.u = c.m_;
    place.m = size(own.inputs);
    place.y = c.p_;
    place.p = size(own.outputs);
    place.automaton = spec.automata.size();
    place.automata = own.automata.size();
    place.z = spec.guards;
    place.guards = own.guards;
    place.parameter = size(spec.parameters);
    place.parameters = size(own.parameters);
    for (Signal s : own.states) {
      s.name = qualified(part.name, s.name);
      spec.states.push_back(std::move(s));
    }
    for (Signal s : own.parameters) {
      s.name = qualified(part.name, s.name);
      spec.parameters.push_back(std::move(s));
    }
    for (Automaton a : own.automata) {
      a.name = qualified(part.name, a.name);
      spec.automata.push_back(std::move(a));
    }
    for (const UnitVector& v : own.unit_vectors) {
      spec.unit_vectors.push_back({place.x + v.first, v.count, v.kind});
    }
    for (const Event& e : own.events) {
      const auto renamed = part.events.find(e.name);
      place.labels.push_back(label(renamed == part.events.end() ? e.name : renamed->second, e));
    }
    spec.guards += own.guards;
    c.m_ += place.m;
    c.p_ += place.p;
    c.most_labels_ = std::max(c.most_labels_, place.labels.size());
    place.system = std::move(part.system);
    names_.push_back(std::move(part.name));
    c.parts_.push_back(std::move(place));
  }

  void assume_noise() {
    Noise& all = result_->spec_.noise;
    const auto add = [](const std::vector<double>& own, std::size_t first, std::size_t whole,
                        std::vector<double>& to) {
      if (own.empty()) return;
      to.resize(whole, 0.0);
      std::copy(own.begin(), own.end(), to.begin() + static_cast<std::ptrdiff_t>(first));
    };
    for (const Place& part : places()) {
      const Noise& own = part.system->spec().noise;
      add(own.process, part.x, size(result_->spec_.states), all.process);
      add(own.measurement, part.y, size(result_->spec_.outputs), all.measurement);
    }
    // An output of `outside` has the combined noise of the outputs it is made of.
    for (std::size_t row = 0; !all.measurement.empty() && row < export_rows_.size(); ++row) {
      double variance = 0.0;
      for (const Entry& e : export_rows_[row]) {
        const double own = e.outside ? 0.0 : e.gain * all.measurement[e.from];
        variance += own * own;
      }
      all.measurement[result_->p_ + row] = std::sqrt(variance);
    }
  }

  std::size_t label(const std::string& name, const Event& e) {
    std::vector<Event>& events = result_->spec_.events;
    auto found = std::find_if(events.begin(), events.end(),
                              [&](const Event& other) { return other.name == name; });
    if (found == events.end()) found = events.insert(events.end(), {name, false, false});
    found->in |= e.in;
    found->out |= e.out;
    return static_cast<std::size_t>(found - events.begin());
  }

  void listen(std::size_t part, const std::map<std::string, std::vector<std::string>>& hears) {
    const std::vector<Event>& own = spec_of(part).events;
    const auto index = [](const std::vector<Event>& events, const std::string& name) {
      const auto found = std::find_if(events.begin(), events.end(),
                                      [&name](const Event& e) { return e.name == name; });
      require(found != events.end());
      return static_cast<std::size_t>(found - events.begin());
    };
    for (const auto& [event, labels] : hears)
      for (const std::string& label : labels)
        places()[part].heard.push_back({index(own, event), index(result_->spec_.events, label)});
  }

  void name_outputs() {
    std::vector<Signal>& outputs = result_->spec_.outputs;
    for (std::size_t k = 0; k < places().size(); ++k) {
      for (Signal s : spec_of(k).outputs) {
        s.name = qualified(names_[k], s.name);
        outputs.push_back(std::move(s));
      }
    }
    outputs.insert(outputs.end(), outside_.outputs.begin(), outside_.outputs.end());
  }

  // The inputs of the composition: those of `outside`, then unconnected inputs of parts.
  void place_inputs() {
    SystemSpec& spec = result_->spec_;
    spec.inputs = outside_.inputs;
    std::vector<std::set<std::string>> reached(places().size());
    for (const MatrixBlock& w : wires_) {
      if (w.to.part == End::outside) continue;
      require(w.to.part < places().size());
      reached[w.to.part].insert(w.to.signal);
    }
    std::size_t column = size(spec.inputs);
    for (std::size_t k = 0; k < places().size(); ++k) {
      std::size_t row = places()[k].u;
      std::size_t index = 0;
      for (Signal s : spec_of(k).inputs) {
        if (!reached[k].contains(s.name)) {
          for (std::size_t i = 0; i < s.count; ++i) rows_[row + i] = {{column + i, true, 1.0}};
          opened_.push_back({k, index, spec.inputs.size()});
          column += s.count;
          s.name = qualified(names_[k], s.name);
          spec.inputs.push_back(s);
        }
        row += s.count;
        ++index;
      }
    }
  }

  std::string name_of(const End& end) {
    return end.part == End::outside ? end.signal : qualified(names_[end.part], end.signal);
  }

  Found find(const std::vector<Signal>& signals, const End& end, const char* kind) {
    Found found;
    for (const Signal& s : signals) {
      if (s.name == end.signal) {
        found.count = end.count == End::all ? s.count - std::min(end.first, s.count) : end.count;
        if (found.count == 0 || std::size_t{end.first} + found.count > s.count) {
          throw ConfigurationError("V2121", name_of(end) + " has only " + std::to_string(s.count) +
                                                (s.count == 1 ? " element" : " elements"));
        }
        found.first += end.first;
        return found;
      }
      found.first += s.count;
      ++found.signal;
    }
    throw ConfigurationError("V2112", name_of(end) + " is not an " + kind);
  }

  void lay(const MatrixBlock& w) {
    const bool enters = w.from.part == End::outside;
    require(enters || w.from.part < places().size());
    const Found from = find(enters ? outside_.inputs : spec_of(w.from.part).outputs, w.from,
                            enters ? "input of the composition" : "output");
    const bool leaves = w.to.part == End::outside;
    const Found to = find(leaves ? outside_.outputs : spec_of(w.to.part).inputs, w.to,
                          leaves ? "output of the composition" : "input");
    if (from.count != to.count) {
      throw ConfigurationError("V2121", name_of(w.from) + " (" + std::to_string(from.count) +
                                            " elements) cannot feed " + name_of(w.to) + " (" +
                                            std::to_string(to.count) + " elements)");
    }
    const std::size_t column = from.first + (enters ? 0 : places()[w.from.part].y);
    auto& rows = leaves ? export_rows_ : rows_;
    const std::size_t row = to.first + (leaves ? 0 : places()[w.to.part].u);
    for (std::size_t i = 0; i < from.count; ++i) {
      rows[row + i].push_back({column + i, enters, w.gain});
    }
    // The order of evaluation considers whole signals.
    if (!enters && !leaves) links_.push_back({w.from.part, from.signal, w.to.part, to.signal});
    if (enters && !leaves) entering_.push_back({from.signal, w.to.part, to.signal});
    if (!enters && leaves) leaving_.push_back({w.from.part, from.signal, to.signal});
    if (enters && leaves) passing_.push_back({from.signal, to.signal});
  }

  // Converts rows of M to runs of contiguous elements. The first entry of each row is assigned, the
  // others are added.
  static std::vector<Gather> runs(std::span<const std::vector<Entry>> rows) {
    std::vector<Gather> result;
    for (std::size_t layer = 0;; ++layer) {
      const std::size_t first = result.size();
      bool open = false;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].size() <= layer) {
          open = false;
          continue;
        }
        const Entry& e = rows[row][layer];
        if (open) {
          Gather& last = result.back();
          if (last.outside == e.outside && last.gain == e.gain &&
              last.from + last.count == e.from) {
            ++last.count;
            continue;
          }
        }
        Gather g;
        g.to = static_cast<std::uint32_t>(row);
        g.from = static_cast<std::uint32_t>(e.from);
        g.count = 1;
        g.outside = e.outside;
        g.gain = e.gain;
        result.push_back(g);
        open = true;
      }
      if (result.size() == first) return result;
      for (std::size_t k = first; k < result.size(); ++k) {
        result[k].kind = Gather::kind_of(result[k].count, result[k].gain, layer > 0);
      }
    }
  }

  void finish_inputs() {
    for (std::size_t k = 0; k < places().size(); ++k) {
      Place& part = places()[k];
      const std::span<const std::vector<Entry>> rows = std::span(rows_).subspan(part.u, part.m);
      part.gathers = runs(rows);
      for (Gather& g : part.gathers) g.to += static_cast<std::uint32_t>(part.u);
      for (const std::vector<Entry>& row : rows) {
        const bool plain = row.size() == 1 && !row[0].outside && row[0].gain == 1.0 &&
                           (row[0].from < part.y || row[0].from >= part.y + part.p);
        part.source.push_back(plain ? row[0].from : Place::computed);
      }
      std::size_t row = 0;
      for (const Signal& s : spec_of(k).inputs) {
        for (std::size_t i = 0; i < s.count; ++i, ++row) {
          if (!rows[row].empty()) continue;
          if (!s.initial) {
            throw ConfigurationError("V2104", "element " + std::to_string(i) + " of " +
                                                  qualified(names_[k], s.name) +
                                                  " is connected to nothing");
          }
          part.fixed.emplace_back(row, i < s.initial->size() ? (*s.initial)[i] : 0.0);
        }
      }
    }
  }

  void finish_exports() {
    std::size_t row = 0;
    for (const Signal& s : outside_.outputs) {
      for (std::size_t i = 0; i < s.count; ++i, ++row) {
        if (export_rows_[row].empty()) {
          throw ConfigurationError("V2104", "element " + std::to_string(i) + " of the output " +
                                                s.name + " is connected to nothing");
        }
      }
    }
    result_->exports_ = runs(export_rows_);
  }

  std::vector<Block> blocks() {
    std::vector<Block> result;
    for (std::size_t k = 0; k < places().size(); ++k) {
      const SystemSpec& own = spec_of(k);
      Block b{own.outputs.size(), own.inputs.size(), {}};
      for (const Dependence& d : own.feedthrough) b.needs.push_back({d.output, d.input});
      result.push_back(std::move(b));
    }
    return result;
  }

  void order() {
    const std::vector<Block> all = blocks();
    const Ordering order = ordering(all, links_);
    if (!order.loop.empty()) refuse(order.loop);
    std::vector<std::vector<std::size_t>> none(all.size()), flowing(none), guarded(none),
        jumping(none), every(none);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Place& part = places()[k];
      for (std::size_t i = 0; i < all[k].inputs; ++i) every[k].push_back(i);
      if (part.n > 0) flowing[k] = every[k];
      if (part.automata == 0 && part.guards == 0) continue;
      jumping[k] = every[k];
      guarded[k] = spec_of(k).condition_inputs.value_or(every[k]);
    }
    find_timed();
    result_->for_flow_ = schedule(all, flowing, false);
    result_->for_guards_ = schedule(all, guarded, false, &condition_inputs_);
    result_->for_jump_ = schedule(all, jumping, false);
    result_->for_output_ = schedule(all, none, true);
    result_->for_everything_ = schedule(all, every, true);
  }

  [[noreturn]] void refuse(const std::vector<DirectFeed>& loop) {
    Diagnostic problem;
    problem.code = "V2110";
    problem.message = "an algebraic loop: every output needs the next one at the same instant";
    for (const DirectFeed& l : loop) {
      problem.body.push_back(qualified(names_[l.from], spec_of(l.from).outputs[l.output].name) +
                             "  → " + qualified(names_[l.to], spec_of(l.to).inputs[l.input].name));
    }
    problem.notes.push_back("break it where the real system has a delay or a state");
    Diagnostics all;
    all.add(std::move(problem));
    throw ConfigurationError(std::move(all));
  }

  // Finds parts whose outputs depend on time alone: they have no states, modes or parameters, and
  // all their inputs come from such parts. Iterates until no more are found.
  void find_timed() {
    const auto owner = [this](std::size_t output) {
      const auto after =
          std::upper_bound(places().begin(), places().end(), output,
                           [](std::size_t o, const Place& part) { return o < part.y; });
      return static_cast<std::size_t>(after - places().begin()) - 1;
    };
    timed_.resize(places().size());
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < places().size(); ++k) {
        const Place& part = places()[k];
        if (timed_[k] || part.n + part.automata + part.parameters > 0) continue;
        timed_[k] = std::all_of(part.gathers.begin(), part.gathers.end(), [&](const Gather& g) {
          if (g.outside) return false;
          const std::size_t last = owner(g.from + g.count - 1);
          for (std::size_t from = owner(g.from); from <= last; ++from)
            if (!timed_[from]) return false;
          return true;
        });
        more |= timed_[k];
      }
    }
  }

  // A call of a part that needs the given input signals.
  Schedule::Call call_of(std::size_t k, const std::set<std::size_t>& inputs, OutputSet outputs) {
    const Place& part = places()[k];
    std::vector<bool> needed;  // by element
    for (std::size_t i = 0; i < spec_of(k).inputs.size(); ++i)
      needed.insert(needed.end(), spec_of(k).inputs[i].count, inputs.contains(i));
    const auto computed = [&](std::size_t i) { return part.source[i] == Place::computed; };
    Schedule::Call call{k, {}, {}, outputs};
    for (const Gather& g : part.gathers) {
      bool any = false, any_computed = false;
      for (std::size_t i = g.to - part.u; i < g.to - part.u + g.count; ++i) {
        any |= needed[i];
        any_computed |= needed[i] && computed(i);
      }
      if (any) call.gathers.push_back(g);
      if (any_computed) call.lane_gathers.push_back(g);
    }
    return call;
  }

  // The calls that compute the inputs of `targets`, and all outputs of parts if requested. `seen`
  // receives all inputs on which these depend.
  Schedule schedule(const std::vector<Block>& all,
                    const std::vector<std::vector<std::size_t>>& targets, bool outputs,
                    std::set<std::pair<std::size_t, std::size_t>>* seen = nullptr) {
    // Find the needed outputs by walking back from the inputs of the targets.
    std::vector<std::vector<bool>> needed(all.size());
    std::vector<std::pair<std::size_t, std::size_t>> open;  // inputs to walk from
    const auto need = [&](std::size_t part, std::size_t output) {
      if (needed[part][output]) return;
      needed[part][output] = true;
      for (const Block::Need& n : all[part].needs) {
        if (n.output == output) open.emplace_back(part, n.input);
      }
    };
    for (std::size_t k = 0; k < all.size(); ++k) {
      needed[k].resize(all[k].outputs, false);
      for (std::size_t i : targets[k]) open.emplace_back(k, i);
    }
    for (std::size_t k = 0; outputs && k < all.size(); ++k) {
      for (std::size_t o = 0; o < all[k].outputs; ++o) need(k, o);
    }
    while (!open.empty()) {
      const auto [part, input] = open.back();
      open.pop_back();
      if (seen != nullptr) seen->emplace(part, input);
      for (const DirectFeed& l : links_) {
        if (l.to == part && l.input == input) need(l.from, l.output);
      }
    }

    // The same network with only the needed outputs; a topological order of its blocks is the
    // schedule.
    std::vector<Block> blocks(all.size());
    std::vector<std::vector<std::size_t>> number(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      blocks[k].inputs = all[k].inputs;
      for (std::size_t o = 0; o < all[k].outputs; ++o) {
        number[k].push_back(blocks[k].outputs);
        if (needed[k][o]) ++blocks[k].outputs;
      }
      for (const Block::Need& n : all[k].needs) {
        if (needed[k][n.output]) blocks[k].needs.push_back({number[k][n.output], n.input});
      }
    }
    std::vector<DirectFeed> links;
    for (const DirectFeed& l : links_) {
      if (needed[l.from][l.output]) {
        links.push_back({l.from, number[l.from][l.output], l.to, l.input});
      }
    }
    const Ordering order = ordering(blocks, links);
    require(order.loop.empty());

    Schedule result;
    std::size_t calls = 0;
    std::vector<std::size_t> last(all.size(), 0);  // the number of the last call of each part
    std::vector<std::size_t> full(all.size(), 0);  // the same, with its inputs gathered
    for (std::size_t b : order.calls) {
      if (blocks[b].outputs == 0) continue;
      std::set<std::size_t> inputs;
      for (const Block::Need& n : blocks[b].needs) inputs.insert(n.input);
      last[b] = ++calls;
      if (!inputs.empty()) {
        full[b] = last[b];
        inputs.insert(targets[b].begin(), targets[b].end());
      }
      (timed_[b] ? result.timed : result.calls)
          .push_back(call_of(b, inputs, prepared(b, needed[b])));
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (targets[k].empty()) continue;
      const bool stale =
          full[k] == 0 || std::any_of(links_.begin(), links_.end(), [&](const DirectFeed& l) {
            return l.to == k && last[l.from] >= full[k];
          });
      if (stale) result.calls.push_back(call_of(k, {targets[k].begin(), targets[k].end()}, 0));
    }
    return result;
  }

  // Announces the set of needed outputs to a part.
  OutputSet prepared(std::size_t part, const std::vector<bool>& needed) {
    if (std::find(needed.begin(), needed.end(), false) == needed.end()) return all_outputs;
    OutputSet set = 0;
    for (std::size_t o = 0; o < needed.size(); ++o)
      if (needed[o]) set |= output_bit(o);
    places()[part].system->prepare_outputs(set);
    return set;
  }

  // Finds which inputs of the composition reach which outputs at the same instant.
  void find_feedthrough() {
    SystemSpec& spec = result_->spec_;
    std::vector<std::size_t> first_output;
    std::size_t outputs = 0;
    for (std::size_t k = 0; k < places().size(); ++k) {
      first_output.push_back(outputs);
      outputs += spec_of(k).outputs.size();
    }
    for (std::size_t input = 0; input < spec.inputs.size(); ++input) {
      std::set<std::size_t> reached;  // outputs of the composition
      std::vector<std::pair<std::size_t, std::size_t>> open;
      for (const Entering& e : entering_) {
        if (e.input == input) open.emplace_back(e.part, e.signal);
      }
      for (const Opened& o : opened_) {
        if (o.input == input) open.emplace_back(o.part, o.signal);
      }
      for (const Passing& p : passing_) {
        if (p.input == input) reached.insert(outputs + p.output);
      }
      while (!open.empty()) {
        const auto [part, signal] = open.back();
        open.pop_back();
        for (const Dependence& d : spec_of(part).feedthrough) {
          if (d.input != signal || !reached.insert(first_output[part] + d.output).second) continue;
          for (const DirectFeed& l : links_) {
            if (l.from == part && l.output == d.output) open.emplace_back(l.to, l.input);
          }
          for (const Leaving& l : leaving_) {
            if (l.part == part && l.signal == d.output) reached.insert(outputs + l.output);
          }
        }
      }
      for (std::size_t output : reached) spec.feedthrough.push_back({output, input});
    }
  }

  // Finds which inputs of the composition the conditions of its parts depend on.
  void find_condition_inputs() {
    std::set<std::size_t> inputs;
    for (const Entering& e : entering_) {
      if (condition_inputs_.contains({e.part, e.signal})) inputs.insert(e.input);
    }
    for (const Opened& o : opened_) {
      if (condition_inputs_.contains({o.part, o.signal})) inputs.insert(o.input);
    }
    result_->spec_.condition_inputs.emplace(inputs.begin(), inputs.end());
  }

  // Wires as whole signals, by kind.
  struct Entering {
    std::size_t input, part, signal;
  };
  struct Leaving {
    std::size_t part, signal, output;
  };
  struct Passing {
    std::size_t input, output;
  };
  struct Opened {
    std::size_t part, signal, input;
  };

  std::span<const MatrixBlock> wires_;
  const Outside& outside_;
  std::unique_ptr<Composition> result_;
  std::vector<std::string> names_;
  std::vector<std::vector<Entry>> rows_, export_rows_;
  std::vector<DirectFeed> links_;
  std::vector<bool> timed_;  // parts whose outputs depend on time alone
  std::vector<Entering> entering_;
  std::vector<Leaving> leaving_;
  std::vector<Passing> passing_;
  std::vector<Opened> opened_;
  std::set<std::pair<std::size_t, std::size_t>> condition_inputs_;  // part and input
};

}  // namespace vernier::hybrid::detail

namespace vernier::hybrid {

std::unique_ptr<System> compose(std::vector<Part> parts, std::span<const MatrixBlock> wires,
                                const Outside& outside) {
  return detail::Composer(std::move(parts), wires, outside).composed();
}

}  // namespace vernier::hybrid
