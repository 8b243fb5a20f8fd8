/*
 * aish-sandbox [options] -- command [argument…]
 *
 * Runs one command so that none of its processes survives the end of the command, or the death of whoever started the
 * launcher. By default the command is also confined (read-only file system, no network, bounded resources).
 *
 *   front ──► supervisor ──► command
 *
 * The caller knows only the front. It has the process group and terminal of the command, so that job signals and Ctrl-C
 * work as without it. The supervisor adopts every orphan of the command and is in a session of its own, so that a
 * SIGKILL to the whole process group leaves it alive to clean up. A pipe from the front carries signal numbers to
 * forward, and its end means that the front is gone.
 */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TIOCGDEV
#define TIOCGDEV 0x80045432
#endif

/* The kernel sends this signal when the parent dies. Nothing else uses its number. */
enum { PARENT_DIED = 40 };

/* For the signal handler, which gets no arguments of ours. */
static struct {
  int life; /* the pipe to the supervisor */
  pid_t started_by;
  int own_session; /* the command's */
} front = {.life = -1};

/* Who forked a launcher that the program did not start itself. */
struct starter {
  pid_t pid, program;
  int lines; /* where the end of the command is reported */
};

static void fail(const char *step, const char *why) {
  dprintf(2, "aish-sandbox: set-up failed at %s: %s; the command was not run\n", step, why);
  exit(EXIT_SETUP);
}

uint64_t to_number(const char *text) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint64_t)(*text - '0');
  return value;
}

static int is_number(const char *text) {
  const char *end = text;
  while (*end >= '0' && *end <= '9') end++;
  return end > text && !*end && end - text < 19;
}

static const char usage[] =
    "usage: aish-sandbox [--light | --supervise | --trial EMPTY_DIR [--as-project] --tree DIR...\n"
    "                    | --project DIR [--without-namespaces | --network PID]]\n"
    "                    [--tmp DIR] [--cwd DIR] [--status NEW_FILE] [--parent PID] [--keep EMPTY_DIR [--keep-tree DIR]\n"
    "                    [--keep-budget BYTES] [--keep-file BYTES] [--keep-credentials|--protect-credentials] [--own DIR]...]\n"
    "                    [--limit as|data|fsize|cpu|nofile|procs|wall=NUMBER]... -- command [argument...]\n"
    "       aish-sandbox --selftest DIR\n"
    "       aish-sandbox --changes STORE --tree DIR...\n"
    "       aish-sandbox --apply STORE [--check | --as TEXT] --tree DIR...\n"
    "       aish-sandbox --records STORE [NUMBER] | --open STORE NAME TEXT | --put FILE TEXT | --drop PATH\n"
    "       aish-sandbox --starter PID | --hold-network PID | --connect HOST PORT\n"
    "       aish-sandbox --undo DIR [--into EMPTY_DIR [--only PATH...] | --names | --finish | --note PATH...]\n";

static void set_limit(struct limits *limits, const char *text) {
  const struct {
    const char *name;
    uint64_t *value;
  } known[] = {{"as", &limits->as},         {"data", &limits->data},   {"fsize", &limits->fsize}, {"cpu", &limits->cpu},
               {"nofile", &limits->nofile}, {"procs", &limits->procs}, {"wall", &limits->wall}};
  const char *equals = strchr(text, '=');
  for (size_t i = 0; equals && i < sizeof known / sizeof *known; i++) {
    size_t length = (size_t)(equals - text);
    if (strlen(known[i].name) != length || strncmp(known[i].name, text, length) || !is_number(equals + 1)) continue;
    *known[i].value = to_number(equals + 1);
    return;
  }
  fail("arguments", "--limit takes NAME=NUMBER");
}

static void add_tree(struct options *o, const char *path) {
  if (*path != '/' || !path[1]) fail("arguments", "a tree is an absolute path, and not /");
  if (o->tree_count == MAX_TREES) fail("arguments", "too many trees");
  o->trees[o->tree_count++] = path;
}

static struct options parse(int argc, char **argv) {
  const uint64_t GiB = 1ull << 30;
  /* Node's WebAssembly reserves more than 12 GiB of addresses, so DATA is what bounds memory. */
  struct options o = {.profile = RESTRICTED,
                      .abi_at_most = 1000,
                      .keep_budget = 2 * GiB,
                      .keep_file = GiB / 4,
                      .trial_space = 2 * GiB,
                      .limits = {.as = 16 * GiB, .data = 4 * GiB, .fsize = 1 * GiB, .cpu = 600, .nofile = 1024,
                          .procs = 512, .wall = 3600}};
  int i = 1, bare = 0;
  for (; i < argc && strcmp(argv[i], "--"); i++) {
    const char *name = argv[i];
    if (!strcmp(name, "--without-namespaces")) bare = 1;
    else if (!strcmp(name, "--as-project")) o.as_project = 1;
    else if (!strcmp(name, "--keep-credentials")) o.keep_credentials = 1;
    else if (!strcmp(name, "--protect-credentials")) o.protect_credentials = 1;
    else if (!strcmp(name, "--light") || !strcmp(name, "--supervise")) {
      o.profile = name[2] == 'l' ? LIGHT : SUPERVISE;
      o.limits.wall = 0;
    }
    else if (i + 1 >= argc) fail("arguments", "an option without its value (see --help)");
    else if (!strcmp(name, "--trial")) {
      o.profile = TRIAL;
      o.trial = argv[++i];
    } else if (!strcmp(name, "--project")) {
      o.profile = PROJECT;
      o.limits.wall = 0;
      add_tree(&o, argv[++i]);
    } else if (!strcmp(name, "--tree")) add_tree(&o, argv[++i]);
    else if (!strcmp(name, "--trial-space")) o.trial_space = to_number(argv[++i]);
    else if (!strcmp(name, "--tmp")) o.tmp = argv[++i];
    else if (!strcmp(name, "--cwd")) o.cwd = argv[++i];
    else if (!strcmp(name, "--status")) o.status_path = argv[++i];
    else if (!strcmp(name, "--parent")) o.parent = (int)to_number(argv[++i]);
    else if (!strcmp(name, "--network")) o.network = (pid_t)to_number(argv[++i]);
    else if (!strcmp(name, "--keep")) o.keep = argv[++i];
    else if (!strcmp(name, "--keep-tree")) o.keep_tree = argv[++i];
    else if (!strcmp(name, "--own") && o.own_count < MAX_OWN) o.own[o.own_count++] = argv[++i];
    else if (!strcmp(name, "--keep-budget")) o.keep_budget = to_number(argv[++i]);
    else if (!strcmp(name, "--keep-file")) o.keep_file = to_number(argv[++i]);
    else if (!strcmp(name, "--limit")) set_limit(&o.limits, argv[++i]);
#ifdef TEST_HOOKS
    else if (!strcmp(name, "--abi")) o.abi_at_most = (int)to_number(argv[++i]);
    else if (!strcmp(name, "--fail")) o.fail_step = argv[++i];
#endif
    else fail(name, "unknown option (see --help)");
  }
  if (i + 1 >= argc) fail("arguments", "no command after --");
  if (bare && o.profile != PROJECT) fail("arguments", "--without-namespaces goes with --project");
  if (bare) o.profile = HELD;
  if (o.network && o.profile != PROJECT) fail("arguments", "--network goes with --project and namespaces");
  if (o.profile == TRIAL && !o.tree_count) fail("arguments", "a trial without a --tree");
  if (o.as_project && o.profile != TRIAL) fail("arguments", "--as-project goes with --trial");
  o.argv = argv + i + 1;
  return o;
}

/* The command may use the terminal only if the caller handed it over, so that one in a pipe writes nothing to it. */
static struct terminal look_at_terminal(void) {
  struct terminal t = {0, 0};
  unsigned int controlling, own;
  int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return t;
  if (syscall(__NR_ioctl, fd, TIOCGDEV, &controlling) == 0)
    for (int i = 0; i < 3; i++)
      if (syscall(__NR_ioctl, i, TIOCGDEV, &own) == 0 && own == controlling) t.shared = 1;
  close(fd);
  t.new_session = !t.shared;
  return t;
}

/* A signal from the terminal or to the process group reaches the command too. Forwarding it would turn one Ctrl-C into
 * two. So INT, QUIT and CONT are forwarded only to a command in a session of its own. */
static void forward(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  if (number == PARENT_DIED) {
    if (getppid() != front.started_by) _exit(128 + SIGHUP);
  } else if (front.own_session || (info->si_code <= 0 && number != SIGINT && number != SIGQUIT && number != SIGCONT)) {
    unsigned char byte = (unsigned char)number;
    if (write(front.life, &byte, 1) < 0) { /* the supervisor is gone, so the read in launch() ends too */
    }
  }
  errno = saved;
}

static void handle_signals(const sigset_t *mask) {
  const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGALRM, PARENT_DIED};
  struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigset_t open = *mask;
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) sigaction(forwarded[i], &action, NULL);
  sigdelset(&open, PARENT_DIED);
  sigaddset(&open, SIGPIPE); /* the front must still clean up when the supervisor is gone */
  sigprocmask(SIG_SETMASK, &open, NULL);
}

static int conclude(const struct options *o, const struct report *r) {
  switch (r->kind) {
    case FAILED:
      dprintf(2, "aish-sandbox: set-up failed at %s; the command was not run\n", r->text);
      return r->status == ENOENT && !strncmp(r->text, "exec", 4) ? EXIT_NOT_FOUND : EXIT_SETUP;
    case TIMED_OUT:
      dprintf(2, "aish-sandbox: stopped after %llu s (wall-clock limit)\n", (unsigned long long)o->limits.wall);
      return EXIT_TIME;
    case TOO_LARGE:
      dprintf(2, "aish-sandbox: stopped: the trial wrote more than %llu bytes\n", (unsigned long long)o->trial_space);
      return 128 + SIGKILL;
    case TOO_MANY:
      dprintf(2, "aish-sandbox: stopped: more than %llu processes\n", (unsigned long long)o->limits.procs);
      return 128 + SIGKILL;
    default:
      return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
  }
}

/* Tells the program that the command has ended. Its processes are gone and its output is closed, so the program need
 * not wait for the launcher too. */
static void tell_end(const struct starter *starter, int code) {
  close(1);
  close(2);
  dprintf(starter->lines, "ended %d %d\n", getpid(), code);
}

/* All that a launcher does. `starter` may be NULL. */
static int launch(int argc, char **argv, const struct starter *starter) {
  /* Otherwise a pipe of the launcher could become a missing standard stream. */
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) fail("streams", strerror(errno));
  front.started_by = starter ? starter->pid : getppid();
  struct options options = parse(argc, argv);
  int status = -1;
  if (options.status_path) {
    status = open(options.status_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (status < 0) fail("status", strerror(errno));
  }
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  if (prctl(PR_SET_PDEATHSIG, PARENT_DIED) || prctl(PR_SET_CHILD_SUBREAPER, 1)) fail("parent", strerror(errno));
  /* The parent may have died before the line above. */
  if (getppid() != front.started_by ||
      (options.parent && options.parent != (starter ? starter->program : front.started_by)))
    fail("parent", "it is gone");
  struct terminal terminal = look_at_terminal();
  front.own_session = terminal.new_session;
  int life[2], back[2];
  if (pipe2(life, O_CLOEXEC) || pipe2(back, O_CLOEXEC)) fail("pipe", strerror(errno));
  pid_t supervisor = fork();
  if (supervisor < 0) fail("fork", strerror(errno));
  if (supervisor == 0) {
    close(life[1]);
    close(back[0]);
    if (starter) close(starter->lines);
    supervise(&options, &terminal, &mask, life[0], back[1], status);
  }
  close(life[0]);
  close(back[1]);
  front.life = life[1];
  handle_signals(&mask);
  struct report report;
  ssize_t got;
  while ((got = read(back[0], &report, sizeof report)) < 0 && errno == EINTR) {
  }
  if (got != sizeof report) {
    kill_tree(0);
    dprintf(2, "aish-sandbox: the supervisor was killed; everything below it was stopped\n");
    return 128 + SIGKILL;
  }
  int code = conclude(&options, &report);
  if (starter) tell_end(starter, code);
  while (waitpid(supervisor, NULL, 0) < 0 && errno == EINTR) {
  }
  return code;
}

/*
 * The starter forks launchers for the program, because a fork of the program itself copies the tables of all its
 * memory. One launcher is always forked ahead. It has no rights and nothing to do until it gets its words (environment,
 * directory and arguments). With these it goes on as if it had been started with them.
 *
 *   program ── words ──► the launcher that waits          (one stream, one reader at a time)
 *           ◄─ lines ─── "ready PID FD": it waits, and FD is the reading end of what its command will write
 *                        "ended PID CODE": from the launcher when its command has ended, and again at its own end
 *
 * All of them end with the program: the starter at the end of its input or the death of the program, and a launcher
 * that runs with the death of the starter.
 */
enum { WORDS = 0, LINES = 1, MAX_WORDS = 8 << 20 };

/* Sent before the strings: their bytes, and how many follow the directory as arguments and environment. */
struct header {
  uint32_t bytes, arguments, environment;
};

static void gone(void) { _exit(EXIT_SETUP); }

/* Returns 0 if the stream ends before the first byte. */
static int read_whole(void *to, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t got = read(WORDS, (char *)to + at, size - at);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 && at == 0) return 0;
    if (got <= 0) gone();
    at += (size_t)got;
  }
  return 1;
}

/* Splits the text into `count` strings. None may be cut off. */
static char *take(char **list, uint32_t count, char *at, const char *end) {
  for (uint32_t i = 0; i < count; i++) {
    if (at >= end) gone();
    list[i] = at;
    at += strlen(at) + 1;
  }
  return at;
}

/* Waits for its words, then is an ordinary launcher. */
static int wait_for_words(const struct starter *starter, const sigset_t *mask, int taken, int ended) {
  int out[2];
  struct header h;
  if (setsid() < 0 || pipe2(out, O_CLOEXEC)) gone();
  dprintf(LINES, "ready %d %d\n", getpid(), out[0]);
  if (!read_whole(&h, sizeof h)) _exit(0); /* no command is left to start */
  uint64_t pointers = ((uint64_t)h.arguments + h.environment + 3) * sizeof(char *);
  if (h.bytes > MAX_WORDS || pointers > MAX_WORDS || h.arguments < 2) gone();
  char **list = (char **)syscall(__NR_mmap, NULL, pointers + h.bytes + 1, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (list == MAP_FAILED) gone();
  char *text = (char *)list + pointers, *end = text + h.bytes, *at = text;
  if (!read_whole(text, h.bytes)) gone();
  /* Mapped memory is zero, so the last string ends there at the latest. */
  char *directory, **environment = list + h.arguments + 1;
  at = take(&directory, 1, at, end);
  at = take(list, h.arguments, at, end);
  if (take(environment, h.environment, at, end) != end) gone();
  if (write(taken, "", 1) != 1) gone();
  struct starter told = *starter;
  if ((told.lines = fcntl(LINES, F_DUPFD_CLOEXEC, 3)) < 0) gone();
  int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || syscall(__NR_dup3, input, 0, 0) < 0 || syscall(__NR_dup3, out[1], 1, 0) < 0 ||
      syscall(__NR_dup3, out[1], 2, 0) < 0)
    gone();
  const int own[] = {input, out[0], out[1], taken, ended};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) close(own[i]);
  set_environment(environment);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (chdir(directory)) {
    dprintf(2, "aish-sandbox: %s: %s; the command was not run\n", directory, strerror(errno));
    return EXIT_SETUP;
  }
  return launch((int)h.arguments, list, &told);
}

/* Reports launchers that ended. Returns 1 if the waiting one is among them. */
static int reap(int ended, pid_t waiting) {
  struct signalfd_siginfo info;
  int how, lost = 0;
  while (read(ended, &info, sizeof info) == sizeof info) {
  }
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
    dprintf(LINES, "ended %d %d\n", pid, WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how));
    if (pid == waiting) lost = 1;
  }
  return lost;
}

static int serve_starts(pid_t program) {
  struct starter self = {.pid = getpid(), .program = program, .lines = LINES};
  sigset_t child_ended, mask;
  int taken[2];
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != program) return EXIT_SETUP;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, &mask);
  int ended = signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
  if (ended < 0 || pipe2(taken, O_CLOEXEC)) return EXIT_SETUP;
  pid_t waiting = -1;
  for (int wanted = 1;;) {
    if (wanted) {
      waiting = fork();
      if (waiting == 0) {
        close(taken[0]);
        return wait_for_words(&self, &mask, taken[1], ended);
      }
      wanted = 0;
    }
    struct pollfd waits[] = {{taken[0], POLLIN, 0}, {ended, POLLIN, 0}, {WORDS, 0, 0}};
    if (poll(waits, 3, -1) < 0 && errno != EINTR) return EXIT_SETUP;
    char byte;
    /* In this order, because a launcher that took its words and ended already was not lost. */
    if (waits[0].revents && read(taken[0], &byte, 1) == 1) {
      waiting = -1;
      wanted = 1;
    }
    /* A waiting launcher that ends has no successor. The program then starts its commands itself. */
    if (waits[1].revents && reap(ended, waiting)) waiting = -1;
    if (waits[2].revents) return 0;
  }
}

/* Any other error, such as ENOENT, proves nothing and counts as not refused. */
static void must_fail(const char **open_part, const char *what, long result) {
  int refused = result < 0 &&
      (errno == EACCES || errno == EPERM || errno == EXDEV || errno == ENOSYS || errno == EROFS);
  if (!refused && !*open_part) *open_part = what;
}

static void tell_part(const char **open_part, const char *part) {
  if (*open_part) dprintf(1, "%s open: %s\n", part, *open_part);
  else dprintf(1, "%s ok\n", part);
  *open_part = NULL;
}

/*
 * The self-test runs in the sandbox and tries what must fail. It prints for each part `ok`, or `open: <what
 * succeeded>`. `directory` holds a file `file` and an empty directory `dir` of this user, so that outside the sandbox
 * all this works.
 */
static int selftest(const char *directory) {
  const char *open_part = NULL;
  struct options none = {.abi_at_most = 1000};
  if (chdir(directory)) return dprintf(2, "%s: %s\n", directory, strerror(errno)), 1;
  dprintf(1, "abi %d\n", landlock_abi(&none));
  must_fail(&open_part, "writing", open("file", O_WRONLY | O_CLOEXEC));
  must_fail(&open_part, "truncating", open("file", O_RDONLY | O_TRUNC | O_CLOEXEC));
  must_fail(&open_part, "truncating by name", syscall(SYS_truncate, "file", 0));
  must_fail(&open_part, "creating", open("new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  must_fail(&open_part, "making a directory", syscall(SYS_mkdirat, AT_FDCWD, "new", 0700));
  must_fail(&open_part, "removing", syscall(SYS_unlinkat, AT_FDCWD, "file", 0));
  must_fail(&open_part, "removing a directory", syscall(SYS_unlinkat, AT_FDCWD, "dir", AT_REMOVEDIR));
  must_fail(&open_part, "renaming", syscall(SYS_renameat2, AT_FDCWD, "file", AT_FDCWD, "other", 0));
  must_fail(&open_part, "linking", syscall(SYS_linkat, AT_FDCWD, "file", AT_FDCWD, "other", 0));
  must_fail(&open_part, "changing the mode", syscall(SYS_fchmodat, AT_FDCWD, "file", 0600));
  must_fail(&open_part, "changing the times", syscall(SYS_utimensat, AT_FDCWD, "file", NULL, 0));
  tell_part(&open_part, "filesystem");
  must_fail(&open_part, "TCP", syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
  must_fail(&open_part, "UDP", syscall(SYS_socket, AF_INET6, SOCK_DGRAM, 0));
  must_fail(&open_part, "Unix sockets", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
  must_fail(&open_part, "netlink", syscall(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
  tell_part(&open_part, "network");
  must_fail(&open_part, "signals to processes outside", kill(getppid(), 0));
  tell_part(&open_part, "signals");
  const char *temporary = getenv("TMPDIR");
  if (!temporary || chdir(temporary) || open("file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) < 0)
    dprintf(1, "temporary closed\n");
  else dprintf(1, "temporary ok\n");
  return 0;
}

static const char *const of_records[] = {"--records", "--open", "--put", "--drop"};

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "--selftest")) return selftest(argv[2]);
  if (argc >= 3 && !strcmp(argv[1], "--undo")) return undo(argc, argv);
  for (size_t i = 0; argc >= 3 && i < sizeof of_records / sizeof *of_records; i++)
    if (!strcmp(argv[1], of_records[i])) return work_on_records(argc, argv);
  if (argc >= 3 && !strcmp(argv[1], "--changes")) return list_changes(argc, argv);
  if (argc >= 4 && !strcmp(argv[1], "--apply")) return apply_trial(argc, argv);
  if (argc == 3 && !strcmp(argv[1], "--starter")) return serve_starts((pid_t)to_number(argv[2]));
  if (argc == 3 && !strcmp(argv[1], "--hold-network")) return hold_network((pid_t)to_number(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "--connect")) return connect_through(argv[2], argv[3]);
  if (argc == 2 && !strcmp(argv[1], "--help")) {
    dprintf(1, "%s", usage);
    return 0;
  }
  return launch(argc, argv, NULL);
}
