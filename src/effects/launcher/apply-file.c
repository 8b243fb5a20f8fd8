/* What apply does to a single file, and to a tree on another file system. */
#include "apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_TIME = (1 << 30) - 2 /* UTIME_OMIT */ };

/* `follow`: the paths are those of descriptors. */
static int set_attributes(const char *from, const char *to, int follow) {
  static char list[1 << 16], old[1 << 16], value[1 << 16];
  const long list_call = follow ? SYS_listxattr : SYS_llistxattr;
  long n = syscall(list_call, from, list, sizeof list), m = syscall(list_call, to, old, sizeof old);
  for (const char *item = old; item < old + m; item += strlen(item) + 1) {
    int stays = is_private(item) || !strncmp(item, "security.", 9);
    for (const char *other = list; !stays && other < list + n; other += strlen(other) + 1) stays = !strcmp(item, other);
    if (!stays && syscall(follow ? SYS_removexattr : SYS_lremovexattr, to, item)) return -1;
  }
  for (const char *item = list; item < list + n; item += strlen(item) + 1) {
    if (is_private(item)) continue;
    long size = syscall(follow ? SYS_getxattr : SYS_lgetxattr, from, item, value, sizeof value);
    if (size >= 0 && syscall(follow ? SYS_setxattr : SYS_lsetxattr, to, item, value, size, 0) && strncmp(item, "security.", 9)) return -1;
  }
  return 0;
}

/* Mode, owner, attributes, times: owner before mode, since it clears bits of it; times last. */
int copy_state(int upper, int lower, const char *name, const struct state *given) {
  char from[FD_PATH], to[FD_PATH];
  struct id id;
  struct state is, now;
  path_in(upper, name, from);
  path_in(lower, name, to);
  if (look(upper, name, 0, &id, &is) || look(lower, name, 0, &id, &now) || keep_state(&applied, lower, name, XATTRS)) return -1;
  if (given) is = *given;
  if (S_ISDIR(now.mode) && geteuid() != 0 && now.uid != geteuid()) return 0; /* somebody else's, /tmp mostly: not ours to set */
  const int link = S_ISLNK(is.mode);
  if ((is.uid != now.uid || is.gid != now.gid) && syscall(SYS_fchownat, lower, name, is.uid, is.gid, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) return -1;
  if (!link && set_mode(lower, name, &is)) return -1;
  if (!link && set_attributes(from, to, !*name)) return -1;
  if (look(lower, name, 0, &id, &now)) return -1;
  int64_t times[4] = {0, NO_TIME, is.mtime, is.mtime_ns};
  if (is.mtime == now.mtime && is.mtime_ns == now.mtime_ns) return 0;
  return (int)syscall(SYS_utimensat, link ? lower : AT_FDCWD, link ? name : to, times, link ? AT_SYMLINK_NOFOLLOW : 0);
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

static int copy_file(int upper, int to, const char *name) {
  struct id id;
  struct state state;
  int from = openat(upper, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int failed = from < 0 || look(from, "", 0, &id, &state) || syscall(SYS_ftruncate, to, 0) || copy_data(&applied, from, to, state.size) || syscall(SYS_fsync, to);
  close_quietly(from);
  return failed ? -1 : 0;
}

static int copy_plain(int upper, const char *name, int lower, const char *as) {
  char target[4096];
  struct id id;
  struct state s;
  if (look(upper, name, 0, &id, &s)) return -1;
  if (S_ISLNK(s.mode)) {
    long n = syscall(SYS_readlinkat, upper, name, target, sizeof target - 1);
    if (n < 0) return -1;
    target[n] = 0;
    return (int)syscall(SYS_symlinkat, target, lower, as);
  }
  if (S_ISFIFO(s.mode)) return (int)syscall(SYS_mknodat, lower, as, S_IFIFO | 0600, 0);
  if (!S_ISREG(s.mode)) return errno = EOPNOTSUPP, -1;
  int to = openat(lower, as, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  int failed = to < 0 || copy_file(upper, to, name);
  int why = errno;
  if (to >= 0) close(to);
  if (to >= 0 && failed) syscall(SYS_unlinkat, lower, as, 0); /* a full disk has no room for half of it */
  errno = why;
  return failed ? -1 : 0;
}

/* Of a state that is no file of ours yet: copy_state works on one name in two directories. */
static int finish_copy(int upper, const char *name, int lower, const char *as) {
  char from[FD_PATH], to[FD_PATH];
  struct id id;
  struct state s;
  path_in(upper, name, from);
  path_in(lower, as, to);
  if (look(upper, name, 0, &id, &s)) return -1;
  const int link = S_ISLNK(s.mode);
  int64_t times[4] = {0, NO_TIME, s.mtime, s.mtime_ns};
  if (syscall(SYS_fchownat, lower, as, s.uid, s.gid, AT_SYMLINK_NOFOLLOW) && geteuid() == 0) return -1;
  if (!link && (set_attributes(from, to, 0) || set_mode(lower, as, &s))) return -1;
  return (int)syscall(SYS_utimensat, lower, as, times, AT_SYMLINK_NOFOLLOW);
}

int copy_over(int upper, int lower, const char *name, const struct view *v) {
  char near[32], number[12];
  snprintf(near, sizeof near, ".aish-apply-%s", decimal(++applied.number, number));
  if (keep_name(&applied, lower, near, NULL) || copy_plain(upper, name, lower, near)) return -1;
  if (finish_copy(upper, name, lower, near) || still(lower, name, &v->lower_id, &v->lower) || syscall(SYS_renameat2, lower, near, lower, name, 0)) {
    int why = errno;
    syscall(SYS_unlinkat, lower, near, 0);
    errno = why;
    return -1;
  }
  return 0;
}

int copy_tree(int upper, int lower, const char *name) {
  struct names names;
  struct id id;
  struct state state;
  if (look(upper, name, 0, &id, &state) || keep_name(&applied, lower, name, NULL)) return -1;
  if (!S_ISDIR(state.mode)) return copy_plain(upper, name, lower, name) || finish_copy(upper, name, lower, name) ? -1 : 0;
  if (syscall(SYS_mkdirat, lower, name, 0700)) return -1;
  int u = open_directory(upper, name), l = open_directory(lower, name);
  int failed = u < 0 || l < 0 || names_of(u, &names);
  if (!failed) {
    for EACH_NAME (inside, names) failed = failed || copy_tree(u, l, inside);
    names_drop(&names);
  }
  if (u >= 0) close(u);
  if (l >= 0) close(l);
  return failed || finish_copy(upper, name, lower, name) ? -1 : 0;
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
    /* Its attributes are changed only by who may write to it. */
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
    else failed = keep_absent(&applied, fd, inside) || settle_new(fd, inside);
  }
  names_drop(&names);
  close(fd);
  /* Taking whiteouts away changed its time. */
  int64_t times[4] = {0, NO_TIME, s.mtime, s.mtime_ns};
  if (failed || syscall(SYS_utimensat, AT_FDCWD, path, times, 0)) return -1;
  return look(upper, name, 0, &id, &child) || ((child.mode ^ s.mode) & 07777 && syscall(SYS_fchmodat, AT_FDCWD, path, s.mode & 07777)) ? -1 : 0;
}
