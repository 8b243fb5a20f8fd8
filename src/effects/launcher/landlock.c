/* Landlock: which parts of the file system may be touched, and that signals stay inside. */
#include "launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's uapi, written out: the headers of a stable distribution are older than its kernels. */
enum { NR_CREATE_RULESET = 444, NR_ADD_RULE = 445, NR_RESTRICT_SELF = 446, RULE_PATH_BENEATH = 1, ASK_VERSION = 1 };

struct ruleset_attr {
  uint64_t fs, net, scoped;
};
struct path_beneath_attr {
  uint64_t access;
  int32_t fd;
} __attribute__((packed));

#define FS(bit) (1ull << (bit))
static const uint64_t EXECUTE = FS(0), WRITE_FILE = FS(1), READ_FILE = FS(2), READ_DIR = FS(3), MAKE_CHAR = FS(6),
                      MAKE_SOCK = FS(9), MAKE_BLOCK = FS(11), REFER = FS(13), TRUNCATE = FS(14), IOCTL_DEV = FS(15),
                      NET_BOTH = 3, SCOPE_SIGNAL = 2, SCOPE_BOTH = 3;
/* A rule on something that is no directory may name only these. */
static const uint64_t OF_A_FILE = FS(0) | FS(1) | FS(2) | FS(14) | FS(15);

/* The rights that each version added; a right that the kernel does not know makes it refuse the whole rule set. */
static uint64_t known_rights(int abi) {
  uint64_t all = FS(13) - 1;
  if (abi >= 2) all |= REFER;
  if (abi >= 3) all |= TRUNCATE;
  if (abi >= 5) all |= IOCTL_DEV;
  return all;
}

int landlock_abi(const struct options *o) {
  long abi = syscall(NR_CREATE_RULESET, NULL, 0, ASK_VERSION);
  if (abi < 0) return 0;
  return abi < o->abi_at_most ? (int)abi : o->abi_at_most;
}

struct rules {
  int fd;
  uint64_t handled;
  char *detail;
  unsigned long size;
};

/* Takes the descriptor. */
static int allow(struct rules *r, int fd, uint64_t access, const char *name) {
  struct stat st;
  int failed = fstat(fd, &st);
  if (!failed && !S_ISDIR(st.st_mode)) access &= OF_A_FILE;
  access &= r->handled;
  struct path_beneath_attr rule = {access, fd};
  if (!failed && access) failed = (int)syscall(NR_ADD_RULE, r->fd, RULE_PATH_BENEATH, &rule, 0);
  int why = errno;
  close(fd);
  errno = why;
  if (failed) snprintf(r->detail, r->size, "rule for %s", name);
  return failed ? -1 : 0;
}

/* What cannot be opened gets no rule, so it stays refused: an unmounted or unreadable entry must not end the set-up. */
static int allow_path(struct rules *r, int directory, const char *name, uint64_t access) {
  int fd = openat(directory, name, O_PATH | O_CLOEXEC);
  return fd < 0 ? 0 : allow(r, fd, access, name);
}

/* Each entry of a directory apart, since a right on the directory itself could not be taken back from some below it.
 * A symbolic link needs no rule: what it leads to stands under an entry of its own. */
static int allow_entries(struct rules *r, const char *directory, uint64_t access, int (*wanted)(const char *)) {
  DIR *list = opendir(directory);
  int failed = list ? 0 : -1;
  for (struct dirent *entry; !failed && (entry = readdir(list));)
    if (entry->d_type != DT_LNK && strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && wanted(entry->d_name))
      failed = allow_path(r, dirfd(list), entry->d_name, access);
  if (list) closedir(list);
  return failed;
}

static int not_dev(const char *name) { return strcmp(name, "dev") != 0; }

/* Under /dev, everything by which a screen or keyboard that is not ours can be reached. */
static int no_terminal(const char *name) {
  static const char *const others[] = {"tty", "pts", "vcs", "console", "input", "uinput", "fb", "stdin", "stdout", "stderr", "fd"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strncmp(name, others[i], strlen(others[i]))) return 0;
  return 1;
}

static int allow_terminal(struct rules *r, const struct terminal *t, uint64_t access) {
  static const char *const standard[] = {"/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2"};
  for (int i = 0; i < 3; i++)
    if (isatty(i) && allow_path(r, AT_FDCWD, standard[i], access)) return -1;
  return t->shared ? allow_path(r, AT_FDCWD, "/dev/tty", access) : 0;
}

static int allow_temporary(struct rules *r, const char *path) {
  struct stat st;
  if (!path) return 0;
  int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st)) {
    snprintf(r->detail, r->size, "%s", path);
    return -1;
  }
  if (st.st_uid != geteuid() || (st.st_mode & 077)) {
    snprintf(r->detail, r->size, "%s is not private (owner and mode 0700)", path);
    errno = EPERM;
    return -1;
  }
  return allow(r, fd, known_rights(1000) & ~(IOCTL_DEV | MAKE_CHAR | MAKE_BLOCK | MAKE_SOCK), path);
}

static int allow_reading(struct rules *r, const struct options *o, const struct terminal *t) {
  static const char *const harmless[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
  const uint64_t device = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV;
  if (allow_path(r, AT_FDCWD, "/", READ_DIR) || allow_entries(r, "/", EXECUTE | READ_FILE | READ_DIR, not_dev)) return -1;
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (allow_path(r, AT_FDCWD, harmless[i], device)) return -1;
  return allow_terminal(r, t, device) || allow_temporary(r, o->tmp) ? -1 : 0;
}

/* Light: everything as usual but other terminals. Device nodes can't be made (a second name for a terminal), and the
 * right to move between directories, which every rule set takes away unasked, is given back. */
static int allow_all_but_terminals(struct rules *r, const struct terminal *t) {
  const uint64_t all = r->handled & ~MAKE_CHAR;
  if (allow_path(r, AT_FDCWD, "/", REFER) || allow_entries(r, "/", all, not_dev)) return -1;
  return allow_entries(r, "/dev", all, no_terminal) || allow_terminal(r, t, all) ? -1 : 0;
}

/* Below these everything but device nodes and named sockets can be made. Opened behind the mounts: a rule on what lies
 * under an overlay does not cover the overlay. */
static int allow_writing(struct rules *r, const struct options *o) {
  static const char *const private_places[] = {"/tmp", "/dev/shm"};
  const uint64_t all = r->handled & ~(IOCTL_DEV | MAKE_CHAR | MAKE_BLOCK | MAKE_SOCK);
  for (int i = 0; i < o->tree_count; i++) {
    int fd = open(o->trees[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || allow(r, fd, all, o->trees[i])) return -1;
  }
  for (int i = 0; o->profile == PROJECT && i < 2; i++)
    if (allow_path(r, AT_FDCWD, private_places[i], all)) return -1;
  return 0;
}

int landlock_enforce(const struct options *o, const struct terminal *t, char *detail, unsigned long size) {
  int abi = landlock_abi(o), light = o->profile == LIGHT;
  struct ruleset_attr attr = {.fs = known_rights(abi)};
  if (light) attr.fs &= READ_FILE | WRITE_FILE | IOCTL_DEV | MAKE_CHAR | REFER;
  if (abi >= 4 && !light && o->profile != PROJECT) attr.net = NET_BOTH;
  if (abi >= 6) attr.scoped = light ? SCOPE_SIGNAL : SCOPE_BOTH; /* the other is abstract sockets */
  snprintf(detail, size, "this kernel has no Landlock (Linux 5.13 or newer with it enabled)");
  if (abi < 1) return errno = ENOSYS, -1;
  snprintf(detail, size, "moving files would be refused (Linux 5.19 or newer is needed)");
  if ((light || o->profile == HELD) && abi < 2) return errno = ENOSYS, -1;
  *detail = 0;
  /* Older kernels take the shorter structure only when what they do not know is left out. */
  struct rules r = {-1, attr.fs, detail, size};
  r.fd = (int)syscall(NR_CREATE_RULESET, &attr, abi >= 6 ? 24 : abi >= 4 ? 16 : 8, 0);
  if (r.fd < 0) return -1;
  if (light ? allow_all_but_terminals(&r, t) : allow_reading(&r, o, t)) return -1;
  if (o->profile & TREES && allow_writing(&r, o)) return -1;
  if (syscall(NR_RESTRICT_SELF, r.fd, 0)) return -1;
  return close(r.fd);
}

/*
 * Puts this process into a domain of its own, of which it only wants the scope: from then on its signals reach nothing
 * but what it starts, so that kill(-1, …) means exactly its tree. Returns whether that holds. Since everything of this
 * user would die if it did not, the kernel's word is not enough: `outside`, a process that could be signalled before,
 * must now be out of reach. Takes setuid programs away from what is started, so never for an unrestricted command.
 */
int landlock_isolate(pid_t outside) {
  /* A rule set that says nothing of REFER takes it away, so it is handled and given back whole. */
  struct ruleset_attr attr = {.fs = REFER, .scoped = SCOPE_SIGNAL};
  if (syscall(NR_CREATE_RULESET, NULL, 0, ASK_VERSION) < 6 || kill(outside, 0)) return 0;
  int fd = (int)syscall(NR_CREATE_RULESET, &attr, sizeof attr, 0);
  if (fd < 0) return 0;
  char detail[64];
  struct rules r = {fd, attr.fs, detail, sizeof detail};
  int enforced = allow_path(&r, AT_FDCWD, "/", REFER) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 &&
                 syscall(NR_RESTRICT_SELF, fd, 0) == 0;
  close(fd);
  return enforced && getppid() == outside && kill(outside, 0) == -1 && errno == EPERM;
}
