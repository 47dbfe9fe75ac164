#include "vernier/run/exchange/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "vernier/base/require.hpp"

namespace vernier::exchange {
namespace {

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version, nodes;
  std::uint64_t ring_bytes;
};
constexpr std::array<char, 8> memory_magic{'V', 'R', 'N', 'E', 'X', 'C', '\r', '\n'};
constexpr std::uint32_t version = 1;
constexpr std::size_t page = 4096;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// Where the parts of the memory are.
struct Layout {
  std::size_t seats = 64, rings, bytes, end;
  Layout(std::uint32_t nodes, std::size_t ring_bytes) noexcept {
    const std::size_t pairs = std::size_t{nodes} * nodes;
    rings = seats + nodes * sizeof(SharedMemory::Seat);
    bytes = (rings + pairs * sizeof(SharedMemory::Ring) + page - 1) / page * page;
    end = bytes + pairs * ring_bytes;
  }
};

std::string system_error() { return std::generic_category().message(errno); }

bool sensible(std::uint32_t nodes, std::size_t ring_bytes) noexcept {
  return nodes >= 1 && nodes <= SharedMemory::most_nodes && std::has_single_bit(ring_bytes) &&
         ring_bytes >= SharedMemory::least_ring && ring_bytes <= SharedMemory::most_ring;
}

/// All else is zero, as a new file is.
bool filled(const Descriptor& file, std::uint32_t nodes, std::size_t ring_bytes) noexcept {
  const Header h{memory_magic, version, nodes, ring_bytes};
  return ftruncate(file.get(), static_cast<off_t>(Layout(nodes, ring_bytes).end)) == 0 &&
         pwrite(file.get(), &h, sizeof h, 0) == sizeof h;
}

struct flock seat_lock(std::uint32_t node) noexcept {
  struct flock l {};
  l.l_type = F_WRLCK;
  l.l_whence = SEEK_SET;
  l.l_start = node;
  l.l_len = 1;
  return l;
}

}  // namespace

Result<Descriptor, std::string> made_memory(std::uint32_t nodes, std::size_t ring_bytes) {
  require(sensible(nodes, ring_bytes));
  Descriptor file(memfd_create("vernier-exchange", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || !filled(file, nodes, ring_bytes) ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return Failure{system_error()};
  return file;
}

Result<Descriptor, std::string> made_memory_at(const std::filesystem::path& path,
                                               std::uint32_t nodes, std::size_t ring_bytes) {
  require(sensible(nodes, ring_bytes));
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file || !filled(file, nodes, ring_bytes)) return Failure{system_error()};
  return file;
}

Result<Descriptor, std::string> opened_memory(const std::filesystem::path& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) return Failure{system_error()};
  return file;
}

SharedMemory::SharedMemory(SharedMemory&& o) noexcept { *this = std::move(o); }

SharedMemory& SharedMemory::operator=(SharedMemory&& o) noexcept {
  leave();
  file_ = std::move(o.file_);
  memory_ = std::exchange(o.memory_, nullptr);
  size_ = o.size_;
  ring_bytes_ = o.ring_bytes_;
  nodes_ = o.nodes_;
  self_ = o.self_;
  seats_ = o.seats_;
  rings_ = o.rings_;
  return *this;
}

SharedMemory::~SharedMemory() { leave(); }

void SharedMemory::leave() noexcept {
  if (memory_) munmap(memory_, size_);
  memory_ = nullptr;
}

Result<SharedMemory, std::string> SharedMemory::seated(std::uint32_t self,
                                                       const Descriptor& memory) {
  SharedMemory m;
  const std::string why = m.map(self, memory);
  if (!why.empty()) return Failure{why};
  return m;
}

/// Empty: it is mapped, and the seat is taken.
std::string SharedMemory::map(std::uint32_t self, const Descriptor& memory) {
  // an open file of our own, since locks belong to open files: nodes may share a process
  const std::string name = "/proc/self/fd/" + std::to_string(memory.get());
  file_ = Descriptor(open(name.c_str(), O_RDWR | O_CLOEXEC));
  Header h{};
  struct stat about {};
  if (!file_ || fstat(file_.get(), &about) != 0) return system_error();
  if (pread(file_.get(), &h, sizeof h, 0) != sizeof h || h.magic != memory_magic)
    return "this is not memory of an exchange";
  if (h.version != version)
    return "the memory has version " + std::to_string(h.version) + ", this program uses " +
           std::to_string(version);
  if (!sensible(h.nodes, h.ring_bytes) ||
      static_cast<std::uint64_t>(about.st_size) != Layout(h.nodes, h.ring_bytes).end)
    return "the memory is damaged";
  if (self >= h.nodes)
    return "the memory is for " + std::to_string(h.nodes) + " nodes, from 0; there is no node " +
           std::to_string(self);
  struct flock lock = seat_lock(self);
  if (fcntl(file_.get(), F_OFD_SETLK, &lock) != 0)
    return "another process is node " + std::to_string(self);

  const Layout at(h.nodes, h.ring_bytes);
  void* const where = mmap(nullptr, at.end, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (where == MAP_FAILED) return system_error();
  memory_ = static_cast<std::byte*>(where);
  size_ = at.end;
  ring_bytes_ = h.ring_bytes;
  nodes_ = h.nodes;
  self_ = self;
  seats_ = reinterpret_cast<Seat*>(memory_ + at.seats);
  rings_ = reinterpret_cast<Ring*>(memory_ + at.rings);
  std::uint32_t not_yet = 0;
  if (!seat(self).present.compare_exchange_strong(not_yet, 1))
    return "node " + std::to_string(self) + " has used this memory before";
  return {};
}

SharedMemory::Ring& SharedMemory::ring(std::uint32_t from, std::uint32_t to) const noexcept {
  return rings_[std::size_t{from} * nodes_ + to];
}

std::span<std::byte> SharedMemory::bytes(std::uint32_t from, std::uint32_t to) const noexcept {
  const std::size_t first = size_ - std::size_t{nodes_} * nodes_ * ring_bytes_;
  return {memory_ + first + (std::size_t{from} * nodes_ + to) * ring_bytes_, ring_bytes_};
}

bool SharedMemory::died(std::uint32_t node) const noexcept {
  if (seat(node).present.load() != 1) return false;
  struct flock lock = seat_lock(node);
  // the system removes the lock of a process that ends, however it ends
  return fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK &&
         seat(node).present.load() == 1;
}

}  // namespace vernier::exchange
