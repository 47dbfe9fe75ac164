#pragma once

#include <hdf5.h>

namespace vernier::record::hdf5 {

/// Lets `access` open files through HDF5's driver for ordinary files, with one difference: a write
/// of metadata reaches the file as a whole, also when the process is killed in the middle of it.
///
/// The kernel copies a write page by page and looks for a deadly signal in between. A block of
/// metadata that lies over the edge of a page could stay half new and half old; its checksum would
/// be wrong, and all rows that it leads to would be lost. Such a block goes to `journal` first, a
/// file open for writing; -1 where nothing is written.
void use_whole_writes(hid_t access, int journal);

/// Writes to `file` what the journal of a killed writer holds, and empties the journal. A record
/// that was not completed is left out: its write to the file had not begun. False when writing
/// fails.
bool finish_write(int journal, int file) noexcept;

}  // namespace vernier::record::hdf5
