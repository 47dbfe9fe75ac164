#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/net/address.hpp"
#include "vernier/run/compose/requests.hpp"

namespace vernier::desktop {

/// A mission or an example that the page offers.
struct Offered {
  std::string name;   // "aausat2"
  std::string title;  // one line
  std::filesystem::path document;
  bool mission = false;
  std::string_view picture = {};  // WebP, see formats/desktop; must outlive the desktop
};

struct Settings {
  net::Address listen = {"127.0.0.1", "0"};       // port 0: any that is free
  std::string certificate = {}, key = {};         // PEM files; empty: no TLS
  bool read_only = false;                         // nobody controls
  std::filesystem::path runs = "runs";            // where they are, and are made
  std::filesystem::path document = {}, run = {};  // what the page begins with; one or none
  bool demo = false;
  std::vector<Offered> offered = {};
  std::string_view page = {};  // the pack; must outlive the desktop
  std::string version = {};
  compose::Workplace editing = {};  // its catalogue and its folder are those of the desktop
  std::filesystem::path program = "/proc/self/exe";  // that runs documents
};

/// The server of the web desktop: one page and the protocol of formats/desktop. The folder in which
/// the process was started is what it shows.
class Desktop {
 public:
  /// Listens from now on. The catalogue loads no native code and must outlive it. Throws
  /// ConfigurationError (V8101, V8105, V8110).
  Desktop(Settings, const Catalogue&);
  ~Desktop();
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;

  /// The address of the page with its token; empty: nobody controls.
  std::string address() const;
  /// The same for a browser that this program opens: other users may see its command line, so the
  /// token in it opens the page only once. Empty: nobody controls.
  std::string first_address() const;
  /// For those who only watch.
  std::string watch_address() const;

  /// Until stop().
  void serve();
  /// From any thread or signal handler.
  void stop() noexcept;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace vernier::desktop
