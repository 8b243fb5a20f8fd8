/* The content of a file into another, holes and all. */
#include "store.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIECE = 1 << 26 };

struct store *copying_for;

static uint64_t piece(uint64_t size) { return size < PIECE ? size : PIECE; }

int copy_data(int from, int to, uint64_t size) {
  static char buffer[1 << 16];
  if (syscall(SYS_ftruncate, to, size)) return -1;
  for (uint64_t at = 0; at < size;) {
    long data = syscall(SYS_lseek, from, at, 3 /* SEEK_DATA */);
    if (data < 0 && errno == ENXIO) return 0; /* a hole to the end */
    if (data < 0) data = (long)at;
    long hole = syscall(SYS_lseek, from, data, 4 /* SEEK_HOLE */);
    uint64_t end = hole < 0 || (uint64_t)hole > size ? size : (uint64_t)hole;
    long in = data, out = data;
    while ((uint64_t)in < end) {
      long got = syscall(SYS_copy_file_range, from, &in, to, &out, piece(end - (uint64_t)in), 0);
      if (got > 0) {
        if (copying_for) syscall(SYS_utimensat, copying_for->journal, NULL, NULL, 0);
        continue;
      }
      if (got < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)) return -1;
      uint64_t want = end - (uint64_t)in < sizeof buffer ? end - (uint64_t)in : sizeof buffer;
      got = syscall(SYS_pread64, from, buffer, want, in);
      if (got < 0) return -1;
      if (got == 0) return 0; /* it became shorter meanwhile */
      long put = syscall(SYS_pwrite64, to, buffer, got, in);
      if (put != got) return put < 0 ? -1 : (errno = ENOSPC, -1);
      in += got;
      out = in;
    }
    at = end;
  }
  return 0;
}
