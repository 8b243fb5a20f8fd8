/*
 * Project mode where there are no namespaces: Landlock bounds what is written, the filter the network and signals.
 *
 * What Landlock has no right for is asked here at each call: a mode or a time is set by this process, on a descriptor that
 * lies in the tree or the private temporary directory, and never by the command itself. What git obeys lies in the tree, so
 * Landlock lets it be written; calls that name it are refused. That guards against mistakes: a program that races its own
 * paths gets past it, and what it changed is found in the journal behind it.
 */
#include "keep-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NR_FCHMODAT2 = 452, SET_ID = 06000 };

static int path_of_descriptor(int fd, char path[4096]) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4095);
  if (n <= 0) return -1;
  path[n] = 0;
  return 0;
}

int is_of_git(const struct store *s, const struct place *at, int moves) {
  char path[4096 + NAME_BYTES];
  if (path_of_descriptor(at->directory, path)) return 1;
  uint64_t n = strlen(path);
  snprintf(path + n, sizeof path - n, *at->name ? "/%s" : "%s", at->name);
  for (int i = 0; i < s->holds->tree_count; i++) {
    uint64_t top = strlen(s->holds->trees[i]);
    if (!is_below(path, s->holds->trees[i]) || strncmp(path + top, "/.git", 5)) continue;
    const char *rest = path + top + 5;
    struct id id;
    /* A repository may be made, not moved away. */
    if (!*rest) return moves && *at->name && look(at->directory, at->name, 0, &id, NULL) == 0;
    if (*rest++ != '/') continue;
    for (int k = 0; git_obeys[k]; k++)
      if (!strncmp(rest, git_obeys[k], strlen(git_obeys[k])) && (!rest[strlen(git_obeys[k])] || rest[strlen(git_obeys[k])] == '/')) return 1;
  }
  return 0;
}

/* What a call means, whatever becomes of its name. */
int target_of(const struct place *at) {
  if (*at->name) return openat(at->directory, at->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  return fcntl(at->directory, F_DUPFD_CLOEXEC, 0);
}

static int may_be_set(const struct store *s, int target) {
  char path[4096];
  if (path_of_descriptor(target, path)) return 0;
  for (int i = 0; i < s->holds->tree_count; i++)
    if (is_below(path, s->holds->trees[i])) return 1;
  return s->holds->tmp && is_below(path, s->holds->tmp);
}

/* The two times as the call has them, in seconds and nanoseconds; without a place for them, the present. */
static int times_of(pid_t pid, int nr, const uint64_t *a, int64_t times[4]) {
  const int64_t now = (1 << 30) - 1 /* UTIME_NOW */;
  uint64_t from = nr == __NR_utimensat ? a[2] : a[1];
#ifdef __NR_futimesat
  if (nr == __NR_futimesat) from = a[2];
#endif
  if (!from) return times[0] = times[2] = 0, times[1] = times[3] = now, 0;
#ifdef __NR_utime
  if (nr == __NR_utime) {
    int64_t both[2];
    if (read_memory(pid, from, both, sizeof both)) return -1;
    return times[0] = both[0], times[2] = both[1], times[1] = times[3] = 0, 0;
  }
#endif
  if (read_memory(pid, from, times, 4 * sizeof *times)) return -1;
  if (nr != __NR_utimensat) times[1] *= 1000, times[3] *= 1000;
  return 0;
}

/* The argument that names the user, before the one of the group; 0: the call sets no owner. */
static int owner_argument(int nr) {
  switch (nr) {
    case __NR_fchownat:
      return 2;
    case __NR_fchown:
#ifdef __NR_chown
    case __NR_chown:
    case __NR_lchown:
#endif
      return 1;
    default:
      return 0;
  }
}

int set_state(const struct store *s, pid_t pid, int nr, const uint64_t *a, int target) {
  char path[40];
  struct id id;
  struct state state;
  if (!may_be_set(s, target) || look(target, "", 0, &id, &state)) return errno = EPERM, -1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", target);
  int at = nr == __NR_fchmodat || nr == NR_FCHMODAT2, sets_mode = at || nr == __NR_fchmod;
#ifdef __NR_chmod
  sets_mode = sets_mode || nr == __NR_chmod;
#endif
  if (sets_mode) {
    uint32_t mode = (uint32_t)a[at ? 2 : 1];
    if (S_ISLNK(state.mode)) return errno = EOPNOTSUPP, -1;
    if (mode & SET_ID && !S_ISDIR(state.mode)) return errno = EPERM, -1;
    return (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
  }
  int owner = owner_argument(nr);
  if (owner) {
    uint32_t uid = (uint32_t)a[owner], gid = (uint32_t)a[owner + 1];
    /* Whoever copies a file with its owner mostly names the one it has. */
    return (uid == UINT32_MAX || uid == state.uid) && (gid == UINT32_MAX || gid == state.gid) ? 0 : (errno = EPERM, -1);
  }
  int64_t times[4];
  if (times_of(pid, nr, a, times)) return -1;
  if (S_ISLNK(state.mode)) return (int)syscall(SYS_utimensat, target, "", times, AT_EMPTY_PATH);
  return (int)syscall(SYS_utimensat, AT_FDCWD, path, times, 0);
}
