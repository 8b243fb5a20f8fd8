/* The supervisor: waits for the command, forwards signals, keeps the time limit, and leaves no process behind. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __NR_pidfd_send_signal
#define __NR_pidfd_send_signal 424
#define __NR_pidfd_open 434
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif

enum { MAX_PROCESSES = 1 << 17, WATCH_MS = 50, GIVE_UP_MS = 2000, MAX_FILES = 1024 };

struct process {
  pid_t pid, parent;
  int threads, below;
};

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Fills parent and thread count from /proc/PID/stat; the name in it may hold anything, so parse after the last ')'. */
static int read_stat(int directory, const char *path, pid_t pid, struct process *p) {
  char text[1024];
  int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return -1;
  text[n] = 0;
  char *at = strrchr(text, ')');
  *p = (struct process){.pid = pid};
  int zombie = 0;
  /* Then, one blank before each: state (field 3), parent (4), …, number of threads (20). */
  for (int field = 3; field <= 20; field++) {
    if (!at || !(at = strchr(at, ' '))) return -1;
    at++;
    if (field == 3) zombie = *at == 'Z';
    if (field == 4) p->parent = (pid_t)to_number(at);
    if (field == 20) p->threads = (int)to_number(at);
  }
  return zombie && p->parent != getpid() ? -1 : 0; /* another parent's zombie can't be killed */
}

static int read_process(pid_t pid, struct process *p) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  return read_stat(AT_FDCWD, path, pid, p);
}

pid_t parent_in(int directory) {
  struct process p;
  return directory < 0 || read_stat(directory, "stat", 0, &p) ? -1 : p.parent;
}

/* The table is sorted, because /proc lists numbers in ascending order. */
static struct process *find(struct process *table, int count, pid_t pid) {
  int low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (table[middle].pid < pid) low = middle + 1;
    else high = middle;
  }
  return low < count && table[low].pid == pid ? &table[low] : NULL;
}

/* Reads all processes and marks those that descend from this one. Returns how many there are. */
static int read_tree(struct process **all) {
  static struct process table[MAX_PROCESSES]; /* static, since it must be there even without memory */
  DIR *proc = opendir("/proc");
  int count = 0;
  *all = table;
  if (!proc) return 0;
  for (struct dirent *entry; count < MAX_PROCESSES && (entry = readdir(proc));) {
    pid_t pid = (pid_t)to_number(entry->d_name);
    if (pid > 0 && read_process(pid, &table[count]) == 0) count++;
  }
  closedir(proc);
  for (int changed = 1; changed;) {
    changed = 0;
    for (int i = 0; i < count; i++) {
      if (table[i].below) continue;
      struct process *parent = find(table, count, table[i].parent);
      if (table[i].parent == getpid() || (parent && parent->below)) table[i].below = changed = 1;
    }
  }
  return count;
}

/* The number of a process that is not our child may be given to another, so the process is held and read again. */
static void kill_exactly(const struct process *p) {
  if (p->parent == getpid()) {
    kill(p->pid, SIGKILL);
    return;
  }
  int fd = (int)syscall(__NR_pidfd_open, p->pid, 0);
  struct process again;
  if (fd < 0) return;
  if (read_process(p->pid, &again) == 0 && again.parent == p->parent)
    syscall(__NR_pidfd_send_signal, fd, SIGKILL, NULL, 0);
  close(fd);
}

/* If signals are scoped, one call reaches the whole tree and nothing else, and no fork escapes it. Otherwise the tree
 * is read and killed until nothing is left. */
int kill_tree(int alone) {
  int found = 0;
  for (int64_t last = now_ms(); now_ms() - last < GIVE_UP_MS;) {
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
      last = now_ms();
      found++;
    }
    if (pid < 0) return found; /* ECHILD: no process is left */
    if (alone) kill(-1, SIGKILL);
    else {
      struct process *table;
      int count = read_tree(&table);
      for (int i = 0; i < count; i++)
        if (table[i].below) kill_exactly(&table[i]);
    }
    poll(NULL, 0, 1);
  }
  return found; /* a process that may not be killed (sudo), or does not die */
}

/* RLIMIT_NPROC does not bind root, so root's processes are counted. One cheap call says when counting is needed. */
static int too_many(uint64_t allowed, unsigned long before) {
  struct sysinfo info;
  if (sysinfo(&info) || info.procs < before + allowed) return 0;
  syscall(SYS_setpriority, 0 /* PRIO_PROCESS */, 0, -20); /* a fork bomb would leave this process no time */
  struct process *table;
  uint64_t tasks = 0;
  int count = read_tree(&table);
  for (int i = 0; i < count; i++)
    if (table[i].below) tasks += table[i].threads;
  return tasks > allowed;
}

/* The caller continues as soon as it learns of the end, so the output must be closed and the store unlocked by then. */
static void let_go(int report) {
  if (syscall(__NR_close_range, 0, report - 1, 0) == 0 && syscall(__NR_close_range, report + 1, ~0U, 0) == 0) return;
  for (int fd = 0; fd < MAX_FILES; fd++)
    if (fd != report) close(fd);
}

static void conclude(struct report *r, int report, int status) {
  char line[320];
  int n = 0;
  if (r->kind == FAILED) n = snprintf(line, sizeof line, "failed %s\n", r->text);
  else if (r->kind == TIMED_OUT) n = snprintf(line, sizeof line, "stopped wall\n");
  else if (r->kind == ABANDONED) n = snprintf(line, sizeof line, "stopped parent\n");
  else if (r->kind == TOO_LARGE) n = snprintf(line, sizeof line, "stopped space\n");
  else if (r->kind == TOO_MANY) n = snprintf(line, sizeof line, "stopped procs\n");
  else if (WIFSIGNALED(r->status)) n = snprintf(line, sizeof line, "signal %d left %d\n", WTERMSIG(r->status), r->left);
  else n = snprintf(line, sizeof line, "exit %d left %d\n", WEXITSTATUS(r->status), r->left);
  if (status >= 0 && write(status, line, n) < 0) { /* the pipe reports it too */
  }
  let_go(report);
  if (write(report, r, sizeof *r) < 0) { /* the front is gone */
  }
  _exit(0);
}

/* The child's half. A function of its own, so that vfork changes nothing of the caller's frame. */
static void __attribute__((noinline)) become(const struct options *o, const struct terminal *t, const sigset_t *mask,
                                             pid_t supervisor, struct attempt *a) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == supervisor) confine_and_exec(o, t, mask, a);
  _exit(EXIT_SETUP);
}

/* vfork, because the supervisor waits until exec anyway, no pages need to be copied, and the child leaves in memory how
 * far it came. Until exec all signals are blocked in both. `inside` is set for a command in namespaces of its own. */
static pid_t start(const struct options *o, const struct terminal *t, const sigset_t *mask, struct store *kept,
                   struct report *r, int *listener, struct inside **inside) {
  static struct attempt a = {.listener = -1};
  if (o->profile & INSIDE) {
    pid_t init = start_inside(o, t, mask, kept, inside); /* it answers the listener itself */
    if (*inside) a = (*inside)->attempt;
    if (init > 0) return init;
    *r = (struct report){.kind = FAILED, .status = a.error};
    if (a.error) memcpy(r->text, a.text, sizeof r->text);
    else snprintf(r->text, sizeof r->text, "memory");
    return init;
  }
  pid_t self = getpid(), command = o->keep || o->profile == HELD ? raw_vfork_sharing() : raw_vfork();
  if (command == 0) become(o, t, mask, self, &a);
  *listener = a.listener;
  if (command > 0 && a.executing) return command;
  *r = (struct report){.kind = FAILED, .status = command < 0 ? -command : a.error};
  if (a.error) memcpy(r->text, a.text, sizeof r->text);
  else snprintf(r->text, sizeof r->text, "%s", command < 0 ? "fork" : "parent: the command was killed before it began");
  return command;
}

static void say(int status, const char *line) {
  if (status >= 0 && write(status, line, strlen(line)) < 0) { /* the caller then reads `not started`, which is safe */
  }
}

/* Reaps all processes that ended. Returns 1 if the command is among them. */
static int reap(pid_t command, int ended, struct report *r) {
  struct signalfd_siginfo info;
  int how, over = 0;
  while (read(ended, &info, sizeof info) == sizeof info) {
  }
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
    if (pid == command) {
      r->status = how;
      over = 1;
    }
  return over;
}

static void give_up(struct report *r, const char *step) {
  *r = (struct report){.kind = FAILED, .status = errno};
  snprintf(r->text, sizeof r->text, "%s: %s", step, strerror(errno));
}

/* Free bytes where a trial collects its changes. Other programs use them too, so a trial may end early, never late. */
static uint64_t room_left(const struct options *o) {
  uint64_t buffer[32] = {0};
  if (syscall(SYS_statfs, o->trial, buffer)) return UINT64_MAX / 2;
  return buffer[1] * buffer[3]; /* block size, free blocks */
}

/* Opens the trees before the command's mounts are made, because no link can be made from one mount to another. */
static int open_outside(struct store *s, const struct options *o) {
  if (o->tree_count && (s->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return -1;
  for (int i = 0; i < o->tree_count; i++) {
    s->outside[i].path = o->trees[i];
    if ((s->outside[i].fd = open(o->trees[i], O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return -1;
    s->outside_count++;
  }
  return 0;
}

static void set_guards(struct store *s, const struct options *o) {
  s->guards = (o->profile & PROJECTS) != 0;
  s->holds = o->profile == HELD ? o : NULL;
}

/* No command may change or move this directory. A directory that does not exist is not guarded. */
static int guard_directory(struct store *s, int directory) {
  uint32_t n = directory < 0 ? 0 : keep_directory(s, directory);
  if (directory >= 0) close(directory);
  if (!n) return -1;
  s->nodes[n].flags |= IS_VAULT;
  for (n = s->nodes[n].parent; n; n = s->nodes[n].parent) s->nodes[n].flags |= HOLDS_VAULT;
  return 0;
}

static int keep_begin(struct store *s, const struct options *o) {
  if (store_open(s, o->keep, 0) || open_outside(s, o)) return -1;
  s->listens = 1;
  set_guards(s, o);
  s->max_file = o->keep_file;
  s->keeps_credentials = o->keep_credentials;
  s->protects_credentials = o->protect_credentials;
  if (o->keep_tree) look(AT_FDCWD, o->keep_tree, 1, &s->tree, NULL);
  for (int i = 0; i < o->own_count; i++) guard_directory(s, open(o->own[i], O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (guard_directory(s, openat(s->vault, "..", O_PATH | O_DIRECTORY | O_CLOEXEC))) return -1;
  s->budget = o->keep_budget; /* only now: a store without room refuses changes, not the command */
  return 0;
}

/* The trial begins with its store: what is born later is of the trial, and what changes later is a conflict. */
static int trial_begin(struct store *s, const struct options *o) {
  if (store_open(s, o->trial, 0) || syscall(SYS_mkdirat, s->vault, "trial", 0700)) return -1;
  s->watches = 1;
  return open_outside(s, o);
}

/* Project mode that keeps nothing. */
static int guard_begin(struct store *s, const struct options *o) {
  *s = (struct store){.known_fd = {-1, -1}, .root = -1, .vault = -1};
  set_guards(s, o);
  return open_outside(s, o);
}

/* Lets this process open as many files as it may. */
void raise_file_limit(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files)) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

/* Called after the start, because the command would inherit the limit of open files. */
void keep_ready(int listener) {
  const uint64_t wake = 1; /* SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP */
  syscall(SYS_ioctl, listener, 0x40082104 /* SECCOMP_IOCTL_NOTIF_SET_FLAGS, Linux 6.6 */, wake);
  raise_file_limit();
}

void keep_end(struct store *s, const struct options *o) {
  if (s->calls && o->keep_tree) scan_unkept(s, o->keep_tree);
  if (s->calls && o->keep_tree) note_other_names(s, o->keep_tree);
  store_finish(s); /* if it fails, the action has no end in the journal, which its reader handles */
}

static void wait_for(const struct options *o, struct store *kept, int listener, pid_t command, int to_group, int ended,
                     int life, unsigned long tasks_before, struct report *r) {
  int watched = geteuid() == 0 && o->profile & (RESTRICTED | TRIAL) && o->limits.procs;
  const uint64_t room = o->profile == TRIAL ? room_left(o) : 0;
  int64_t deadline = now_ms() + (int64_t)o->limits.wall * 1000;
  struct pollfd waits[] = {{ended, POLLIN, 0}, {life, POLLIN, 0}, {listener, POLLIN, 0},
      {outside_asked(kept), POLLIN, 0}};
  for (;;) {
    int64_t pause = -1;
    if (o->limits.wall && (pause = deadline - now_ms()) <= 0) r->kind = TIMED_OUT;
    if (room && room > room_left(o) + o->trial_space) r->kind = TOO_LARGE;
    if (watched && too_many(o->limits.procs, tasks_before)) r->kind = TOO_MANY;
    if (r->kind != ENDED) return;
    if ((watched || room) && (pause < 0 || pause > WATCH_MS)) pause = WATCH_MS;
    if (poll(waits, 4, pause > 1 << 30 ? 1 << 30 : (int)pause) < 0) {
      if (errno == EINTR) continue;
      give_up(r, "poll");
      return;
    }
    if (waits[2].revents & POLLIN && keep_answer(kept, listener) == 0) {
      if (!waits[0].revents && !waits[1].revents) continue;
    } else if (waits[2].revents) waits[2].fd = -1; /* no process is left that could ask */
    if (waits[3].revents & POLLIN) outside_answer(kept);
    if (waits[0].revents && reap(command, ended, r)) return;
    if (waits[1].revents) {
      unsigned char number;
      if (read(life, &number, 1) != 1) {
        r->kind = ABANDONED;
        return;
      }
      kill(to_group ? -command : command, number);
    }
  }
}

void supervise(const struct options *o, const struct terminal *t, const sigset_t *mask, int life, int report,
               int status) {
  struct report r = {.kind = ENDED};
  sigset_t child_ended;
  struct sysinfo before = {0};
  sysinfo(&before);
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  int ended = signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
  if (ended < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1)) give_up(&r, "supervisor");
  /* A Landlock domain may not mount, so not for a command in namespaces, which ends with its first process. */
  const int alone = !(o->profile & (SUPERVISE | INSIDE)) && landlock_isolate(getppid());
  static struct store kept;
  int listener = -1;
  struct inside *inside = NULL;
  if (r.kind != FAILED && o->keep && keep_begin(&kept, o)) give_up(&r, "keep");
  if (r.kind != FAILED && o->profile & PROJECTS && !o->keep && guard_begin(&kept, o)) give_up(&r, "guard");
  if (r.kind != FAILED && o->trial && trial_begin(&kept, o)) give_up(&r, "trial");
  pid_t command = r.kind == FAILED ? -1 : start(o, t, mask, &kept, &r, &listener, &inside);
  if (r.kind != FAILED) {
    say(status, "started\n");
    /* Signals to the command's process group must not reach this process, which keeps the terminal to hand it over. */
    setpgid(0, 0);
    if (listener >= 0) keep_ready(listener);
    wait_for(o, &kept, listener, command, t->new_session && !inside, ended, life, before.procs, &r);
  }
  r.left = kill_tree(alone);
  if (inside && inside->over) {
    r.status = inside->status;
    r.left = inside->left;
  }
  if (listener >= 0 && r.kind != FAILED && o->keep) keep_end(&kept, o);
  conclude(&r, report, status);
}
