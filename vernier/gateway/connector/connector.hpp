#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/native_code.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/component/parameters.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/channel/channel.hpp"

namespace vernier::connector {

/// An I/O connector document (formats/connector) as data.
struct Connector {
  std::string name;
  std::string description;
  std::string adapter;  // csv, lines, link, plugin, rsp-client, rsp-server, shared
  std::filesystem::path file;
  channel::Channels channels;
  std::vector<std::string> bodies;  // of rsp
  ParameterValues parameters;       // as written, with their places
  Place place;                      // of the name
};

/// Called before a connector blocks, with what it waits for ("waiting for \"plant\" at
/// 127.0.0.1:4711 (30 s)").
using Notice = std::function<void(const std::string&)>;

/// What connectors may do, and whom they tell.
struct Surroundings {
  Notice notice = {};
  /// Loads plug-ins; without it, or if it loads none, their components are NotLoaded.
  std::shared_ptr<NativeCode> code = {};
  /// Folders in which files may be written, besides that of the run; none: nothing is run, so every
  /// folder is possible.
  std::optional<std::vector<std::filesystem::path>> writable = {};
};

/// The grammar of the document.
document::Grammar grammar() noexcept;

/// Reads and checks a document; all problems go into `problems`. Nothing if it has errors.
std::optional<Connector> read_connector(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; `name` stands for the file in messages.
std::optional<Connector> parse_connector(std::string content, const std::filesystem::path& name,
                                         Diagnostics& problems);

/// A type whose parameters are those of the adapter, with the values of the document as defaults.
Type type_of(const Connector&, Surroundings = {});

/// Registers connector documents with the catalogue, so that compositions can refer to them.
void add_connectors(Catalogue&, Surroundings = {});

}  // namespace vernier::connector
