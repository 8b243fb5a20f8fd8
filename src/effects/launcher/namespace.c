/*
 * A world of its own for one command: user, mount and process namespaces, in project mode network and IPC as well.
 * Nothing in it can be written but what its profile says, nothing outside can be signalled or reached.
 *
 *   supervisor ──► init (process 1 inside) ──► command
 *
 * The init is a copy of this program: it sets the mounts up, starts the command, passes signals on, and when the command
 * ends the kernel ends everything else inside with it. It shares its descriptors with the supervisor, so that the
 * listener of a kept command is open there as well.
 */
#include "store.h"

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

#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif
#ifndef CLONE_NEWUSER
#define CLONE_NEWUSER 0x10000000
#endif

/* In a trial the filter lets no socket and no System V object be made, so that a network of its own, the dearest of
 * namespaces, would hold nothing. */
enum { WORLD = CLONE_NEWNS | CLONE_NEWPID, PROJECT_WORLD = WORLD | CLONE_NEWNET | CLONE_NEWIPC };

static int put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = write(fd, text, strlen(text));
  int why = errno;
  close(fd);
  errno = why;
  return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* Everyone stays who they are; other owners can't be named inside. */
static int map_ids(uid_t uid, gid_t gid) {
  char line[48];
  if (put("/proc/self/setgroups", "deny") && errno != ENOENT) return -1;
  snprintf(line, sizeof line, "%d %d 1", (int)uid, (int)uid);
  if (put("/proc/self/uid_map", line)) return -1;
  snprintf(line, sizeof line, "%d %d 1", (int)gid, (int)gid);
  return put("/proc/self/gid_map", line);
}

/* The network inside is a loopback and nothing else; it is brought up while that may still be done. */
static int loopback_up(void) {
  struct {
    char name[16];
    short flags;
    char rest[22];
  } request = {.name = "lo"};
  int fd = (int)syscall(SYS_socket, 2 /* AF_INET */, 2 /* SOCK_DGRAM */ | 02000000 /* SOCK_CLOEXEC */, 0);
  if (fd < 0) return -1;
  int failed = syscall(SYS_ioctl, fd, 0x8913 /* SIOCGIFFLAGS */, &request) != 0;
  request.flags |= 1; /* IFF_UP */
  failed = failed || syscall(SYS_ioctl, fd, 0x8914 /* SIOCSIFFLAGS */, &request) != 0;
  close(fd);
  return failed ? -1 : 0;
}

static void say(struct attempt *a, const char *step, const char *detail) {
  a->error = errno ? errno : EINVAL;
  a->executing = 0;
  snprintf(a->text, sizeof a->text, "%s: %s%s%s", step, detail, *detail ? ": " : "", strerror(a->error));
}

static void __attribute__((noinline)) become(const struct options *o, const struct terminal *t, const sigset_t *mask, struct attempt *a) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) confine_and_exec(o, t, mask, a);
  _exit(EXIT_SETUP);
}

/* Waits for the command; what the terminal sends reaches it by itself, so only the supervisor's signals are passed on. */
static void tend(const struct options *o, struct inside *shared, struct store *kept, pid_t command, int to_group, int signals) {
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
    } else if (waits[1].revents) waits[1].fd = -1; /* nobody is left who could ask */
    if (!waits[0].revents) continue;
    if (read(signals, &info, sizeof info) != sizeof info) _exit(1);
    if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0) kill(to_group ? -command : command, (int)info.ssi_signo);
  }
}

static void __attribute__((noreturn)) init(const struct options *o, const struct terminal *t, const sigset_t *mask,
                                           struct inside *shared, struct store *kept, int own_user, int supervisor, int told) {
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
  else if (own_user && map_ids(uid, gid)) say(a, "namespaces", "user");
  else if (mount_world(o, detail, sizeof detail)) say(a, "mounts", detail);
  else if (o->profile == PROJECT && loopback_up()) say(a, "network", "loopback");
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

/* Returns the init's number, behind the command's start; -1 with what failed in `shared`. `ended` tells of children. */
pid_t start_inside(const struct options *o, const struct terminal *t, const sigset_t *mask, int ended, struct store *kept, struct inside **out) {
  long page = syscall(SYS_mmap, 0, sizeof(struct inside), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == -1) return -1;
  struct inside *shared = *out = (struct inside *)page;
  int told[2], supervisor = (int)syscall(__NR_pidfd_open, getpid(), 0);
  shared->uid = (int)geteuid();
  shared->gid = (int)syscall(SYS_getegid);
  shared->attempt.listener = -1;
  if (supervisor < 0 || pipe2(told, O_CLOEXEC)) return say(&shared->attempt, "namespaces", ""), -1;
  int own_user = shared->uid != 0;
  if (o->keep) outside_begin();
  pid_t pid = -1;
  /* Root needs no user namespace, unless it is not really root. */
  if (o->fail_step && !strcmp(o->fail_step, "namespaces")) return errno = EPERM, say(&shared->attempt, "namespaces", ""), -1;
  for (int again = 0; pid < 0 && again < 2; again++) {
    if (again && (own_user || errno != EPERM)) break;
    own_user |= again;
    pid = (pid_t)syscall(SYS_clone, (o->profile == PROJECT ? PROJECT_WORLD : WORLD) | (own_user ? CLONE_NEWUSER : 0) | CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) init(o, t, mask, shared, kept, own_user, supervisor, told[1]);
  }
  if (pid < 0) say(&shared->attempt, "namespaces", "");
  struct pollfd waits[] = {{told[0], POLLIN, 0}, {ended, POLLIN, 0}};
  while (pid > 0 && poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
  int began = pid > 0 && waits[0].revents && shared->attempt.executing;
  close(told[0]);
  close(told[1]);
  close(supervisor);
  if (pid > 0 && !began && !shared->attempt.error) say(&shared->attempt, "namespaces", "ended");
  if (pid > 0 && !began) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  return began ? pid : -1;
}
