/*
 * Finds what a system call of another process names.
 *
 * Descriptors, current and root directory are opened by way of /proc/PID. The kernel resolves some paths differently
 * for each process (/proc/self, descriptors as files): those are opened for the process itself, or refused. A process
 * in another root or mount namespace is refused, because its absolute links lead elsewhere than ours.
 *
 * In a user namespace, other users' numbers all read as nobody's. So the process that keeps a command there asks the
 * supervisor, which is outside and has the same descriptors, to read access lists.
 */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif

enum { NR_OPENAT2 = 437, PATH_BYTES = 4096, MAX_LINKS = 40, PROC_MAGIC = 0x9fa0 };

/* Reads page by page, because the page behind the path may not be mapped. */
static int read_path(pid_t pid, uint64_t at, char *to) {
  for (uint64_t n = 0; n < PATH_BYTES;) {
    uint64_t want = 4096 - (at + n) % 4096;
    if (want > PATH_BYTES - n) want = PATH_BYTES - n;
    struct iovec here = {to + n, want}, there = {(void *)(at + n), want};
    long got = syscall(SYS_process_vm_readv, pid, &here, 1, &there, 1, 0);
    if (got <= 0) return -1;
    for (long i = 0; i < got; i++)
      if (!to[n + (uint64_t)i]) return 0;
    n += (uint64_t)got;
  }
  return errno = ENAMETOOLONG, -1;
}

int read_memory(pid_t pid, uint64_t at, void *to, uint64_t size) {
  struct iovec here = {to, size}, there = {(void *)at, size};
  return syscall(SYS_process_vm_readv, pid, &here, 1, &there, 1, 0) == (long)size ? 0 : (errno = EFAULT, -1);
}

int same_root(pid_t pid) {
  static struct statx own;
  struct statx its;
  char path[40];
  if (!own.stx_ino && syscall(SYS_statx, AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &own)) return 0;
  snprintf(path, sizeof path, "/proc/%d/root", pid);
  if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_INO | STATX_MNT_ID, &its)) return 0;
  return its.stx_ino == own.stx_ino && its.stx_mnt_id == own.stx_mnt_id && its.stx_dev_minor == own.stx_dev_minor &&
         its.stx_dev_major == own.stx_dev_major;
}

static int on_proc(int directory) {
  unsigned long buffer[32];
  return syscall(SYS_fstatfs, directory, buffer) == 0 && buffer[0] == PROC_MAGIC;
}

/* Whether the descriptor is on the mount of this process's own root or current directory, which stays in its namespace
 * as long as the process lives, and is not /proc. The result of statx is kept in `seen`. */
static int is_own_mount(int fd, struct glance *seen) {
  static uint64_t own[2];
  static int asked;
  struct statx x;
  for (int i = 0; !asked && i < 2; i++) {
    int at = open(i ? "." : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at >= 0 && !on_proc(at) && !syscall(SYS_statx, at, "", AT_EMPTY_PATH, STATX_MNT_ID, &x) &&
        x.stx_mask & STATX_MNT_ID)
      own[i] = x.stx_mnt_id;
    if (at >= 0) close(at);
  }
  asked = 1;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID, &x) ||
      !(x.stx_mask & STATX_MNT_ID))
    return 0;
  if (!x.stx_mnt_id || (x.stx_mnt_id != own[0] && x.stx_mnt_id != own[1])) return 0;
  read_statx(&x, &seen->id, &seen->state);
  return seen->taken = 1;
}

static int climbs(const char *path) {
  for (const char *at = path; *at; at++)
    if ((at == path || at[-1] == '/') && at[0] == '.' && at[1] == '.' && (!at[2] || at[2] == '/')) return 1;
  return 0;
}

/* Opens the directory `path`, seen from `base` (-1: from the root). A path with links or `..` depends on the root of
 * the process, which must then be ours. */
static int open_way(pid_t pid, int base, const char *path, struct glance *seen) {
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
      .resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS};
  if (base >= 0 && !climbs(path)) {
    int fd = (int)syscall(NR_OPENAT2, base, path, &how, sizeof how);
    if (fd < 0 && errno != ELOOP) return -1;
    if (fd >= 0 && is_own_mount(fd, seen)) return fd;
    if (fd >= 0) close(fd);
  }
  if (!same_root(pid)) return errno = EPERM, -1;
  how.resolve = RESOLVE_NO_MAGICLINKS;
  return (int)syscall(NR_OPENAT2, base >= 0 ? base : AT_FDCWD, path, &how, sizeof how);
}

/* Opens an entry of /proc/PID. That directory stays open for the next call: a dead process is no longer in it, even if
 * another process has its number by now. */
static int open_of(pid_t pid, const char *what) {
  static pid_t known;
  static int of = -1;
  char path[32];
  int fd = known == pid && of >= 0 ? openat(of, what, O_PATH | O_CLOEXEC) : -1;
  if (fd >= 0) return fd;
  if (of >= 0) close(of);
  known = pid;
  snprintf(path, sizeof path, "/proc/%d", pid);
  if ((of = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return -1;
  return openat(of, what, O_PATH | O_CLOEXEC);
}

static const char *after(const char *text, const char *start) {
  unsigned long n = strlen(start);
  return strncmp(text, start, n) ? NULL : text + n;
}

/* Opens what the beginning of a path like `/proc/self/fd/3/x` is for that process, and returns the rest of the path.
 * NULL: the path is not of this kind. */
static const char *by_process(pid_t pid, const char *path, int *fd) {
  char link[64];
  const char *rest;
  static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (int i = 0; i < 3; i++)
    if ((rest = after(path, standard[i])) && (!*rest || *rest == '/')) {
      snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, i);
      *fd = open(link, O_PATH | O_CLOEXEC);
      return rest;
    }
  if ((rest = after(path, "/dev/fd/"))) {
    if (*rest < '0' || *rest > '9') return NULL;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, (int)to_number(rest));
  } else {
    if (!(rest = after(path, "/proc/"))) return NULL;
    const char *self = after(rest, "self/");
    if (!self) self = after(rest, "thread-self/");
    int of = pid;
    if (self) rest = self;
    else {
      if (*rest < '0' || *rest > '9') return NULL;
      of = (int)to_number(rest);
      while (*rest >= '0' && *rest <= '9') rest++;
      if (*rest++ != '/') return NULL;
    }
    const char *task = after(rest, "task/");
    if (task) {
      while (*task >= '0' && *task <= '9') task++;
      if (*task == '/') rest = task + 1;
    }
    const char *number = after(rest, "fd/"), *end;
    if (number && *number >= '0' && *number <= '9') {
      snprintf(link, sizeof link, "/proc/%d/fd/%d", of, (int)to_number(number));
      rest = number;
    } else if ((end = after(rest, "cwd")) && (!*end || *end == '/')) {
      snprintf(link, sizeof link, "/proc/%d/cwd", of);
      rest = end;
    } else if ((end = after(rest, "root")) && (!*end || *end == '/')) {
      snprintf(link, sizeof link, "/proc/%d/root", of);
      rest = end;
    } else return NULL;
  }
  while (*rest >= '0' && *rest <= '9') rest++;
  if (*rest && *rest != '/') return NULL;
  *fd = open(link, O_PATH | O_CLOEXEC);
  return rest;
}

/* Whether the path may lead elsewhere than its text says. */
static int is_crooked(const char *path) {
  for (const char *at = path; (at = strchr(at, '/')); at++)
    if (at[1] == '/' || (at[1] == '.' && (!at[2] || at[2] == '/' || (at[2] == '.' && (!at[3] || at[3] == '/')))))
      return 1;
  return 0;
}

static int nothing_lasts(const char *path) {
  if (is_crooked(path)) return 0;
  return after(path, "/proc/") || after(path, "/sys/") || (after(path, "/dev/") && !after(path, "/dev/shm/"));
}

/* FAILS if the call itself would end with this errno, else -1 to refuse it. Either way it is answered and does not go
 * on: its process may have more rights than this one, and the path may be another by then. */
static int outcome_of_errno(void) {
  switch (errno) {
    case EACCES: case ENAMETOOLONG: case EFAULT: case EBADF:
      return FAILS;
    default:
      return -1;
  }
}

/* Resolves `path` from `base` (-1: from the root), which it closes or takes over. */
static int descend(pid_t pid, int base, const char *path, struct place *to) {
  char head[PATH_BYTES];
  unsigned long length = strlen(path);
  while (length && path[length - 1] == '/') length--;
  unsigned long cut = length;
  while (cut && path[cut - 1] != '/') cut--;
  const char *last = path + cut;
  unsigned long size = length - cut;
  int whole = !size || (size == 1 && *last == '.') || (size == 2 && last[0] == '.' && last[1] == '.');
  to->name[0] = 0;
  to->glance.taken = to->above.taken = 0;
  if (size >= NAME_BYTES) {
    if (base >= 0) close(base);
    return errno = ENAMETOOLONG, FAILS;
  }
  if (!whole) {
    memcpy(to->name, last, size);
    to->name[size] = 0;
    length = cut;
  }
  if (length == 0 && base >= 0) {
    is_own_mount(to->directory = base, &to->above);
    return 0;
  }
  memcpy(head, path, length);
  head[length] = 0;
  to->directory = open_way(pid, base, base >= 0 || *head ? head : "/", &to->above);
  close_quietly(base);
  return to->directory < 0 ? outcome_of_errno() : 0;
}

/* While the place is a symbolic link, replaces it by where the link leads. */
static int follow_links(pid_t pid, struct place *to) {
  char target[PATH_BYTES];
  for (int i = 0; i < MAX_LINKS && *to->name; i++) {
    struct glance *g = &to->glance;
    g->why = look(to->directory, to->name, 0, &g->id, &g->state) ? errno : 0;
    g->taken = 1;
    if (g->why == ENOENT || (!g->why && !S_ISLNK(g->state.mode))) return 0;
    long n = g->why ? -1 : syscall(SYS_readlinkat, to->directory, to->name, target, sizeof target - 1);
    g->taken = 0;
    if (n < 0 && (errno == EINVAL || errno == ENOENT)) continue; /* changed meanwhile */
    if (n < 0) return outcome_of_errno();
    target[n] = 0;
    if (on_proc(to->directory)) return errno = EACCES, -1;
    if (!same_root(pid)) return errno = EPERM, -1;
    int base = to->directory;
    if (*target == '/') {
      close(base);
      to->directory = base = -1;
      to->above.taken = 0;
      int fd = -1;
      const char *rest = by_process(pid, target, &fd);
      if (rest) {
        if (fd < 0) return outcome_of_errno();
        while (*rest == '/') rest++;
        to->name[0] = 0;
        to->directory = fd;
        if (!*rest) return 0;
        to->directory = -1;
        int deeper = descend(pid, fd, rest, to);
        if (deeper) return deeper;
        continue;
      }
      if (nothing_lasts(target)) return NOT_OURS;
    }
    to->directory = -1;
    int step = descend(pid, base, target, to);
    if (step) return step;
  }
  return 0;
}

static int resolve_text(pid_t pid, int directory, const char *text, int follow, struct place *to) {
  char link[40];
  int base = -1;
  const char *rest = text;
  if (*text == '/') {
    const char *own = by_process(pid, text, &base);
    if (own) {
      if (base < 0) return outcome_of_errno();
      for (rest = own; *rest == '/';) rest++;
      if (!*rest) {
        to->directory = base;
        return 0;
      }
      if (!same_root(pid)) {
        close(base);
        return errno = EPERM, -1;
      }
    } else if (nothing_lasts(text)) return NOT_OURS;
  } else {
    if (directory == AT_FDCWD) snprintf(link, sizeof link, "cwd");
    else snprintf(link, sizeof link, "fd/%d", directory);
    base = open_of(pid, link);
    if (base < 0 && errno == ENOENT && directory != AT_FDCWD) return errno = EBADF, -1; /* no such descriptor */
    if (base < 0) return outcome_of_errno();
  }
  int step = descend(pid, base, rest, to);
  if (!step && follow) step = follow_links(pid, to);
  return !step && to->directory >= 0 && !to->above.taken && on_proc(to->directory) ? NOT_OURS : step;
}

int resolve(pid_t pid, int directory, uint64_t path, int follow, struct place *to) {
  char text[PATH_BYTES];
  to->directory = -1;
  to->name[0] = 0;
  if (!path) return EMPTY;
  if (read_path(pid, path, text)) return outcome_of_errno();
  return *text ? resolve_text(pid, directory, text, follow, to) : EMPTY;
}

int resolve_socket(pid_t pid, uint64_t address, uint64_t size, struct place *to) {
  struct sockaddr_un name;
  char text[sizeof name.sun_path + 1];
  const uint64_t head = offsetof(struct sockaddr_un, sun_path);
  to->directory = -1;
  to->name[0] = 0;
  memset(&name, 0, sizeof name);
  if (size <= head || size > sizeof name) return NOT_OURS;
  if (read_memory(pid, address, &name, size)) return outcome_of_errno();
  if (name.sun_family != AF_UNIX || !*name.sun_path) return NOT_OURS;
  memcpy(text, name.sun_path, sizeof name.sun_path); /* its last byte need not be a NUL */
  text[sizeof name.sun_path] = 0;
  return resolve_text(pid, AT_FDCWD, text, 0, to);
}

int resolve_descriptor(pid_t pid, int fd, struct place *to) {
  char link[40];
  to->name[0] = 0;
  snprintf(link, sizeof link, "fd/%d", fd);
  to->directory = open_of(pid, link);
  return to->directory < 0 ? outcome_of_errno() : 0;
}

int outside_of(const struct store *s, int fd) {
  char path[PATH_BYTES];
  struct id here, there;
  const long n = path_of_fd(fd, path, sizeof path);
  if (n <= 0 || look(fd, "", 0, &here, NULL)) return -1;
  if (n >= (long)sizeof path - 1) return errno = ENAMETOOLONG, -1;
  for (int i = 0; i < s->outside_count; i++) {
    unsigned long top = strlen(s->outside[i].path);
    if (strncmp(path, s->outside[i].path, top) || (path[top] && path[top] != '/')) continue;
    const char *rest = path + top;
    while (*rest == '/') rest++;
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    int found = (int)syscall(NR_OPENAT2, s->outside[i].fd, *rest ? rest : ".", &how, sizeof how);
    /* A directory of an overlay is not the same inode as the one below it. */
    if (found < 0 || s->watches || (!look(found, "", 0, &there, NULL) && same_id(&here, &there))) return found;
    close(found);
    return errno = ENOENT, -1; /* replaced meanwhile */
  }
  return errno = EXDEV, -1;
}

/* Shared between the process that keeps and the supervisor. */
struct question {
  int directory;
  char name[NAME_BYTES], item[NAME_BYTES];
  long got; /* bytes, or -errno */
  char value[1 << 16];
};

int is_access_list(const char *item) { return !strncmp(item, "system.posix_acl_", 17); }

/* If this fails, lists are read inside, as far as that is possible. */
void outside_begin(struct store *s) {
  long page = syscall(SYS_mmap, 0, sizeof *s->question, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == -1 || pipe2(s->asked, O_CLOEXEC) || pipe2(s->answered, O_CLOEXEC)) return;
  s->question = (struct question *)page;
}

/* The descriptor by which questions arrive; -1: none will. */
int outside_asked(const struct store *s) { return s->question ? s->asked[0] : -1; }

void outside_answer(struct store *s) {
  char path[FD_PATH], one;
  struct question *q = s->question;
  if (read(s->asked[0], &one, 1) != 1) return;
  path_in(q->directory, q->name, path);
  long got = syscall(*q->name ? SYS_lgetxattr : SYS_getxattr, path, q->item, q->value, sizeof q->value);
  q->got = got < 0 ? -errno : got;
  if (write(s->answered[1], "", 1) != 1) { /* the process that asked ends with this one */
  }
}

long value_outside(struct store *s, int directory, const char *name, const char *item, char *value, uint64_t size) {
  struct question *q = s->question;
  char one;
  if (!q || strlen(name) >= NAME_BYTES || strlen(item) >= NAME_BYTES) return errno = EINVAL, -1;
  q->directory = directory;
  memcpy(q->name, name, strlen(name) + 1);
  memcpy(q->item, item, strlen(item) + 1);
  if (write(s->asked[1], "", 1) != 1 || read(s->answered[0], &one, 1) != 1) return -1;
  if (q->got < 0) return errno = (int)-q->got, -1;
  if ((uint64_t)q->got > size) return errno = ERANGE, -1;
  memcpy(value, q->value, (uint64_t)q->got);
  return q->got;
}

enum { HEAD = 4, ENTRY = 8, OF_USER = 2, OF_GROUP = 8, MOST = 1 << 16 };

/* In a user namespace the kernel refuses such a list, because no other user exists there. Outside it would not. */
int names_others(pid_t pid, int nr, const uint64_t *a) {
  static char list[MOST];
  char item[17];
  uint64_t name = a[1], value = a[2], size = a[3];
  if (nr == __NR_removexattr || nr == __NR_lremovexattr || nr == __NR_fremovexattr) return 0;
  if (nr > __NR_fremovexattr) { /* calls of Linux 6.13 */
    if (nr != NR_SETXATTRAT || read_memory(pid, a[4], &value, sizeof value) || read_memory(pid, a[4] + 8, &size, 4))
      return 0;
    size &= UINT32_MAX;
    name = a[3];
  }
  if (read_memory(pid, name, item, sizeof item) || strncmp(item, "system.posix_acl_", sizeof item)) return 0;
  if (size > MOST || read_memory(pid, value, list, size)) return 0;
  for (uint64_t i = HEAD; i + ENTRY <= size; i += ENTRY) {
    uint16_t tag;
    uint32_t who;
    memcpy(&tag, list + i, 2);
    memcpy(&who, list + i + 4, 4);
    if ((tag == OF_USER && who != geteuid()) || (tag == OF_GROUP && who != (uint32_t)syscall(SYS_getegid))) return 1;
  }
  return 0;
}
