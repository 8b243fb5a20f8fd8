/* What a trial would show otherwise than a real run is noted while it happens, so that nothing is concluded from it. */
#include "keep-path.h"
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_OUTSIDE = 20, EXCLUSIVE = O_CREAT | O_EXCL };

static int is_mv(pid_t pid) {
  char path[32], name[4] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, name, 3);
  if (fd >= 0) close(fd);
  return n == 3 && !strncmp(name, "mv\n", 3);
}

void note_at(struct store *s, const char *word, const struct place *at) {
  char link[40], path[4096 + NAME_BYTES];
  snprintf(link, sizeof link, "/proc/self/fd/%d", at->directory);
  long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4096);
  if (n <= 0) n = 0;
  snprintf(path + n, sizeof path - (unsigned long)n, *at->name ? "/%s" : "%s", at->name);
  store_note(s, word, path);
}

/* Where an open file stands, by the kernel's word: it may have been moved or removed since. */
static int name_of_open(int fd, struct place *to) {
  char link[40], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (n <= 0 || *path != '/') return -1;
  path[n] = 0;
  char *last = strrchr(path, '/');
  if (!last[1] || strlen(last + 1) >= NAME_BYTES) return -1;
  memcpy(to->name, last + 1, strlen(last + 1) + 1);
  *last = 0;
  to->directory = open(last == path ? "/" : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return to->directory < 0 ? -1 : 0;
}

static int is_read_only(int directory) {
  unsigned long system[32] = {0};
  return syscall(SYS_fstatfs, directory, system) == 0 && system[10] & 1; /* ST_RDONLY: of the mount as well */
}

/* In none of its trees: refused, where a real run may have done it. */
static void watch_outside(struct store *s, enum effect what, const struct place *at, int there, uint64_t flags) {
  const int makes = what == CREATE || (what == OPEN && flags & O_CREAT);
  const int fails = there ? what == CREATE || (what == OPEN && (flags & EXCLUSIVE) == EXCLUSIVE) : !makes;
  if (fails || !is_read_only(at->directory) || s->refused >= MAX_OUTSIDE) return;
  s->refused++;
  note_at(s, "refused", at);
}

/* `mv` copies a directory that it can't rename, and takes the old one away: all of it, and nothing besides? */
static int can_be_copied(int above, const char *name) {
  struct id id;
  struct state state;
  struct names names;
  if (look(above, name, 0, &id, &state)) return 0;
  const uint32_t needs = S_ISDIR(state.mode) ? 0700 : S_ISREG(state.mode) ? 0400 : 0, user = geteuid();
  if (user && (state.uid != user || (state.mode & needs) != needs)) return 0;
  if (!S_ISDIR(state.mode)) return state.links == 1;
  int fd = open_directory(above, name), good = fd >= 0 && !names_of(fd, &names);
  if (good) {
    for EACH_NAME (below, names) good = good && can_be_copied(fd, below);
    names_drop(&names);
  }
  if (fd >= 0) close(fd);
  return good;
}

/* Writing to one of several names of a file below the overlay changes that name alone; a directory below it can't be
 * renamed. */
void watch(struct store *s, pid_t pid, enum effect what, const struct place *at, uint64_t flags) {
  struct id id;
  struct state state;
  struct place named = {.directory = -1};
  if (!*at->name) {
    if (!name_of_open(at->directory, &named)) watch(s, pid, what, &named, flags);
    if (named.directory >= 0) close(named.directory);
    return;
  }
  int below = outside_of(s, at->directory), deep = below < 0 && errno == ENAMETOOLONG;
  int there = look(below < 0 ? at->directory : below, at->name, 0, &id, &state) == 0;
  if (deep) return note_at(s, "deep", at);
  if (below < 0) return watch_outside(s, what, at, there, flags);
  close(below);
  /* Removed before in this trial: what is made now is another file. */
  if (there && look(at->directory, at->name, 0, &id, NULL)) return;
  if (!there || what == CREATE || what == REMOVE || (what == OPEN && (flags & EXCLUSIVE) == EXCLUSIVE)) return;
  if (!S_ISDIR(state.mode) && state.links > 1) note_at(s, "shared", at);
  if (S_ISDIR(state.mode) && what == RENAME && !(is_mv(pid) && can_be_copied(at->directory, at->name))) note_at(s, "moved", at);
}
