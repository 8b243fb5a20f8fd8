/* One name in the upper directory of a trial: what the command made of it. */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

char path_now[MAX_PATH];
static uint64_t path_length;

uint64_t path_push(const char *name) {
  uint64_t was = path_length, n = strlen(name);
  if (path_length + n + 2 > sizeof path_now) return was;
  if (path_length || *name != '/') path_now[path_length++] = '/';
  memcpy(path_now + path_length, name, n + 1);
  path_length += n;
  return was;
}

void path_pop(uint64_t to) {
  path_length = to;
  path_now[to] = 0;
}

int names_of(int directory, struct names *names) {
  static char buffer[1 << 15] __attribute__((aligned(8)));
  *names = (struct names){NULL, 0, 0};
  int list = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return -1;
  long got;
  while ((got = syscall(SYS_getdents64, list, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < got; at += *(const unsigned short *)(buffer + at + 16)) {
      const char *name = buffer + at + 19;
      uint64_t n = strlen(name) + 1;
      if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
      if (names->used + n > names->size) {
        uint64_t size = names->size ? names->size * 4 : 1 << 14;
        char *larger = arena(size);
        if (!larger) return close(list), errno = ENOMEM, -1;
        memcpy(larger, names->text, names->used);
        uint64_t used = names->used;
        names_drop(names);
        *names = (struct names){larger, used, size};
      }
      memcpy(names->text + names->used, name, n);
      names->used += n;
    }
  close(list);
  return got < 0 ? -1 : 0;
}

void names_drop(struct names *names) {
  if (names->text) syscall(SYS_munmap, names->text, names->size);
  *names = (struct names){NULL, 0, 0};
}

int open_directory(int above, const char *name) {
  return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static void below(int directory, const char *name, char to[48 + NAME_BYTES]) {
  snprintf(to, 48 + NAME_BYTES, *name ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", directory, name);
}

int is_private(const char *attribute) { return !strncmp(attribute, "user.overlay.", 13) || !strncmp(attribute, "trusted.overlay.", 16); }

int is_opaque(int directory) {
  char path[48 + NAME_BYTES], value[8];
  below(directory, "", path);
  return syscall(SYS_getxattr, path, "user.overlay.opaque", value, sizeof value) > 0 && value[0] == 'y';
}

/* Marks what was copied up, even where the overlay may not note from what. Never of a file with several names. */
static int has_origin(int upper, const char *name) {
  char path[48 + NAME_BYTES], value[200];
  below(upper, name, path);
  return syscall(SYS_lgetxattr, path, "user.overlay.origin", value, sizeof value) >= 0;
}

static int same_content(int upper, int lower, const char *name) {
  static char a[1 << 16], b[1 << 16];
  int x = openat(upper, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int y = openat(lower, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int same = x >= 0 && y >= 0;
  while (same) {
    ssize_t n = read(x, a, sizeof a), m = read(y, b, sizeof b);
    same = n >= 0 && n == m;
    for (ssize_t i = 0; same && i < n; i++) same = a[i] == b[i];
    if (n <= 0) break;
  }
  if (x >= 0) close(x);
  if (y >= 0) close(y);
  return same;
}

static int same_target(int upper, int lower, const char *name) {
  char a[4096], b[4096];
  long n = syscall(SYS_readlinkat, upper, name, a, sizeof a), m = syscall(SYS_readlinkat, lower, name, b, sizeof b);
  if (n < 0 || n != m) return 0;
  for (long i = 0; i < n; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

/* Without a name: of the descriptor. */
static long list_attributes(int directory, const char *name, char *list, long size) {
  char path[48 + NAME_BYTES];
  below(directory, name, path);
  return syscall(*name ? SYS_llistxattr : SYS_listxattr, path, list, size);
}

static long value_of(int directory, const char *name, const char *item, char *value, long size) {
  char path[48 + NAME_BYTES];
  below(directory, name, path);
  return syscall(*name ? SYS_lgetxattr : SYS_getxattr, path, item, value, size);
}

/* Not the overlay's own, nor the system's label, which each file system gives by its own rules. */
static int is_of_file(const char *attribute) { return !is_private(attribute) && strcmp(attribute, "security.selinux"); }

static int count_of(const char *list, long size) {
  int count = 0;
  for (const char *item = list; item < list + size; item += strlen(item) + 1) count += is_of_file(item);
  return count;
}

int same_attributes(int upper, int lower, const char *name) {
  static char list[1 << 16], other[1 << 16], a[1 << 16], b[1 << 16];
  long n = list_attributes(upper, name, list, sizeof list), m = list_attributes(lower, name, other, sizeof other);
  if (count_of(list, n) != count_of(other, m)) return 0;
  for (const char *item = list; item < list + n; item += strlen(item) + 1) {
    if (!is_of_file(item)) continue;
    long x = value_of(upper, name, item, a, sizeof a), y = value_of(lower, name, item, b, sizeof b);
    if (x != y) return 0;
    for (long i = 0; i < x; i++)
      if (a[i] != b[i]) return 0;
  }
  return 1;
}

int is_marked(int directory, const char *name, int in_upper) {
  static const char *const stored[] = {"user.overlay.overlay.", "trusted.overlay.overlay."};
  static char list[1 << 16];
  long n = list_attributes(directory, name, list, sizeof list);
  for (const char *item = list; item < list + n; item += strlen(item) + 1)
    if (in_upper ? !strncmp(item, stored[0], strlen(stored[0])) || !strncmp(item, stored[1], strlen(stored[1])) : is_private(item)) return 1;
  return 0;
}

static int same_state(const struct state *a, const struct state *b) {
  return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns;
}

int judge(int upper, int lower, const char *name, struct view *v) {
  *v = (struct view){.verdict = NEW};
  if (look(upper, name, 0, &v->upper_id, &v->upper)) return -1;
  v->has_lower = lower >= 0 && look(lower, name, 0, &v->lower_id, &v->lower) == 0;
  const uint32_t kind = v->upper.mode & S_IFMT;
  if (kind == S_IFCHR && v->upper.rdev == 0) return v->verdict = GONE, 0;
  v->from_before = has_origin(upper, name);
  if (is_marked(upper, name, 1) || (v->has_lower && is_marked(lower, name, 0))) return v->verdict = MARKED, 0;
  if (!v->has_lower) return 0;
  v->verdict = REPLACED;
  if (kind != (v->lower.mode & S_IFMT)) return 0;
  if (kind == S_IFDIR) {
    int fd = open_directory(upper, name);
    if (fd < 0) return -1;
    if (!is_opaque(fd)) v->verdict = MERGED;
    close(fd);
    return 0;
  }
  /* What changes one of several names is noted while it happens, and can't be told: so this one was made anew. */
  if (v->lower.links > 1) return 0;
  if (kind == S_IFREG) {
    if (v->upper.size != v->lower.size || !same_content(upper, lower, name)) return v->verdict = WRITTEN, 0;
  } else if (kind == S_IFLNK) {
    if (!same_target(upper, lower, name)) return 0;
  } else if (v->upper.rdev != v->lower.rdev) return 0;
  v->verdict = same_state(&v->upper, &v->lower) && same_attributes(upper, lower, name) ? SAME : STATE_ONLY;
  if (v->upper.links > 1) v->verdict = NAMED;
  return 0;
}
