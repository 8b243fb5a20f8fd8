/*
 * Namespaces of its own for one command: user, mount and process namespaces, in Project mode network and IPC as well.
 * Inside, nothing can be written but what the profile allows, and nothing outside can be signalled or reached.
 *
 *   supervisor ──► init (process 1 inside) ──► command
 *
 * The init is a copy of this program. It makes the mounts, starts the command and passes signals on. When it ends, the
 * kernel ends everything else inside. It shares its descriptors with the supervisor, so the listener of a kept command
 * is open in both.
 *
 * All mounts become read-only, and others are attached over them: for a trial an overlay of each tree, whose upper
 * directory collects what the command would change; in Project mode the tree itself; in Project mode and a trial of it
 * private temporary directories.
 * An overlay or a clone that is made after that step would be read-only too, so they are made before it and attached
 * after it.
 */
#include "trial.h"

#include "knowledge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The headers of a stable distribution are older than its kernels. */
enum { NR_OPEN_TREE = 428, NR_MOVE_MOUNT = 429, NR_FSOPEN = 430, NR_FSCONFIG = 431, NR_FSMOUNT = 432,
    NR_MOUNT_SETATTR = 442 };
enum { SET_FLAG = 0, SET_STRING = 1, MAKE = 6, CLOEXEC = 1, COPY_OF_TREE = 1, FROM_DESCRIPTOR = 4, WHOLE = 0x8000,
       OLD_NO_SUID = 2, OLD_NO_DEVICES = 4, OLD_NO_EXEC = 8, OLD_WHOLE = 1 << 14, OLD_PRIVATE = 1 << 18 };
enum { READ_ONLY = 1, NO_SUID = 2, NO_DEVICES = 4 };

struct attributes {
  uint64_t set, clear, propagation, user;
};

/* The mounts that are being made, and where the reason of a failure goes. */
struct mounts {
  const struct options *options;
  char *why;
  unsigned long why_size;
};

static int at(const struct mounts *m, const char *path) {
  snprintf(m->why, m->why_size, "%s", path);
  return -1;
}

static int set(int fs, unsigned what, const char *key, const char *value) {
  return (int)syscall(NR_FSCONFIG, fs, what, key, value, 0);
}

/* Layers are named by descriptors, because a path may be too long for an option or hold a colon. */
static int set_layer(int fs, const char *key, int layer) {
  char path[FD_PATH];
  path_in(layer, "", path);
  return set(fs, SET_STRING, key, path);
}

static int mount_of(int fs, int failed, unsigned flags) {
  const int mount = failed ? -1 : (int)syscall(NR_FSMOUNT, fs, CLOEXEC, flags);
  close_quietly(fs);
  return mount;
}

static int overlay(int lower, int upper, int work) {
  int fs = (int)syscall(NR_FSOPEN, "overlay", CLOEXEC);
  if (fs < 0) return -1;
  int failed = set_layer(fs, "lowerdir", lower) || set_layer(fs, "upperdir", upper) || set_layer(fs, "workdir", work) ||
               set(fs, SET_FLAG, "userxattr", NULL) || set(fs, MAKE, NULL, NULL);
  return mount_of(fs, failed, NO_SUID | NO_DEVICES);
}

static int temporary(const char *size, const char *mode, unsigned flags) {
  int fs = (int)syscall(NR_FSOPEN, "tmpfs", CLOEXEC);
  if (fs < 0) return -1;
  int failed = set(fs, SET_STRING, "size", size) || set(fs, SET_STRING, "mode", mode) || set(fs, MAKE, NULL, NULL);
  return mount_of(fs, failed, flags | NO_SUID | NO_DEVICES);
}

static int clone_of(const char *path, unsigned flags) {
  return (int)syscall(NR_OPEN_TREE, AT_FDCWD, path, COPY_OF_TREE | O_CLOEXEC | AT_NO_AUTOMOUNT | flags);
}

static int restrict_mount(int mount, uint64_t flags) {
  struct attributes a = {flags, 0, 0, 0};
  return (int)syscall(NR_MOUNT_SETATTR, mount, "", AT_EMPTY_PATH | WHOLE, &a, sizeof a);
}

static int attach(const struct mounts *m, int mount, const char *path) {
  int failed = mount < 0 || syscall(NR_MOVE_MOUNT, mount, "", AT_FDCWD, path, FROM_DESCRIPTOR);
  close_quietly(mount);
  return failed ? at(m, path) : 0;
}

int is_below(const char *path, const char *top) {
  uint64_t n = strlen(top);
  return n == 1 || (!strncmp(path, top, n) && (path[n] == '/' || !path[n]));
}

int is_as_project(const struct options *o) { return o->profile == PROJECT || o->as_project; }

/* An overlay would show what is under a mount point, not what is mounted there. */
static int holds_mounts(const struct mounts *m, const char *tree) {
  static char buffer[1 << 16];
  char path[4096];
  uint64_t filled = 0;
  int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), found = 0;
  if (fd < 0) return at(m, "/proc/self/mountinfo"), 1;
  for (ssize_t n; !found && (n = read(fd, buffer + filled, sizeof buffer - 1 - filled)) > 0;) {
    filled += (uint64_t)n;
    buffer[filled] = 0;
    char *line = buffer, *end;
    for (; !found && (end = strchr(line, '\n')); line = end + 1) {
      const char *field = line;
      for (int i = 0; i < 4 && field && field < end; i++)
        if ((field = strchr(field, ' '))) field++;
      uint64_t used = 0;
      for (; field && *field != ' ' && field < end && used < sizeof path - 1; field++) {
        if (*field == '\\' && field + 3 < end) {
          path[used++] = (char)((field[1] - '0') * 64 + (field[2] - '0') * 8 + field[3] - '0');
          field += 3;
        } else path[used++] = *field;
      }
      path[used] = 0;
      found = strcmp(path, tree) && is_below(path, tree);
    }
    uint64_t left = filled - (uint64_t)(line - buffer);
    memcpy(buffer, line, left); /* copied forwards, so an overlap does no harm */
    filled = left;
  }
  close(fd);
  if (!found) return 0;
  snprintf(m->why, m->why_size, "a mount point lies in it: %s", path);
  errno = EBUSY;
  return 1;
}

static int numbered(char to[4096], const char *directory, const char *name, int number) {
  return snprintf(to, 4096, "%s/trial/%s%d", directory, name, number) >= 4095 ? (errno = ENAMETOOLONG, -1) : 0;
}

/* Makes a directory for tree number `i`. The upper directory gets the mode and owner of the tree's root. */
static int open_layer(const struct mounts *m, const char *name, int i, const struct state *root) {
  char path[4096];
  struct id id;
  struct state made;
  if (numbered(path, m->options->trial, name, i)) return -1;
  if (syscall(SYS_mkdirat, AT_FDCWD, path, 0700)) return at(m, path);
  if (root) {
    if (look(AT_FDCWD, path, 0, &id, &made)) return at(m, path);
    if ((made.uid != root->uid || made.gid != root->gid) &&
        syscall(SYS_fchownat, AT_FDCWD, path, root->uid, root->gid, 0) && errno != EINVAL && errno != EPERM)
      return at(m, path);
    if (syscall(SYS_fchmodat, AT_FDCWD, path, root->mode & 07777)) return at(m, path);
  }
  return open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The root of an overlay has the attributes of the upper directory, access lists included. */
static int copy_attributes(int from, int to) {
  static char list[1 << 16], value[1 << 16];
  char source[FD_PATH], target[FD_PATH];
  path_in(from, "", source);
  path_in(to, "", target);
  long n = syscall(SYS_listxattr, source, list, sizeof list);
  for (const char *item = list; item < list + n; item += strlen(item) + 1) {
    if (is_private(item) || !strncmp(item, "security.", 9)) continue;
    long size = syscall(SYS_getxattr, source, item, value, sizeof value);
    if (size >= 0 && syscall(SYS_setxattr, target, item, value, size, 0)) return -1;
  }
  return 0;
}

static int overlay_of(const struct mounts *m, int i) {
  const char *tree = m->options->trees[i];
  struct id id;
  struct state root;
  if (holds_mounts(m, tree)) return -1;
  int lower = open(tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (lower < 0 || look(lower, "", 0, &id, &root)) return at(m, tree);
  int upper = open_layer(m, "upper", i, &root), work = upper < 0 ? -1 : open_layer(m, "work", i, NULL);
  if (work < 0) return -1;
  if (copy_attributes(lower, upper)) return at(m, tree);
  int mount = overlay(lower, upper, work);
  close_quietly(lower);
  close_quietly(upper);
  close_quietly(work);
  return mount < 0 ? at(m, tree) : mount;
}

/* Makes the directories on the way to a tree that is below a fresh temporary directory. */
static int make_way_to(const struct mounts *m, const char *path, const char *top) {
  char part[4096];
  uint64_t n = strlen(path);
  if (n >= sizeof part) return errno = ENAMETOOLONG, -1;
  for (uint64_t i = strlen(top) + 1; i <= n; i++) {
    if (path[i] && path[i] != '/') continue;
    memcpy(part, path, i);
    part[i] = 0;
    if (syscall(SYS_mkdirat, AT_FDCWD, part, 0755) && errno != EEXIST) return at(m, part);
  }
  return 0;
}

static int exists(const char *path) { return syscall(SYS_faccessat, AT_FDCWD, path, 0) == 0; }

static int mount_over_itself(const struct mounts *m, const char *path, unsigned flags, int read_only) {
  int mount = clone_of(path, AT_SYMLINK_NOFOLLOW | flags);
  if (mount < 0 || (read_only && restrict_mount(mount, READ_ONLY))) return at(m, path);
  return attach(m, mount, path);
}

const char *const git_obeys[] = {GIT_OBEYS};

static int guard_repository(const struct mounts *m, const char *git) {
  char path[4096];
  struct id id;
  struct state state;
  if (mount_over_itself(m, git, WHOLE, 0)) return -1;
  for (int i = 0; git_obeys[i]; i++) {
    if (snprintf(path, sizeof path, "%s/%s", git, git_obeys[i]) >= (int)sizeof path - 1)
      return errno = ENAMETOOLONG, at(m, git);
    if (look(AT_FDCWD, path, 0, &id, &state)) continue;
    if (mount_over_itself(m, path, WHOLE, 1)) return -1;
  }
  return 0;
}

/* Hooks and configuration become read-only by mounts over themselves, because git would run what they say. `.git`, or
 * the link in its place, is a mount too, so that it can't be moved away and replaced. */
static int guard_git(const struct mounts *m, const char *tree) {
  const struct options *o = m->options;
  char git[4096], real[4096];
  struct id id;
  struct state state;
  if (snprintf(git, sizeof git, "%s/.git", tree) >= (int)sizeof git - 1) return errno = ENAMETOOLONG, at(m, tree);
  if (look(AT_FDCWD, git, 0, &id, &state)) return errno == ENOENT ? 0 : at(m, git);
  if (S_ISDIR(state.mode)) return guard_repository(m, git);
  /* A file, in a worktree: its repository is elsewhere and read-only anyway. */
  if (!S_ISLNK(state.mode)) return mount_over_itself(m, git, 0, 1);
  int fd = open(git, O_PATH | O_CLOEXEC), lost = fd < 0 || look(fd, "", 0, &id, &state);
  long n = lost ? 0 : path_of_fd(fd, real, sizeof real);
  if (fd >= 0) close(fd);
  if (n < 0) return at(m, git);
  if (mount_over_itself(m, git, 0, 1)) return -1;
  for (int i = 0; n && i < o->tree_count; i++)
    if (is_below(real, o->trees[i]) && strcmp(real, o->trees[i]))
      return S_ISDIR(state.mode) ? guard_repository(m, real) : mount_over_itself(m, real, 0, 1);
  return 0;
}

static const char *const private_places[] = {"/tmp", "/dev/shm"};

/* Hides the stores: what is kept of other actions, and what this one collects. */
static int hide(const struct mounts *m, const char *store) {
  char above[4096];
  const char *last = strrchr(store, '/');
  if (!last || last == store || (uint64_t)(last - store) >= sizeof above) return errno = EINVAL, at(m, store);
  memcpy(above, store, (uint64_t)(last - store));
  above[last - store] = 0;
  return exists(above) ? attach(m, temporary("4k", "000", READ_ONLY), above) : 0;
}

static int mount_all(const struct options *o, char *detail, unsigned long size) {
  const struct mounts m = {o, detail, size};
  int mounts[MAX_TREES], places[2] = {-1, -1};
  char cwd[4096];
  long n = syscall(SYS_getcwd, cwd, sizeof cwd);
  if (n <= 0) return at(&m, "current directory");
  if (syscall(SYS_mount, NULL, "/", NULL, OLD_WHOLE | OLD_PRIVATE, NULL)) return at(&m, "/");
  for (int i = 0; i < o->tree_count; i++) {
    mounts[i] = o->profile == TRIAL ? overlay_of(&m, i) : clone_of(o->trees[i], WHOLE);
    if (mounts[i] < 0) return *m.why ? -1 : at(&m, o->trees[i]);
  }
  for (int i = 0; is_as_project(o) && i < 2; i++) {
    if (!exists(private_places[i])) continue;
    if ((places[i] = temporary("50%", "1777", 0)) < 0) return at(&m, private_places[i]);
  }
  int own = o->tmp ? clone_of(o->tmp, 0) : -1;
  if (o->tmp && own < 0) return at(&m, o->tmp);
  struct attributes all = {READ_ONLY, 0, 0, 0};
  if (syscall(NR_MOUNT_SETATTR, AT_FDCWD, "/", WHOLE, &all, sizeof all)) return at(&m, "/");
  for (int i = 0; i < 2; i++) {
    if (places[i] < 0) continue;
    if (attach(&m, places[i], private_places[i])) return -1;
    for (int k = 0; k < o->tree_count; k++)
      if (is_below(o->trees[k], private_places[i]) && make_way_to(&m, o->trees[k], private_places[i])) return -1;
    if (own >= 0 && is_below(o->tmp, private_places[i]) && make_way_to(&m, o->tmp, private_places[i])) return -1;
  }
  for (int i = 0; i < o->tree_count; i++)
    if (attach(&m, mounts[i], o->trees[i])) return -1;
  for (int i = 0; is_as_project(o) && i < o->tree_count; i++)
    if (guard_git(&m, o->trees[i])) return -1;
  if (o->trial && hide(&m, o->trial)) return -1;
  if (o->keep && hide(&m, o->keep)) return -1;
  if (own >= 0 && attach(&m, own, o->tmp)) return -1;
  /* A container may refuse this. Then the old /proc stays, whose processes Landlock keeps out of reach. */
  syscall(SYS_mount, "proc", "/proc", "proc", OLD_NO_SUID | OLD_NO_DEVICES | OLD_NO_EXEC, NULL);
  /* The old current directory is now below the mounts. */
  if (syscall(SYS_chdir, cwd) && (!o->cwd || *o->cwd != '/' || syscall(SYS_chdir, "/"))) return at(&m, cwd);
  return 0;
}

#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif
#ifndef CLONE_NEWUSER
#define CLONE_NEWUSER 0x10000000
#endif

/* A trial needs no network namespace, the slowest to make: its filter allows no socket and no System V object. */
enum { NAMESPACES = CLONE_NEWNS | CLONE_NEWPID, JOINED_NAMESPACES = NAMESPACES | CLONE_NEWIPC,
    PROJECT_NAMESPACES = JOINED_NAMESPACES | CLONE_NEWNET };

static void say(struct attempt *a, const char *step, const char *detail) {
  a->error = errno ? errno : EINVAL;
  a->executing = 0;
  snprintf(a->text, sizeof a->text, "%s: %s%s%s", step, detail, *detail ? ": " : "", strerror(a->error));
}

static void __attribute__((noinline)) become(const struct options *o, const struct terminal *t, const sigset_t *mask,
    struct attempt *a) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) confine_and_exec(o, t, mask, a);
  _exit(EXIT_SETUP);
}

/* Waits for the command. Passes on the supervisor's signals only, because the terminal's reach the command anyway. */
static void tend(const struct options *o, struct inside *shared, struct store *kept, pid_t command, int to_group,
    int signals) {
  struct signalfd_siginfo info;
  struct pollfd waits[] = {{signals, POLLIN, 0}, {shared->attempt.listener, POLLIN, 0}};
  for (;;) {
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
      if (pid != command) continue;
      shared->status = how;
      shared->over = 1;
      kill(-1, SIGKILL);
      while (waitpid(-1, &how, 0) > 0) shared->left++;
      if (o->keep) keep_end(kept, o);
      _exit(0);
    }
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[1].revents & POLLIN) {
      if (keep_answer(kept, waits[1].fd)) waits[1].fd = -1;
    } else if (waits[1].revents) waits[1].fd = -1; /* no process is left that could ask */
    if (!waits[0].revents) continue;
    if (read(signals, &info, sizeof info) != sizeof info) _exit(1);
    if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0) kill(to_group ? -command : command, (int)info.ssi_signo);
  }
}

static void __attribute__((noreturn)) init(const struct options *o, const struct terminal *t, const sigset_t *mask,
                                           struct inside *shared, struct store *kept, int own_user, int supervisor,
                                           int told) {
  struct attempt *a = &shared->attempt;
  struct pollfd gone = {supervisor, POLLIN, 0};
  char detail[200] = "";
  sigset_t all;
  errno = 0;
  sigfillset(&all);
  int signals = signalfd(-1, &all, SFD_CLOEXEC);
  uid_t uid = (uid_t)shared->uid;
  gid_t gid = (gid_t)shared->gid;
  pid_t command = -1;
  kept->is_mapped = own_user;
  if (signals < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) || poll(&gone, 1, 0)) say(a, "supervisor", "");
  else if (own_user && !shared->joined && map_ids(uid, gid)) say(a, "namespaces", "user");
  else if (mount_all(o, detail, sizeof detail)) say(a, "mounts", detail);
  else if (o->profile == PROJECT && !shared->joined && loopback_up()) say(a, "network", "loopback");
  else {
    command = raw_vfork_sharing();
    if (command == 0) become(o, t, mask, a);
    if (command < 0) say(a, "fork", "");
    else if (!a->executing && !a->error) say(a, "command", "killed before it began");
  }
  if (write(told, "", 1) != 1 || command < 0 || !a->executing) _exit(EXIT_SETUP);
  if (a->listener >= 0) keep_ready(a->listener);
  tend(o, shared, kept, command, t->new_session, signals);
  _exit(1);
}

/* Starts the init in the session's network. A process between joins it, and the init becomes the child of this one.
 * Returns -1 where the network can't be joined. */
static pid_t start_joined(const struct options *o, const struct terminal *t, const sigset_t *mask,
    struct inside *shared, struct store *kept, int supervisor, int told) {
  struct network network;
  if (open_network(o->network, o->parent, &network)) return -1;
  pid_t between = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
  if (between == 0) {
    if (join_network(&network)) _exit(EXIT_SETUP);
    pid_t pid = (pid_t)syscall(SYS_clone, JOINED_NAMESPACES | CLONE_FILES | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      shared->joined = 1;
      init(o, t, mask, shared, kept, network.user >= 0, supervisor, told);
    }
    shared->pid = pid;
    _exit(0);
  }
  if (between > 0) waitpid(between, NULL, 0);
  close(network.net);
  close(network.user);
  return shared->pid > 0 ? shared->pid : -1;
}

/* Returns the init's process id once the command has started, or -1 with the reason in `shared`. */
pid_t start_inside(const struct options *o, const struct terminal *t, const sigset_t *mask, struct store *kept,
    struct inside **out) {
  long page = syscall(SYS_mmap, 0, sizeof(struct inside), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == -1) return -1;
  struct inside *shared = *out = (struct inside *)page;
  int told[2], supervisor = (int)syscall(__NR_pidfd_open, getpid(), 0);
  shared->uid = (int)geteuid();
  shared->gid = (int)syscall(SYS_getegid);
  shared->attempt.listener = -1;
  if (supervisor < 0 || pipe2(told, O_CLOEXEC)) return say(&shared->attempt, "namespaces", ""), -1;
  int own_user = shared->uid != 0;
  if (o->keep) outside_begin(kept);
  pid_t pid = -1;
  /* Root needs no user namespace, unless it is root only in a container. */
  if (o->fail_step && !strcmp(o->fail_step, "namespaces"))
    return errno = EPERM, say(&shared->attempt, "namespaces", ""), -1;
  if (o->network) pid = start_joined(o, t, mask, shared, kept, supervisor, told[1]);
  for (int again = 0; pid < 0 && again < 2; again++) {
    if (again && (own_user || errno != EPERM)) break;
    own_user |= again;
    pid = (pid_t)syscall(SYS_clone,
        (o->profile == PROJECT ? PROJECT_NAMESPACES : NAMESPACES) | (own_user ? CLONE_NEWUSER : 0) | CLONE_FILES |
        SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) init(o, t, mask, shared, kept, own_user, supervisor, told[1]);
  }
  if (pid < 0) say(&shared->attempt, "namespaces", "");
  int init_ended = pid > 0 ? (int)syscall(__NR_pidfd_open, pid, 0) : -1;
  struct pollfd waits[] = {{told[0], POLLIN, 0}, {init_ended, POLLIN, 0}};
  while (pid > 0 && poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
  int began = pid > 0 && waits[0].revents && shared->attempt.executing;
  close(told[0]);
  close(told[1]);
  close(supervisor);
  close(init_ended);
  if (pid > 0 && !began && !shared->attempt.error) say(&shared->attempt, "namespaces", "ended");
  if (pid > 0 && !began) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  return began ? pid : -1;
}
