/*
 * Project mode where there are no namespaces: Landlock bounds what is written, the filter the network and signals.
 *
 * What Landlock has no right for is asked here at each call: a mode or a time is set by this process, on a descriptor that
 * lies in the tree or the private temporary directory, and never by the command itself. What git obeys lies in the tree, so
 * Landlock lets it be written; calls that name it are refused. That guards against mistakes: a program that races its own
 * paths gets past it, and what it changed is found in the journal behind it.
 */
#include "calls.h"

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

/*
 * Files of a project that have another name outside it: whoever writes to one changes what lies outside (MO-9).
 *
 * Names are counted when the first file with several is about to be written to, by going through the tree once. From
 * inside no name can be made across the edge of the tree, which is a mount of its own, so what was found holds. The links by
 * which the store keeps earlier actions are counted as well: they are nobody's.
 */

enum { SLOTS = 1 << 20, MOST = SLOTS / 2, MAX_SCANS = 16, MAX_DEPTH = 1500, MAX_DEVICES = 32, ENTRIES = 1 << 15 };

static struct file {
  uint64_t dev, ino;
  uint32_t links, found;
} *files;
static uint32_t count;
static int scans, incomplete;
static uint64_t devices[MAX_DEVICES];
static int device_count;

static struct file *slot_of(const struct id *id) {
  uint64_t h = (id->dev ^ id->ino * 0x9E3779B97F4A7C15ull) * 0x9E3779B97F4A7C15ull;
  uint32_t at = (uint32_t)(h >> 40) & (SLOTS - 1);
  while (files[at].ino && (files[at].ino != id->ino || files[at].dev != id->dev)) at = (at + 1) & (SLOTS - 1);
  return &files[at];
}

static int is_known_device(uint64_t dev) {
  for (int i = 0; i < device_count; i++)
    if (devices[i] == dev) return 1;
  return 0;
}

static void add_name(const struct id *id, uint32_t links) {
  struct file *f = slot_of(id);
  if (!f->ino && count == MOST) {
    incomplete = 1; /* what has no place is found to be missing, and refused */
    return;
  }
  if (!f->ino) *f = (struct file){id->dev, id->ino, links, 0}, count++;
  f->found++;
}

/* Takes the descriptor. What can't be read is not counted: its files are taken as having a name elsewhere. */
static void go_through(int fd, int depth) {
  char *entries = fd < 0 ? NULL : arena(ENTRIES);
  struct id id;
  struct state state;
  if (entries && !look(fd, "", 0, &id, NULL) && !is_known_device(id.dev) && device_count < MAX_DEVICES) devices[device_count++] = id.dev;
  if (entries)
    for (long got; (got = syscall(SYS_getdents64, fd, entries, ENTRIES)) > 0;)
      for (long at = 0; at < got; at += *(const unsigned short *)(entries + at + 16)) {
        const char *name = entries + at + 19;
        unsigned char type = (unsigned char)entries[at + 18];
        if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
        if (type != 4 /* DT_DIR */) {
          if (look(fd, name, 0, &id, &state)) continue;
          if (!S_ISDIR(state.mode)) {
            if (state.links > 1) add_name(&id, state.links);
            continue;
          }
        }
        if (depth < MAX_DEPTH) go_through(openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), depth + 1);
      }
  if (entries) syscall(SYS_munmap, entries, ENTRIES);
  if (fd >= 0) close(fd);
}

/* The links of every action that is kept beside this one. */
static void go_through_store(int vault) {
  char *entries = arena(ENTRIES), path[NAME_BYTES + 3];
  int all = entries ? openat(vault, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  for (long got; all >= 0 && (got = syscall(SYS_getdents64, all, entries, ENTRIES)) > 0;)
    for (long at = 0; at < got; at += *(const unsigned short *)(entries + at + 16)) {
      if (entries[at + 19] == '.') continue;
      snprintf(path, sizeof path, "%s/l", entries + at + 19);
      go_through(openat(all, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0);
    }
  if (all >= 0) close(all);
  if (entries) syscall(SYS_munmap, entries, ENTRIES);
}

static int scan(const struct store *s) {
  if (files) syscall(SYS_munmap, files, sizeof *files * (uint64_t)SLOTS);
  files = arena(sizeof *files * (uint64_t)SLOTS);
  count = 0;
  device_count = incomplete = 0;
  scans++;
  if (!files) return -1;
  for (int i = 0; i < s->outside_count; i++)
    go_through(openat(s->outside[i].fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
  if (s->vault >= 0) go_through_store(s->vault);
  return 0;
}

int is_named_outside(const struct store *s, int directory, const char *name) {
  struct id id;
  struct state state;
  if (look(directory, name, 0, &id, &state) || S_ISDIR(state.mode) || state.links < 2) return 0;
  const struct file *f = files ? slot_of(&id) : NULL;
  /* Somebody outside may have made a name since. */
  if ((!f || !f->ino) && scans < MAX_SCANS) {
    if (scan(s)) return 1;
    f = slot_of(&id);
  }
  if (!f) return 1;
  /* Of a private temporary directory. */
  if (!f->ino) return is_known_device(id.dev);
  return f->found < f->links;
}

void named_again(int directory, const char *name) {
  struct id id;
  struct state state;
  if (!files || look(directory, name, 0, &id, &state) || S_ISDIR(state.mode) || state.links != 1) return;
  struct file *f = slot_of(&id);
  if (!f->ino && count == MOST) return;
  count += !f->ino;
  *f = (struct file){id.dev, id.ino, 1, 1};
}

int any_named_outside(const struct options *o) {
  struct store s = {.vault = -1};
  for (int i = 0; i < o->tree_count; i++, s.outside_count++)
    if ((s.outside[i].fd = open(o->trees[i], O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return 1;
  if (scan(&s) || incomplete) return 1;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (files[i].ino && files[i].found < files[i].links) return 1;
  return 0;
}
