#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/gateway/federation/detail/octets.hpp"
#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

/// "updateAttributeValues" and its arguments as text, for reports of service invocations. An empty
/// service: not one of the standard.
struct Invocation {
  std::string service;
  std::vector<std::string> arguments, returned;
};
/// Describes a request, with the body of its answer if it was served, or a callback.
Invocation described(Kind, Bytes frame, Bytes answer = {});
/// The service group as the MIM numbers it.
std::uint32_t service_group(std::string_view service) noexcept;

/// The Management Object Model of a federation (IEEE 1516.1-2010, section 11, as the MIM declares
/// it): instances of HLAfederation and HLAfederate with live values, and the interactions below
/// HLAmanager: reports on request, adjustments, services on behalf of a federate.
///
/// Values marked conditional are sent when they have changed, at the next catch_up(); periodic ones
/// every report period, if one was set, at the next pulse(); all of them on request. Whatever the
/// federation's MIM does not declare is left out.
class Mom final : public Observer {
 public:
  explicit Mom(Federation&);
  ~Mom() override;

  void joined(Federate&) override;
  void resigning(Federate&, std::string_view lost) override;
  void resigned(Handle federate) override;
  void invoked(Federate&, Kind, Bytes frame, Bytes answer, const Refusal* refused) override;
  void invoked(Federate&, const ReportInvocation&) override;
  void called(const Federate&, const Frame&) override;
  void received(Federate& from, Handle interaction_class, const Values&) override;
  void provide(Instance&, const Numbers& attributes) override;
  void changed() override;
  void restored() override;
  void catch_up() override;
  void pulse(std::chrono::steady_clock::time_point now) override;

 private:
  using Clock = std::chrono::steady_clock;

  /// What the MOM knows about a federate, in addition to the federation.
  struct Watched {
    Handle object = 0;                      // its HLAfederate instance
    Handle region = 0, service_region = 0;  // in dimension Federate; and also in ServiceGroup
    bool dirty = false;                     // has changed since values were last sent
    std::map<Handle, Blob> last;            // conditional values as last sent
    Clock::duration period{};               // of reports; 0: none
    Clock::time_point next{};               // report
    Clock::time_point since{};              // start of its current time state
    bool advancing = false;                 // its time state
    Clock::duration granted{}, advanced{};  // time spent in each state since the last report
    std::uint32_t invocations = 0;
  };
  /// What a value is computed from.
  struct Subject {
    const Mom& mom;
    const Federate* federate;  // null: the federation itself
    Watched* watched;
    TimeManager::Report time;
  };
  using Encode = void (*)(const Subject&, detail::Octets&);
  enum class Update : std::uint8_t { fixed, conditional, periodic };
  struct Attribute {
    Handle handle = 0;
    Encode encode = nullptr;
    Update update{};
  };
  /// A received interaction.
  struct Call {
    Mom& mom;
    Federate& from;
    Handle interaction_class = 0;
    std::map<Handle, Bytes> parameters;
    Federate* target = nullptr;  // for interactions below HLAfederate

    bool has(std::string_view name) const;
    /// The value of a parameter, read by a member of OctetReader. Throws WrongParameter.
    template <class Read>
    auto get(std::string_view name, Read read) const {
      detail::OctetReader r(value(name));
      auto found = (r.*read)();
      if (!r.complete()) wrong(name);
      return found;
    }
    Bytes value(std::string_view name) const;
    [[noreturn]] void wrong(std::string_view name) const;
  };
  using Act = void (*)(Call&);
  /// A parameter that is missing or not a value of its type.
  struct WrongParameter {
    std::string text;
  };
  using Named = std::vector<std::pair<std::string_view, Blob>>;

  struct Entry {
    std::string_view name;
    Encode encode;
    Update update;
  };
  static const std::vector<Entry>& federate_entries();
  static const std::vector<Entry>& federation_entries();
  static const std::map<std::string_view, Act>& adjustments();
  static const std::map<std::string_view, Act>& requests();
  static const std::map<std::string_view, Act>& services();

  void bind();
  Watched* watched(Handle federate) noexcept;
  void add_federate(Federate&);
  void time_changed(Handle federate);
  /// Sends the values of these attributes (ascending); with `only_changed`, those that differ from
  /// the last sent.
  void update(Instance&, const Federate*, const Numbers& attributes, bool only_changed);
  void update_changed(Handle object, const Federate*);
  const Attribute* attribute(const Federate*, Handle) const noexcept;
  const Federate* federate_of(const Instance&) const noexcept;
  bool wanted(const Instance&, Handle attribute) const noexcept;
  static Clock::duration spent(Watched&, bool advancing);
  void find_places(const Instance&);

  /// Sends an interaction of the RTI, given by its path below HLAmanager.
  void report(std::string_view path, const Named&, const Numbers& regions = {});
  void report_federate(std::string_view name, const Federate&, Named);
  void report_invocation(const Federate&, const Invocation&, Failure, const std::string& text);
  void report_mom_exception(const Federate&, std::string_view service, const std::string& what,
                            bool parameter);
  void report_counts(const Federate&, std::string_view name, std::string_view parameter,
                     const std::map<Handle, std::uint64_t>&, std::string_view transportation = {});
  void report_tally(const Federate&, std::string_view name, std::string_view parameter,
                    const Tally&, std::size_t classes);
  void report_publications(const Federate&);
  void report_subscriptions(const Federate&);
  void report_instance(const Federate&, Handle instance);
  std::map<Handle, std::uint64_t> deletable(const Federate&) const;
  std::map<Handle, std::uint64_t> instances_of(const Federate&, bool Known::*which) const;

  Federation& federation_;
  Handle federate_class_ = 0, federation_class_ = 0;
  Handle privilege_ = 0;
  Handle federate_dimension_ = 0, group_dimension_ = 0;
  std::vector<Attribute> federate_attributes_, federation_attributes_;  // by handle, ascending
  std::map<Handle, Act> acts_;                                          // by interaction class
  std::map<Handle, Watched> watched_;
  Watched federation_watched_;
  struct Lost {
    Handle federate = 0;
    std::string name, why;
    std::optional<Stamp> time;
  };
  std::optional<Lost> lost_;                     // set from resigning() to resigned()
  std::vector<std::pair<Handle, Frame>> calls_;  // callbacks to report after the current service
  std::vector<std::size_t> time_places_;  // of HLAfederate: the attributes that change with time
};

}  // namespace vernier::federation
