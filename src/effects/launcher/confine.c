/*
 * The steps between fork and exec, in order. If one fails, the command does not run: it never runs half confined.
 *
 * Landlock decides which parts of the file system may be touched, and keeps signals inside.
 */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* The headers of a stable distribution are older than its kernels. */
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
/* Rights that a rule on a file may name. A rule on a directory may name all. */
static const uint64_t OF_A_FILE = FS(0) | FS(1) | FS(2) | FS(14) | FS(15);

/* The rights that this version has. The kernel refuses a rule set that names a right it does not know. */
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

/* Closes the descriptor. */
static int allow(struct rules *r, int fd, uint64_t access, const char *name) {
  struct stat st;
  int failed = fstat(fd, &st);
  if (!failed && !S_ISDIR(st.st_mode)) access &= OF_A_FILE;
  access &= r->handled;
  struct path_beneath_attr rule = {access, fd};
  if (!failed && access) failed = (int)syscall(NR_ADD_RULE, r->fd, RULE_PATH_BENEATH, &rule, 0);
  close_quietly(fd);
  if (failed) snprintf(r->detail, r->size, "rule for %s", name);
  return failed ? -1 : 0;
}

/* A path that can't be opened gets no rule, so it stays refused. That must not end the set-up. */
static int allow_path(struct rules *r, int directory, const char *name, uint64_t access) {
  int fd = openat(directory, name, O_PATH | O_CLOEXEC);
  return fd < 0 ? 0 : allow(r, fd, access, name);
}

/* Gives each entry of a directory a rule of its own, because a right on the directory could not be taken back from an
 * entry. A symbolic link needs no rule, since its target has one. */
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

/* Whether the entry of /dev gives no way to a screen or keyboard of someone else. */
static int no_terminal(const char *name) {
  static const char *const others[] = {"tty", "pts", "vcs", "console", "input", "uinput", "fb", "stdin", "stdout",
      "stderr", "fd"};
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
  if (allow_path(r, AT_FDCWD, "/", READ_DIR) || allow_entries(r, "/", EXECUTE | READ_FILE | READ_DIR, not_dev))
    return -1;
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (allow_path(r, AT_FDCWD, harmless[i], device)) return -1;
  return allow_terminal(r, t, device) || allow_temporary(r, o->tmp) ? -1 : 0;
}

/* Light mode bounds only other terminals. Device nodes can't be made, because one would be a second name of a terminal.
 * The right to move files between directories, which every rule set takes away, is given back. */
static int allow_all_but_terminals(struct rules *r, const struct terminal *t) {
  const uint64_t all = r->handled & ~MAKE_CHAR;
  if (allow_path(r, AT_FDCWD, "/", REFER) || allow_entries(r, "/", all, not_dev)) return -1;
  return allow_entries(r, "/dev", all, no_terminal) || allow_terminal(r, t, all) ? -1 : 0;
}

/* In the trees everything but device nodes and named sockets can be made. They are opened after the mounts were made,
 * because a rule on a directory does not cover an overlay mounted over it. */
static int allow_writing(struct rules *r, const struct options *o) {
  static const char *const private_places[] = {"/tmp", "/dev/shm"};
  const uint64_t all = r->handled & ~(IOCTL_DEV | MAKE_CHAR | MAKE_BLOCK | MAKE_SOCK);
  for (int i = 0; i < o->tree_count; i++) {
    int fd = open(o->trees[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || allow(r, fd, all, o->trees[i])) return -1;
  }
  for (int i = 0; is_as_project(o) && i < 2; i++)
    if (allow_path(r, AT_FDCWD, private_places[i], all)) return -1;
  return 0;
}

static int landlock_enforce(const struct options *o, const struct terminal *t, char *detail, unsigned long size) {
  int abi = landlock_abi(o), light = o->profile == LIGHT;
  struct ruleset_attr attr = {.fs = known_rights(abi)};
  if (light) attr.fs &= READ_FILE | WRITE_FILE | IOCTL_DEV | MAKE_CHAR | REFER;
  if (abi >= 4 && !light && o->profile != PROJECT) attr.net = NET_BOTH;
  if (abi >= 6) attr.scoped = light ? SCOPE_SIGNAL : SCOPE_BOTH; /* the other scope is that of abstract sockets */
  snprintf(detail, size, "this kernel has no Landlock (Linux 5.13 or newer with it enabled)");
  if (abi < 1) return errno = ENOSYS, -1;
  snprintf(detail, size, "moving files would be refused (Linux 5.19 or newer is needed)");
  if ((light || o->profile == HELD) && abi < 2) return errno = ENOSYS, -1;
  *detail = 0;
  /* Older kernels take only the shorter structure, without the fields that they do not know. */
  struct rules r = {-1, attr.fs, detail, size};
  r.fd = (int)syscall(NR_CREATE_RULESET, &attr, abi >= 6 ? 24 : abi >= 4 ? 16 : 8, 0);
  if (r.fd < 0) return -1;
  if (light ? allow_all_but_terminals(&r, t) : allow_reading(&r, o, t)) return -1;
  if (o->profile & TREES && allow_writing(&r, o)) return -1;
  if (syscall(NR_RESTRICT_SELF, r.fd, 0)) return -1;
  return close(r.fd);
}

/*
 * Puts this process into a Landlock domain of its own, of which only the scope matters: from then on its signals reach
 * only what it starts, so that kill(-1, …) means exactly its tree. Returns whether that holds. A mistake would kill
 * every process of this user, so it is tested: `outside`, a process that could be signalled before, must now be out of
 * reach. Takes setuid programs away from what is started, so it is never used for an unrestricted command.
 */
int landlock_isolate(pid_t outside) {
  /* A rule set without REFER takes that right away, so it is named and given back for `/`. */
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

struct setup {
  const struct options *options;
  const struct terminal *terminal;
  const sigset_t *mask;
  struct attempt *attempt;
  char detail[200];
};

static int enter_directory(struct setup *s) {
  if (!s->options->cwd) return 0;
  snprintf(s->detail, sizeof s->detail, "%s", s->options->cwd);
  return chdir(s->options->cwd);
}

static int leave_terminal(struct setup *s) { return s->terminal->new_session && setsid() < 0 ? -1 : 0; }

/* Descriptors are marked to close at exec instead of closed, because the listener must stay open until then. */
static int close_descriptors(struct setup *s) {
  (void)s;
  if (syscall(__NR_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return 0;
  DIR *list = opendir("/proc/self/fd");
  if (!list) return -1;
  for (struct dirent *entry; (entry = readdir(list));) {
    int fd = (int)to_number(entry->d_name);
    if (fd > 2 && fcntl(fd, F_SETFD, FD_CLOEXEC)) return -1;
  }
  closedir(list);
  return 0;
}

/* A supervised command keeps its privileges unless it is kept by an ordinary user, whose listener needs this step. */
static int give_up_privileges(struct setup *s) {
  if (s->options->profile == SUPERVISE && (!s->options->keep || geteuid() == 0)) return 0;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Root keeps its rights over files only, which the mounts or Landlock bound. */
static int keep_file_capabilities(int profile, struct __user_cap_header_struct *header,
    struct __user_cap_data_struct *data) {
  const uint32_t inside = CAP_TO_MASK(CAP_CHOWN) | CAP_TO_MASK(CAP_FSETID) | CAP_TO_MASK(CAP_SETGID) |
      CAP_TO_MASK(CAP_SETUID);
  const uint32_t kept = CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH) | CAP_TO_MASK(CAP_FOWNER) |
                        (profile & INSIDE ? inside : 0);
  for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
    if ((cap > 31 || !(kept & CAP_TO_MASK(cap))) && prctl(PR_CAPBSET_DROP, cap)) return -1;
  data[0].permitted &= kept;
  data[0].effective = data[0].permitted;
  data[1].permitted = data[1].effective = data[0].inheritable = data[1].inheritable = 0;
  return (int)syscall(SYS_capset, header, data);
}

static int drop_capabilities(struct setup *s) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data)) return -1;
  if (!(data[0].permitted | data[1].permitted | data[0].inheritable | data[1].inheritable)) return 0;
  if (s->options->profile & TREES && geteuid() == 0) return keep_file_capabilities(s->options->profile, &header, data);
  if (data[CAP_TO_INDEX(CAP_SETPCAP)].effective & CAP_TO_MASK(CAP_SETPCAP)) {
    const unsigned long root_is_nobody = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                         SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                                         SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (prctl(PR_SET_SECUREBITS, prctl(PR_GET_SECUREBITS) | root_is_nobody)) return -1;
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
      if (prctl(PR_CAPBSET_DROP, cap)) return -1;
  }
  memset(data, 0, sizeof data);
  return (int)syscall(SYS_capset, &header, data);
}

static int lower(int what, uint64_t soft, uint64_t hard) {
  struct rlimit now;
  if (getrlimit(what, &now)) return -1;
  if (hard < now.rlim_max) now.rlim_max = hard;
  now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
  return setrlimit(what, &now);
}

/* The kernel writes a core file without any call, possibly over another file. The limit is 1 and not 0, because with a
 * core_pattern that is a pipe only 1 keeps the kernel from starting that handler outside. */
static int dump_no_core(struct setup *s) {
  return s->options->keep || s->options->profile & (RESTRICTED | TREES) ? lower(RLIMIT_CORE, 1, 1) : 0;
}

static int bound_resources(struct setup *s) {
  const struct limits *l = &s->options->limits;
  struct sysinfo info;
  /* NPROC counts every task of this user. The tasks of the whole machine, one call, are never fewer. */
  if (sysinfo(&info)) return -1;
  if (lower(RLIMIT_MSGQUEUE, 0, 0)) return -1;
  if (l->as && lower(RLIMIT_AS, l->as, l->as)) return -1;
  if (l->data && lower(RLIMIT_DATA, l->data, l->data)) return -1;
  if (l->fsize && lower(RLIMIT_FSIZE, l->fsize, l->fsize)) return -1;
  if (l->cpu && lower(RLIMIT_CPU, l->cpu, l->cpu + 5)) return -1; /* SIGXCPU first, SIGKILL five seconds later */
  if (l->nofile && lower(RLIMIT_NOFILE, l->nofile, l->nofile)) return -1;
  if (l->procs && lower(RLIMIT_NPROC, info.procs + l->procs, info.procs + l->procs)) return -1;
  return 0;
}

static int enforce_landlock(struct setup *s) {
  return landlock_enforce(s->options, s->terminal, s->detail, sizeof s->detail);
}

static int install_filter(struct setup *s) { return filter_install(s->options->profile, landlock_abi(s->options)); }

static int notify(struct setup *s) {
  if (!s->options->keep && !(s->options->profile & TREES)) return 0;
  int listener = notify_install();
  s->attempt->listener = listener;
  if (listener < 0 && errno == EBUSY && s->options->profile == PROJECT && !s->options->keep) {
    if (!any_named_outside(s->options)) return 0;
    snprintf(s->detail, sizeof s->detail,
        "a file in the tree has another name outside it, and another program supervises already");
    return errno = EBUSY, -1;
  }
  if (listener < 0 && errno == EBUSY) snprintf(s->detail, sizeof s->detail, "another program above supervises already");
  return listener < 0 ? -1 : 0;
}

static int run(struct setup *s) {
  snprintf(s->detail, sizeof s->detail, "%s", s->options->argv[0]);
  sigprocmask(SIG_SETMASK, s->mask, NULL);
  s->attempt->executing = 1;
  return execvp(s->options->argv[0], s->options->argv);
}

static const struct {
  const char *name;
  int (*take)(struct setup *);
  int profiles;
} steps[] = {
    {"cwd", enter_directory, EVERY},
    {"session", leave_terminal, EVERY},
    {"descriptors", close_descriptors, EVERY},
    {"privileges", give_up_privileges, EVERY},
    {"capabilities", drop_capabilities, RESTRICTED | TREES},
    {"core", dump_no_core, EVERY},
    {"limits", bound_resources, RESTRICTED | TRIAL},
    {"landlock", enforce_landlock, RESTRICTED | LIGHT | TREES},
    {"filter", install_filter, RESTRICTED | TREES},
    {"keep", notify, EVERY},
    {"exec", run, EVERY},
};

void confine_and_exec(const struct options *options, const struct terminal *terminal, const sigset_t *mask,
                      struct attempt *attempt) {
  struct setup setup = {options, terminal, mask, attempt, ""};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    if (!(steps[i].profiles & options->profile)) continue;
    setup.detail[0] = 0;
    errno = 0;
    int forced = options->fail_step && !strcmp(options->fail_step, steps[i].name);
    if (!forced && steps[i].take(&setup) == 0) continue;
    attempt->error = forced ? EIO : errno ? errno : EINVAL;
    attempt->executing = 0;
    snprintf(attempt->text, sizeof attempt->text, "%s: %s%s%s", steps[i].name, setup.detail, *setup.detail ? ": " : "",
             strerror(attempt->error));
    return;
  }
}
