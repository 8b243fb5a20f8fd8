/*
 * What Project mode refuses although it lies in the project: files with a name outside it, and without namespaces the
 * files that make git run programs.
 *
 * A write to a file with several names changes what is outside too. Names are counted by going through the tree once,
 * when the first such file is about to be written to. A command can't make a name across the edge of the tree, which is
 * a mount of its own, so the count stays true. Links by which the store keeps earlier actions count as inside: nobody
 * else uses them.
 *
 * Without namespaces, Landlock bounds writing, and the filter bounds the network and signals. Landlock has no right for
 * modes and times, so this process sets them, on a descriptor in the tree or the private temporary directory. Landlock
 * can't take git's files out of the tree, so calls that name them are refused. That guards against mistakes: a program
 * that races its own paths gets past it, and the journal shows what it changed.
 */
#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 1 << 20, MOST_FILES = SLOTS / 2, MAX_COUNTS = 16, MAX_DEPTH = 1500, MAX_DEVICES = 32 };

/* The files that have several names. */
struct shared_files {
  struct shared_file {
    uint64_t dev, ino;
    uint32_t links, found;
  } *slots;
  uint32_t count;
  int is_full; /* a file that has no slot is missing, and refused */
  int counts;  /* how often names were counted */
  uint64_t devices[MAX_DEVICES];
  int device_count;
};

static struct shared_file *slot_of(const struct shared_files *f, const struct id *id) {
  uint64_t h = (id->dev ^ id->ino * 0x9E3779B97F4A7C15ull) * 0x9E3779B97F4A7C15ull;
  uint32_t at = (uint32_t)(h >> 40) & (SLOTS - 1);
  while (f->slots[at].ino && (f->slots[at].ino != id->ino || f->slots[at].dev != id->dev)) at = (at + 1) & (SLOTS - 1);
  return &f->slots[at];
}

static int is_known_device(const struct shared_files *f, uint64_t dev) {
  for (int i = 0; i < f->device_count; i++)
    if (f->devices[i] == dev) return 1;
  return 0;
}

static void add_name(struct shared_files *f, const struct id *id, uint32_t links) {
  struct shared_file *file = slot_of(f, id);
  if (!file->ino && f->count == MOST_FILES) {
    f->is_full = 1;
    return;
  }
  if (!file->ino) *file = (struct shared_file){id->dev, id->ino, links, 0}, f->count++;
  file->found++;
}

/* Takes over the descriptor. Files in a directory that can't be read are not counted, as if they were elsewhere. */
static void count_names_below(struct shared_files *f, int fd, int depth) {
  struct listing names;
  struct listed name;
  struct id id;
  struct state state;
  if (listing_open(&names, fd)) return;
  if (!look(fd, "", 0, &id, NULL) && !is_known_device(f, id.dev) && f->device_count < MAX_DEVICES)
    f->devices[f->device_count++] = id.dev;
  while (listing_next(&names, &name)) {
    if (name.type != DT_DIR) {
      if (look(fd, name.name, 0, &id, &state)) continue;
      if (!S_ISDIR(state.mode)) {
        if (state.links > 1) add_name(f, &id, state.links);
        continue;
      }
    }
    if (depth < MAX_DEPTH)
      count_names_below(f, openat(fd, name.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
          depth + 1);
  }
  listing_close(&names);
}

/* The links of every action that is kept beside this one. */
static void count_links_of_stores(struct shared_files *f, int vault) {
  char path[NAME_BYTES + 3];
  struct listing stores;
  struct listed store;
  if (listing_open(&stores, openat(vault, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC))) return;
  while (listing_next(&stores, &store)) {
    if (*store.name == '.') continue;
    snprintf(path, sizeof path, "%s/l", store.name);
    count_names_below(f, openat(stores.fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0);
  }
  listing_close(&stores);
}

static int count_all_names(struct store *s) {
  if (!s->shared && !(s->shared = arena(sizeof *s->shared))) return -1;
  struct shared_files *f = s->shared;
  if (f->slots) drop_arena(f->slots, sizeof *f->slots * (uint64_t)SLOTS);
  f->slots = arena(sizeof *f->slots * (uint64_t)SLOTS);
  f->count = 0;
  f->device_count = f->is_full = 0;
  f->counts++;
  if (!f->slots) return -1;
  for (int i = 0; i < s->outside_count; i++)
    count_names_below(f, openat(s->outside[i].fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
  if (s->vault >= 0) count_links_of_stores(f, s->vault);
  return 0;
}

int is_named_outside(struct store *s, int directory, const char *name) {
  struct id id;
  struct state state;
  if (look(directory, name, 0, &id, &state) || S_ISDIR(state.mode) || state.links < 2) return 0;
  const struct shared_file *file = s->shared && s->shared->slots ? slot_of(s->shared, &id) : NULL;
  /* Someone outside may have made a name since the last count. */
  if ((!file || !file->ino) && (!s->shared || s->shared->counts < MAX_COUNTS)) {
    if (count_all_names(s)) return 1;
    file = slot_of(s->shared, &id);
  }
  if (!file) return 1;
  /* On another device it is in a private temporary directory. */
  if (!file->ino) return is_known_device(s->shared, id.dev);
  return file->found < file->links;
}

void named_again(struct store *s, int directory, const char *name) {
  struct id id;
  struct state state;
  if (!s->shared || !s->shared->slots || look(directory, name, 0, &id, &state) || S_ISDIR(state.mode) ||
      state.links != 1)
    return;
  struct shared_file *file = slot_of(s->shared, &id);
  if (!file->ino && s->shared->count == MOST_FILES) return;
  s->shared->count += !file->ino;
  *file = (struct shared_file){id.dev, id.ino, 1, 1};
}

int any_named_outside(const struct options *o) {
  struct store s = {.vault = -1};
  for (int i = 0; i < o->tree_count; i++, s.outside_count++)
    if ((s.outside[i].fd = open(o->trees[i], O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return 1;
  if (count_all_names(&s) || s.shared->is_full) return 1;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (s.shared->slots[i].ino && s.shared->slots[i].found < s.shared->slots[i].links) return 1;
  return 0;
}

/* Whether a path below `.git` is one that makes git run programs. */
static int is_obeyed(const char *path) {
  for (int i = 0; git_obeys[i]; i++) {
    const uint64_t length = strlen(git_obeys[i]);
    if (!strncmp(path, git_obeys[i], length) && (!path[length] || path[length] == '/')) return 1;
  }
  return 0;
}

/* Whether the place makes git run programs. `moves`: the call would move or remove the name. */
int is_of_git(const struct store *s, const struct place *at, int moves) {
  char path[4096 + NAME_BYTES];
  const long n = path_of_fd(at->directory, path, 4096);
  if (n <= 0) return 1;
  snprintf(path + n, sizeof path - (uint64_t)n, *at->name ? "/%s" : "%s", at->name);
  for (int i = 0; i < s->holds->tree_count; i++) {
    const uint64_t top = strlen(s->holds->trees[i]);
    if (!is_below(path, s->holds->trees[i]) || strncmp(path + top, "/.git", 5)) continue;
    const char *rest = path + top + 5;
    struct id id;
    /* A repository may be made, but not moved away. */
    if (!*rest) return moves && *at->name && look(at->directory, at->name, 0, &id, NULL) == 0;
    if (*rest == '/' && is_obeyed(rest + 1)) return 1;
  }
  return 0;
}

/* A descriptor of what the call names now, which stays the same when the name changes. */
int target_of(const struct place *at) {
  if (*at->name) return openat(at->directory, at->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  return fcntl(at->directory, F_DUPFD_CLOEXEC, 0);
}

static int may_be_set(const struct store *s, int target) {
  char path[4096];
  if (path_of_fd(target, path, sizeof path) <= 0) return 0;
  for (int i = 0; i < s->holds->tree_count; i++)
    if (is_below(path, s->holds->trees[i])) return 1;
  return s->holds->tmp && is_below(path, s->holds->tmp);
}

/* The two times of the call, in seconds and nanoseconds. A call that names none means the present. */
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

/* The argument that names the user; the group is the next one. 0: the call sets no owner. */
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

/* Carries out a call that sets a mode, an owner or times. 0, or -1 with errno. */
int set_state(const struct store *s, pid_t pid, int nr, const uint64_t *a, int target) {
  char path[FD_PATH];
  struct id id;
  struct state state;
  enum { SET_ID = 06000 };
  if (!may_be_set(s, target) || look(target, "", 0, &id, &state)) return errno = EPERM, -1;
  path_in(target, "", path);
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
    /* A program that copies a file with its owner mostly names the owner that the copy has already. */
    return (uid == UINT32_MAX || uid == state.uid) && (gid == UINT32_MAX || gid == state.gid) ? 0 : (errno = EPERM, -1);
  }
  int64_t times[4];
  if (times_of(pid, nr, a, times)) return -1;
  if (S_ISLNK(state.mode)) return (int)syscall(SYS_utimensat, target, "", times, AT_EMPTY_PATH);
  return (int)syscall(SYS_utimensat, AT_FDCWD, path, times, 0);
}
