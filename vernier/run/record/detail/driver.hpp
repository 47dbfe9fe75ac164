#pragma once

#include <hdf5.h>

namespace vernier::record::hdf5 {

/// Makes `access` open files through HDF5's driver for ordinary files, with one difference: a write
/// of metadata is atomic, even when the process is killed in the middle of it.
///
/// The kernel copies a write page by page and checks for a fatal signal in between. A block of
/// metadata across a page boundary could stay half new and half old; its checksum would be wrong,
/// and all rows below it would be lost. Such a block is therefore first written to `journal`, a
/// file open for writing; -1 if nothing is written. Without `locks`, HDF5 does not lock the file.
void use_whole_writes(hid_t access, int journal, bool locks = true);

/// Completes the write that the journal of a killed writer holds, in `file`, and empties the
/// journal. An incomplete record is ignored: its write to the file had not begun. False when
/// writing fails.
bool finish_write(int journal, int file) noexcept;

}  // namespace vernier::record::hdf5
