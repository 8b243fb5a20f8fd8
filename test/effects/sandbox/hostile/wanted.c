/* What must go on working, or cannot be refused and harms nobody: the other half of the table. */
#include "hostile.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static long null_device(void) { return write(open("/dev/null", O_WRONLY), "x", 1); }
static long full_device(void) { return open("/dev/full", O_RDWR); }
static long random_device(void) {
  char byte;
  return read(open("/dev/urandom", O_RDONLY), &byte, 1);
}
static long pair(void) {
  int ends[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ? -1 : write(ends[0], "x", 1);
}
static long signal_child(void) {
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  int how;
  if (kill(child, SIGTERM)) return -1;
  waitpid(child, &how, 0);
  return WIFSIGNALED(how) ? 0 : -1;
}
static long write_private(void) { return write(open(in_tmp("wanted"), O_CREAT | O_TRUNC | O_WRONLY, 0600), "x", 1); }
static long arrange_private(void) {
  mkdir(in_tmp("a"), 0700);
  mkdir(in_tmp("b"), 0700);
  close(open(in_tmp("a/x"), O_CREAT | O_WRONLY, 0600));
  if (rename(in_tmp("a/x"), in_tmp("b/y")) || link(in_tmp("b/y"), in_tmp("b/z"))) return -1;
  return unlink(in_tmp("b/z")) || unlink(in_tmp("b/y")) || rmdir(in_tmp("b")) || rmdir(in_tmp("a")) ? -1 : 0;
}
static long nice_self(void) { return setpriority(PRIO_PROCESS, 0, 5); }
static long window_size(void) {
  int ready;
  int ends[2];
  return pipe(ends) ? -1 : ioctl(ends[0], FIONREAD, &ready);
}
static long lock(void) { return flock(open("file", O_RDONLY), LOCK_SH); }
static long command_line(void) {
  char path[64], byte;
  snprintf(path, sizeof path, "/proc/%ld/cmdline", number("T_VICTIM"));
  return read(open(path, O_RDONLY), &byte, 1);
}
static long read_file(void) {
  char byte;
  return read(open("file", O_RDONLY), &byte, 1);
}

const struct operation wanted[] = {
    {"write /dev/null", null_device},
    {"open /dev/full", full_device},
    {"read /dev/urandom", random_device},
    {"stream socket pair", pair},
    {"signal a child", signal_child},
    {"write in the private directory", write_private},
    {"move and link in the private directory", arrange_private},
    {"be nice", nice_self},
    {"ask a pipe how full it is", window_size},
    {"read a file", read_file},
    {"lock a file (flock)", lock},
    {"read another's command line", command_line},
    {NULL, NULL},
};
