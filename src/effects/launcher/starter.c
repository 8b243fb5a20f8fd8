/*
 * The starter: forks launchers at the program's word, since a fork of the program itself copies the tables of all its
 * memory. One launcher is always forked ahead. It has no rights and no work until it gets its words: environment,
 * directory and arguments, with which it goes on as if it had been started with them.
 *
 *   program ── words ──► the launcher that waits          (one stream, one reader at a time)
 *           ◄─ lines ─── "ready PID FD": it waits, and FD is the reading end of what its command will write
 *                        "ended PID CODE": told by the launcher, which is about to go, and once it is gone (again)
 *
 * All of them end with the program: the starter at the end of its input, or with the program's death; a launcher that
 * runs with the death of the starter.
 */
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 0, LINES = 1, MAX_WORDS = 8 << 20 };

/* What comes before the strings: all of their bytes, and how many are arguments and environment. The directory is first. */
struct header {
  uint32_t bytes, arguments, environment;
};

static void gone(void) { _exit(EXIT_SETUP); }

/* 0 at a clean end before the first byte. */
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

/* Takes so many strings; none may be cut. */
static char *take(char **list, uint32_t count, char *at, const char *end) {
  for (uint32_t i = 0; i < count; i++) {
    if (at >= end) gone();
    list[i] = at;
    at += strlen(at) + 1;
  }
  return at;
}

/* Waits for its words and becomes an ordinary launcher. */
static int wait_for_words(const struct starter *starter, const sigset_t *mask, int taken, int ended) {
  int out[2];
  struct header h;
  if (setsid() < 0 || pipe2(out, O_CLOEXEC)) gone();
  dprintf(LINES, "ready %d %d\n", getpid(), out[0]);
  if (!read_whole(&h, sizeof h)) _exit(0); /* nobody needs it any more */
  uint64_t pointers = ((uint64_t)h.arguments + h.environment + 3) * sizeof(char *);
  if (h.bytes > MAX_WORDS || pointers > MAX_WORDS || h.arguments < 2) gone();
  char **list = (char **)syscall(__NR_mmap, NULL, pointers + h.bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (list == MAP_FAILED) gone();
  char *text = (char *)list + pointers, *end = text + h.bytes, *at = text;
  if (!read_whole(text, h.bytes)) gone();
  /* What was mapped is zero behind them: the last string ends there at the latest. */
  char *directory, **environment = list + h.arguments + 1;
  at = take(&directory, 1, at, end);
  at = take(list, h.arguments, at, end);
  if (take(environment, h.environment, at, end) != end) gone();
  if (write(taken, "", 1) != 1) gone();
  struct starter told = *starter;
  if ((told.lines = fcntl(LINES, F_DUPFD_CLOEXEC, 3)) < 0) gone();
  int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || syscall(__NR_dup3, input, 0, 0) < 0 || syscall(__NR_dup3, out[1], 1, 0) < 0 || syscall(__NR_dup3, out[1], 2, 0) < 0) gone();
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

/* Reports what has ended. Returns 1 when the launcher that waits is among it. */
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

int serve_starts(pid_t program) {
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
    /* In this order: who took its words and has ended already was not lost. */
    if (waits[0].revents && read(taken[0], &byte, 1) == 1) {
      waiting = -1;
      wanted = 1;
    }
    /* One that ends unasked has no successor: the program starts its commands itself then. */
    if (waits[1].revents && reap(ended, waiting)) waiting = -1;
    if (waits[2].revents) return 0;
  }
}
