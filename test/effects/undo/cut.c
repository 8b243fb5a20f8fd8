/* cut N PROGRAM ARGUMENT...: runs it, and kills it before its N-th call that changes a file. Exit code 77: it was killed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/ptrace.h>
#include <unistd.h>
#include <fcntl.h>

enum { KILLED = 77 };

static const long CHANGES[] = {SYS_renameat2, SYS_unlinkat, SYS_linkat, SYS_symlinkat, SYS_mkdirat, SYS_mknodat, SYS_write, SYS_pwrite64,
                               SYS_fchmodat, SYS_fchownat, SYS_utimensat, SYS_ftruncate, SYS_copy_file_range, SYS_ioctl, SYS_fsync,
                               SYS_setxattr, SYS_removexattr, SYS_lsetxattr, SYS_lremovexattr};

static int changes(const struct __ptrace_syscall_info *at) {
  if (at->entry.nr == SYS_openat) return (at->entry.args[2] & O_CREAT) != 0;
  for (unsigned i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++)
    if ((long)at->entry.nr == CHANGES[i]) return 1;
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  long left = atol(argv[1]);
  pid_t pid = fork();
  if (!pid) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execv(argv[2], argv + 2);
    _exit(126);
  }
  int status;
  waitpid(pid, &status, 0);
  ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
  for (;;) {
    ptrace(PTRACE_SYSCALL, pid, 0, 0);
    if (waitpid(pid, &status, 0) != pid) return 2;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return 2;
    struct __ptrace_syscall_info at;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80) || ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof at, &at) <= 0) continue;
    if (at.op != PTRACE_SYSCALL_INFO_ENTRY || !changes(&at) || --left) continue;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return KILLED;
  }
}
