#include "vernier/rti1516e/ambassador.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;
using namespace std::chrono_literals;

/// A number of seconds from the federate as a duration; NaN counts as zero.
RtiTransport::Clock::duration span_of_seconds(double s) {
  return std::chrono::duration_cast<RtiTransport::Clock::duration>(
      std::chrono::duration<double>(s > 0.0 ? std::min(s, 1e6) : 0.0));
}

}  // namespace

VernierAmbassador::VernierAmbassador(Connect connect) : connect_(std::move(connect)) {
  link_.on_news = [this](Kind kind, Bytes frame) {
    if (kind == Kind::reporting) {
      wire::Reporting r;
      if (!wire::read(frame, r)) return false;
      if (member_)
        member_->reports_services = r.services, member_->reports_exceptions = r.exceptions;
      return true;
    }
    wire::Tables t;
    return wire::read(frame, t) && (!member_ || member_->fom.load(t.tables));
  };
}

VernierAmbassador::~VernierAmbassador() {
  Lock lock(mutex_);
  stop_delivering(lock);
  link_.close(lock);
}

void VernierAmbassador::connect(FederateAmbassador& federate, CallbackModel model,
                                const std::wstring& designator) {
  Lock lock(mutex_);
  require_outside_callback();
  if (connected_) raise(Failure::AlreadyConnected, "the federate is connected already");
  if (model != HLA_EVOKED && model != HLA_IMMEDIATE)
    raise(Failure::UnsupportedCallbackModel, "there is no such callback model");
  const wire::Designator where = wire::parsed_designator(narrow(designator));
  if (!where.error.empty()) raise(Failure::InvalidLocalSettingsDesignator, where.error);
  // clean up after a connection that was lost
  stop_delivering(lock);
  link_.close(lock);
  std::string why;
  std::unique_ptr<RtiTransport> channel = connect_(where, why);
  if (!channel) raise(Failure::ConnectionFailed, why);
  link_.open(std::move(channel));
  courier_.serve(federate);
  model_ = model;
  connected_ = callbacks_enabled_ = true;
  member_.reset();
  if (model == HLA_IMMEDIATE) thread_ = std::thread([this] { deliver_immediately(); });
}

void VernierAmbassador::disconnect() {
  Lock lock(mutex_);
  require_outside_callback();
  if (connected_ && member_ && !link_.is_lost())
    raise(Failure::FederateIsExecutionMember, "the federate has to resign first");
  stop_delivering(lock);
  link_.close(lock);
  connected_ = false;
  member_.reset();
}

void VernierAmbassador::stop_delivering(Lock& lock) {
  if (!thread_.joinable()) return;
  stopping_ = true;
  std::thread ending = std::move(thread_);
  while (stopping_) {
    link_.wake();
    link_.idle(lock, Clock::now() + 1ms);
  }
  lock.unlock();
  ending.join();
  lock.lock();
}

void VernierAmbassador::require_connection() const {
  if (!connected_) raise(Failure::NotConnected, "the federate is not connected to an RTI");
  if (link_.is_lost()) raise(Failure::NotConnected, link_.why_lost());
}

JoinedFederate& VernierAmbassador::member() const {
  require_connection();
  if (!member_)
    raise(Failure::FederateNotExecutionMember, "the federate has not joined a federation");
  return *member_;
}

JoinedFederate& VernierAmbassador::active() const {
  JoinedFederate& m = member();
  if (m.saving != Saving::no) raise(Failure::SaveInProgress, "a save is in progress");
  if (m.restoring != Restoring::no) raise(Failure::RestoreInProgress, "a restore is in progress");
  return m;
}

void VernierAmbassador::require_outside_callback() const {
  if (within_callback())
    raise(Failure::CallNotAllowedFromWithinCallback, "a callback must not call this service");
}

void VernierAmbassador::await(Lock& lock, std::uint32_t sequence,
                              const std::function<bool(Bytes)>& read, bool holds) try {
  link_.await(lock, sequence, read, holds);
} catch (const FederateNotExecutionMember&) {
  member_.reset();
  link_.forget_callbacks();
  throw;
}

// ---- service reports of the Management Object Model

VernierAmbassador::Service::Service(VernierAmbassador& of, const char* name,
                                    std::initializer_list<Argument> arguments)
    : Lock(of.mutex_), of_(of), name_(name) {
  const JoinedFederate* m = of.member_.get();
  if (!m || (!m->reports_services && !m->reports_exceptions)) return;
  watch_ = std::make_unique<Watch>(Watch{.arguments = arguments,
                                         .returned = {},
                                         .raised = {},
                                         .outer = noted,
                                         .exceptions = std::uncaught_exceptions()});
  noted = &watch_->raised;
}

VernierAmbassador::Service::~Service() {
  if (watch_) report();
}

void VernierAmbassador::Service::report() noexcept try {
  noted = watch_->outer;
  const JoinedFederate* m = of_.member_.get();
  if (!m || of_.link_.is_lost() || !owns_lock()) return;
  const bool failed = std::uncaught_exceptions() > watch_->exceptions;
  const Raised& why = watch_->raised;
  // The RTI has already reported the requests that it refused or served.
  if (failed ? why.failure == wire::Failure::none : asked_ || !m->reports_services) return;
  wire::ReportInvocation r{.service = name_};
  if (failed) {
    r.failure = why.failure;
    r.text = why.text;
  } else {
    r.returned = watch_->returned;
  }
  if (m->reports_services)
    for (const Argument& a : watch_->arguments) r.arguments.push_back(a.told());
  wire::write(of_.link_.empty_frame(), r);
  of_.link_.post(true);
} catch (...) {
  // the connection is lost, or memory is exhausted: the report cannot be sent
}

// ---- callbacks (10.41 to 10.44)

bool VernierAmbassador::deliverable() const noexcept {
  return callbacks_enabled_ && delivering_ == std::thread::id() &&
         (link_.has_next() || (connected_ && link_.is_lost()));
}

void VernierAmbassador::deliver(Lock& lock) {
  delivering_ = std::this_thread::get_id();
  if (link_.has_next()) {
    const bool joined = member_ != nullptr;
    if (!courier_.deliver(lock, link_.next(), member_))
      link_.lose("the RTI said something that cannot be read");
    if (joined && !member_) link_.forget_callbacks();
    link_.pop();
  } else {
    connected_ = false;
    member_.reset();
    courier_.tell_loss(lock, link_.why_lost());
  }
  delivering_ = {};
}

void VernierAmbassador::wait_for_callback(Lock& lock, Clock::time_point until) {
  // While callbacks are disabled nothing is received: senders block, instead of memory growing
  // here.
  if (callbacks_enabled_ && !link_.is_lost())
    link_.receive(lock, until);
  else
    link_.idle(lock, until);
}

void VernierAmbassador::deliver_immediately() {
  Service lock(*this, __func__, {});
  while (!stopping_) {
    if (deliverable())
      deliver(lock);
    else
      wait_for_callback(lock, Clock::now() + 10s);
  }
  stopping_ = false;
  link_.wake();
}

bool VernierAmbassador::evokeCallback(double minimum) {
  Lock lock(mutex_);
  require_outside_callback();
  if (!connected_) raise(Failure::RTIinternalError, "the federate is not connected to an RTI");
  if (model_ == HLA_IMMEDIATE) return false;
  if (!deliverable()) {
    const Clock::time_point until = Clock::now() + span_of_seconds(minimum);
    do {
      wait_for_callback(lock, until);
    } while (!deliverable() && connected_ && Clock::now() < until);
  }
  if (deliverable()) deliver(lock);
  return deliverable();
}

bool VernierAmbassador::evokeMultipleCallbacks(double minimum, double maximum) {
  Lock lock(mutex_);
  require_outside_callback();
  if (!connected_) raise(Failure::RTIinternalError, "the federate is not connected to an RTI");
  if (model_ == HLA_IMMEDIATE) return false;
  const Clock::time_point begin = Clock::now();
  const Clock::time_point least = begin + span_of_seconds(minimum);
  const Clock::time_point most = std::max(least, begin + span_of_seconds(maximum));
  bool any = false;
  do {
    if (deliverable()) {
      deliver(lock);
      any = true;
    } else {
      wait_for_callback(lock, least);
    }
  } while (connected_ &&
           ((deliverable() && !any) || Clock::now() < (deliverable() ? most : least)));
  return deliverable();
}

void VernierAmbassador::enableCallbacks() {
  Lock lock(mutex_);
  if (member_) active();
  callbacks_enabled_ = true;
  link_.wake();
}

void VernierAmbassador::disableCallbacks() {
  Lock lock(mutex_);
  if (member_) active();
  callbacks_enabled_ = false;
  link_.wake();
}

}  // namespace vernier::hla
