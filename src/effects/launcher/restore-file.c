/* Restores a single file: its content, its state, or the whole file. */
#include "restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Order: owner, attributes, mode, times. A change of owner clears some attributes and mode bits, and without write
 * permission no attribute can be set. An attribute that can't be set does not stop the rest. An empty `name` means
 * the descriptor. */
int apply_state(int directory, const char *name, struct node *n) {
  char path[FD_PATH];
  struct id id;
  struct state now;
  path_in(directory, name, path);
  if (look(directory, name, 0, &id, &now)) return -1;
  int link = S_ISLNK(now.mode);
  if ((now.uid != n->was.uid || now.gid != n->was.gid) &&
      syscall(SYS_fchownat, directory, name, n->was.uid, n->was.gid, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
    return -1;
  if (!link && look(directory, name, 0, &id, &now)) return -1;
  const uint32_t writable = S_ISDIR(now.mode) ? 0700 : 0600;
  if (!link && n->attributes && geteuid() && (now.mode & writable) != writable && syscall(SYS_fchmodat, AT_FDCWD, path, (now.mode & 07777) | writable)) return -1;
  const int bare = link ? 0 : apply_attributes(directory, name, n);
  if (bare) n->flags |= BARE;
  const uint32_t mode = (bare == WITHOUT_LIST ? mode_without_list(n) : n->was.mode) & 07777;
  if (!link && look(directory, name, 0, &id, &now)) return -1;
  if (!link && (now.mode & 07777) != mode && syscall(SYS_fchmodat, AT_FDCWD, path, mode)) return -1;
  struct {
    int64_t s, ns;
  } times[2] = {{0, (1 << 30) - 2 /* UTIME_OMIT */}, {n->was.mtime, n->was.mtime_ns}};
  if (now.mtime == n->was.mtime && now.mtime_ns == n->was.mtime_ns) return 0;
  return (int)syscall(SYS_utimensat, link ? directory : AT_FDCWD, link ? name : path, times, link ? AT_SYMLINK_NOFOLLOW : 0);
}

/* Creates (directory, name), which must not exist, as `n` describes it; its content is that of (from, content). */
int make_file(struct node *n, int from, const char *content, int directory, const char *name) {
  const uint32_t kind = n->was.mode & S_IFMT;
  int failed = 0;
  if (kind == S_IFLNK && n->target) failed = (int)syscall(SYS_symlinkat, n->target, directory, name);
  else if (kind == S_IFIFO) failed = (int)syscall(SYS_mknodat, directory, name, S_IFIFO | 0600, 0);
  else if (kind != S_IFREG) return errno = ENODATA, -1;
  else {
    const int to = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const int in = n->was.size ? openat(from, content, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    failed = to < 0 || (n->was.size && (in < 0 || copy_data(keeping, in, to, n->was.size) || syscall(SYS_fsync, to)));
    close_quietly(in);
    close_quietly(to);
    const int why = errno;
    if (failed && to >= 0) syscall(SYS_unlinkat, directory, name, 0); /* a full disk has no room for a part of it */
    errno = why;
  }
  if (!failed && kind != S_IFLNK) drop_inherited(directory, name);
  return failed ? -1 : apply_state(directory, name, n);
}

/* Whether there is room for the content of `from` in place of the content of `to`. If that is unknown, yes. */
static int has_room(int from, int to) {
  enum { BLOCK_BYTES = 512 };
  struct stat old, now;
  long system[64] = {0};
  if (fstat(from, &old) || fstat(to, &now) || syscall(SYS_fstatfs, to, system)) return 1;
  const uint64_t needs = (uint64_t)old.st_blocks * BLOCK_BYTES, has = (uint64_t)now.st_blocks * BLOCK_BYTES;
  const uint64_t block = (uint64_t)system[1], free = block * (uint64_t)system[geteuid() ? 4 : 3];
  if (needs <= has || needs - has + block <= free) return 1;
  errno = ENOSPC;
  return 0;
}

/* Writes the old content into the existing inode, so that all of its other names have it too. The replaced content
 * has been kept, and is written back if there is no room for the old one. */
int fill_in_place(const struct node *n, int directory, const char *name) {
  char number[12];
  int to = openat(directory, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  int from = n->copy ? openat(undone->copies, decimal(n->copy, number), O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
  int failed = to < 0 || (n->copy && (from < 0 || !has_room(from, to)));
  if (!failed && (syscall(SYS_ftruncate, to, 0) || (n->copy && copy_data(keeping, from, to, n->was.size)))) {
    const int why = errno;
    const uint32_t its = keeping ? find_node(keeping, &n->is) : 0;
    const struct node *k = keeping ? &keeping->nodes[its] : NULL;
    const int before = its && k->copy ? openat(keeping->copies, decimal(k->copy, number), O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (before >= 0 && !syscall(SYS_ftruncate, to, 0)) copy_data(keeping, before, to, k->was.size);
    if (before >= 0) close(before);
    errno = why;
    failed = 1;
  }
  close_quietly(from);
  close_quietly(to);
  return failed ? -1 : 0;
}
