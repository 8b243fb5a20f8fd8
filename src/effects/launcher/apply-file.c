/* How apply brings a single file, or a tree on another file system, to its place. */
#include "apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_TIME = (1 << 30) - 2 /* UTIME_OMIT */ };

/* Reads a file or directory of the trial as the node that is to be made, without the overlay's own marks. */
static int read_upper(int upper, const char *name, struct node *n) {
  static char all[MAX_TEXT], own[MAX_TEXT], target[4096];
  *n = (struct node){.attributes = own, .target = target};
  if (look(upper, name, 0, &n->id, &n->was)) return -1;
  const long length = S_ISLNK(n->was.mode) ? syscall(SYS_readlinkat, upper, name, target, sizeof target - 1) : 0;
  const long size = read_attributes(keeping, upper, name, all, sizeof all);
  if (length < 0 || size == -1) return -1;
  target[length] = 0;
  for (const char *at = all; at < all + size;) {
    uint32_t bytes;
    memcpy(&bytes, at + strlen(at) + 1, 4);
    bytes += (uint32_t)strlen(at) + 5;
    if (!is_private(at)) memcpy(own + n->attributes_size, at, bytes), n->attributes_size += bytes;
    at += bytes;
  }
  return 0;
}

static int set_state(int lower, const char *name, struct node *n) { return apply_state(lower, name, n) || n->flags & BARE ? -1 : 0; }

int copy_state(int upper, int lower, const char *name, const struct state *given) {
  struct id id;
  struct state now;
  struct node n;
  if (read_upper(upper, name, &n) || look(lower, name, 0, &id, &now) || keep_state(keeping, lower, name, XATTRS)) return -1;
  if (given) n.was = *given;
  if (S_ISDIR(now.mode) && geteuid() != 0 && now.uid != geteuid()) return 0; /* somebody else's, mostly /tmp */
  return set_state(lower, name, &n);
}

int set_mode(int lower, const char *name, const struct state *state) {
  char path[FD_PATH];
  struct id id;
  struct state now;
  path_in(lower, name, path);
  if (look(lower, name, 0, &id, &now)) return -1;
  if (((now.mode ^ state->mode) & 07777) == 0) return 0;
  return (int)syscall(SYS_fchmodat, AT_FDCWD, path, state->mode & 07777);
}

static int copy_plain(int upper, const char *name, int lower, const char *as) {
  struct node n;
  return read_upper(upper, name, &n) || make_file(&n, upper, name, lower, as) || n.flags & BARE ? -1 : 0;
}

int copy_over(int upper, int lower, const char *name, const struct view *v) {
  char near[32], number[12];
  snprintf(near, sizeof near, ".aish-apply-%s", decimal(++keeping->number, number));
  if (keep_name(keeping, lower, near, NULL)) return -1;
  if (!copy_plain(upper, name, lower, near) && !still(lower, name, &v->lower_id, &v->lower) && !syscall(SYS_renameat2, lower, near, lower, name, 0))
    return 0;
  const int why = errno;
  syscall(SYS_unlinkat, lower, near, 0);
  return errno = why, -1;
}

int copy_tree(int upper, int lower, const char *name) {
  struct names names;
  struct id id;
  struct state state;
  struct node n;
  if (look(upper, name, 0, &id, &state) || keep_name(keeping, lower, name, NULL)) return -1;
  if (!S_ISDIR(state.mode)) return copy_plain(upper, name, lower, name);
  if (syscall(SYS_mkdirat, lower, name, 0700)) return -1;
  int u = open_directory(upper, name), l = open_directory(lower, name);
  int failed = u < 0 || l < 0 || names_of(u, &names);
  if (!failed) {
    for EACH_NAME (inside, names) failed = failed || copy_tree(u, l, inside);
    names_drop(&names);
  }
  if (u >= 0) close(u);
  if (l >= 0) close(l);
  return failed || read_upper(upper, name, &n) ? -1 : set_state(lower, name, &n);
}

int loosen(int upper, const char *name, const struct state *now) {
  char path[FD_PATH];
  if ((now->mode & 0700) == 0700 || geteuid() == 0 || !S_ISDIR(now->mode)) return 0;
  path_in(upper, name, path);
  return (int)syscall(SYS_fchmodat, AT_FDCWD, path, 0700);
}

int settle_new(int upper, const char *name) {
  static char list[1 << 16];
  char path[FD_PATH];
  struct names names;
  struct id id;
  struct state s, child;
  if (look(upper, name, 0, &id, &s)) return -1;
  path_in(upper, name, path);
  long n = S_ISREG(s.mode) || S_ISDIR(s.mode) ? syscall(SYS_llistxattr, path, list, sizeof list) : 0;
  int marks = 0, closed = !S_ISDIR(s.mode) && !(s.mode & 0200) && geteuid() != 0;
  for (const char *item = list; item < list + n; item += strlen(item) + 1) {
    if (!is_private(item)) continue;
    /* Only a user who may write to the file can change its attributes. */
    if (!marks++ && closed && syscall(SYS_fchmodat, AT_FDCWD, path, (s.mode & 07777) | 0200)) return -1;
    if (syscall(SYS_lremovexattr, path, item)) return -1;
  }
  if (!S_ISDIR(s.mode)) return marks && closed ? (int)syscall(SYS_fchmodat, AT_FDCWD, path, s.mode & 07777) : 0;
  int fd = loosen(upper, name, &s) ? -1 : open_directory(upper, name);
  if (fd < 0 || names_of(fd, &names)) return fd < 0 ? -1 : (close(fd), -1);
  int failed = 0;
  for EACH_NAME (inside, names) {
    if (failed || (failed = look(fd, inside, 0, &id, &child))) break;
    if (S_ISCHR(child.mode) && child.rdev == 0) failed = (int)syscall(SYS_unlinkat, fd, inside, 0);
    else failed = keep_absent(keeping, fd, inside) || settle_new(fd, inside);
  }
  names_drop(&names);
  close(fd);
  /* Removing whiteouts has changed its time. */
  int64_t times[4] = {0, NO_TIME, s.mtime, s.mtime_ns};
  if (failed || syscall(SYS_utimensat, AT_FDCWD, path, times, 0)) return -1;
  return look(upper, name, 0, &id, &child) || ((child.mode ^ s.mode) & 07777 && syscall(SYS_fchmodat, AT_FDCWD, path, s.mode & 07777)) ? -1 : 0;
}
