/*
 * The part of libc that the launcher uses, so that it needs no library.
 *
 * The start of a static glibc took half of the launcher's time: it queries each feature of the processor, which traps
 * in a virtual machine (0.47 ms against 0.14 ms for a program that only exits). A program without libraries is also
 * static everywhere, and can be built for another processor without that system's files. Declarations come from the
 * system's headers. The functions behave as these say for what the launcher asks of them.
 */
#include "launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { KERNEL_SIGSET = 8 };

static int error_number;
static char **environment;

int *__errno_location(void) { return &error_number; }

#if defined(__x86_64__)
__asm__(".globl _start\n_start: xor %ebp,%ebp\n mov %rsp,%rdi\n and $-16,%rsp\n call begin\n hlt\n"
        ".globl restore_signal\nrestore_signal: mov $15,%eax\n syscall\n"
        /* the child returns over the parent's stack, so the return address must not be on it meanwhile */
        ".globl raw_vfork\nraw_vfork: pop %rdi\n mov $58,%eax\n syscall\n push %rdi\n ret\n"
        /* clone(CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD) */
        ".globl raw_vfork_sharing\nraw_vfork_sharing: pop %r9\n mov $0x4511,%edi\n xor %esi,%esi\n xor %edx,%edx\n"
        " xor %r10d,%r10d\n xor %r8d,%r8d\n mov $56,%eax\n syscall\n push %r9\n ret\n");
extern void restore_signal(void);
static long raw(long n, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start: mov x29,#0\n mov x0,sp\n and sp,x0,#-16\n b begin\n"
        /* clone(CLONE_VM | CLONE_VFORK | SIGCHLD); the return address is in a register */
        ".globl raw_vfork\nraw_vfork: mov x0,#0x4111\n mov x1,#0\n mov x2,#0\n mov x3,#0\n mov x4,#0\n mov x8,#220\n"
        " svc #0\n ret\n"
        ".globl raw_vfork_sharing\nraw_vfork_sharing: mov x0,#0x4511\n mov x1,#0\n mov x2,#0\n mov x3,#0\n mov x4,#0\n"
        " mov x8,#220\n svc #0\n ret\n");
static long raw(long n, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#endif

static long checked(long result) {
  if (result >= -4095 && result < 0) {
    error_number = (int)-result;
    return -1;
  }
  return result;
}

#define CALL(n, a, b, c, d) checked(raw(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0))

int main(int, char **);
__attribute__((noreturn, used)) void begin(long *stack) {
  environment = (char **)(stack + stack[0] + 2);
  exit(main((int)stack[0], (char **)(stack + 1)));
}

long syscall(long n, ...) {
  long a[6];
  va_list list;
  va_start(list, n);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  return checked(raw(n, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* Processes */
void _exit(int code) {
  for (;;) raw(__NR_exit_group, code, 0, 0, 0, 0, 0);
}
void exit(int code) { _exit(code); }
pid_t fork(void) { return (pid_t)CALL(__NR_clone, SIGCHLD, 0, 0, 0); }
pid_t getpid(void) { return (pid_t)CALL(__NR_getpid, 0, 0, 0, 0); }
pid_t getppid(void) { return (pid_t)CALL(__NR_getppid, 0, 0, 0, 0); }
uid_t geteuid(void) { return (uid_t)CALL(__NR_geteuid, 0, 0, 0, 0); }
pid_t setsid(void) { return (pid_t)CALL(__NR_setsid, 0, 0, 0, 0); }
int setpgid(pid_t process, pid_t group) { return (int)CALL(__NR_setpgid, process, group, 0, 0); }
int kill(pid_t pid, int number) { return (int)CALL(__NR_kill, pid, number, 0, 0); }
pid_t waitpid(pid_t pid, int *status, int options) { return (pid_t)CALL(__NR_wait4, pid, status, options, 0); }
int prctl(int what, ...) {
  unsigned long a[4];
  va_list list;
  va_start(list, what);
  for (int i = 0; i < 4; i++) a[i] = va_arg(list, unsigned long);
  va_end(list);
  /* Callers pass only the arguments of the operation, but for no_new_privs the kernel wants the others to be zero. */
  if (what == PR_SET_NO_NEW_PRIVS) a[1] = a[2] = a[3] = 0;
  return (int)checked(raw(__NR_prctl, what, (long)a[0], (long)a[1], (long)a[2], (long)a[3], 0));
}
#ifdef __GLIBC__
#define RESOURCE __rlimit_resource_t
#else
#define RESOURCE int
#endif
int getrlimit(RESOURCE what, struct rlimit *l) { return (int)CALL(__NR_prlimit64, 0, what, 0, l); }
int setrlimit(RESOURCE what, const struct rlimit *l) { return (int)CALL(__NR_prlimit64, 0, what, l, 0); }
int sysinfo(struct sysinfo *info) { return (int)CALL(__NR_sysinfo, info, 0, 0, 0); }
int clock_gettime(clockid_t clock, struct timespec *t) { return (int)CALL(__NR_clock_gettime, clock, t, 0, 0); }

/* Signals */
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};
int sigaction(int number, const struct sigaction *a, struct sigaction *old) {
  (void)old;
  struct kernel_action k = {a->sa_sigaction, (unsigned)a->sa_flags, NULL, 0};
  memcpy(&k.mask, &a->sa_mask, KERNEL_SIGSET);
#ifdef __x86_64__
  k.flags |= 0x04000000; /* SA_RESTORER */
  k.restorer = restore_signal;
#endif
  return (int)CALL(__NR_rt_sigaction, number, &k, 0, KERNEL_SIGSET);
}
int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  return (int)CALL(__NR_rt_sigprocmask, how, set, old, KERNEL_SIGSET);
}
int sigfillset(sigset_t *set) { return memset(set, 0xFF, sizeof *set), 0; }
int sigemptyset(sigset_t *set) { return memset(set, 0, sizeof *set), 0; }
int sigaddset(sigset_t *set, int n) { return ((uint64_t *)set)[0] |= 1ull << (n - 1), 0; }
int sigdelset(sigset_t *set, int n) { return ((uint64_t *)set)[0] &= ~(1ull << (n - 1)), 0; }
int signalfd(int fd, const sigset_t *set, int flags) {
  return (int)CALL(__NR_signalfd4, fd, set, KERNEL_SIGSET, flags);
}
int poll(struct pollfd *list, nfds_t count, int ms) {
  struct timespec t = {ms / 1000, (ms % 1000) * 1000000L};
  return (int)CALL(__NR_ppoll, list, count, ms < 0 ? NULL : &t, 0);
}

/* Files */
int openat(int directory, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  return (int)CALL(__NR_openat, directory, path, flags, mode);
}
int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  return openat(AT_FDCWD, path, flags, mode);
}
int close(int fd) { return (int)CALL(__NR_close, fd, 0, 0, 0); }
ssize_t read(int fd, void *to, size_t n) { return CALL(__NR_read, fd, to, n, 0); }
ssize_t write(int fd, const void *from, size_t n) { return CALL(__NR_write, fd, from, n, 0); }
int pipe2(int ends[2], int flags) { return (int)CALL(__NR_pipe2, ends, flags, 0, 0); }
int chdir(const char *path) { return (int)CALL(__NR_chdir, path, 0, 0, 0); }
int fstat(int fd, struct stat *st) { return (int)CALL(__NR_fstat, fd, st, 0, 0); }
int fcntl(int fd, int what, ...) {
  va_list list;
  va_start(list, what);
  long argument = va_arg(list, long);
  va_end(list);
  return (int)CALL(__NR_fcntl, fd, what, argument, 0);
}
int isatty(int fd) {
  char attributes[256];
  return CALL(__NR_ioctl, fd, TCGETS, attributes, 0) == 0;
}

struct __dirstream {
  int fd;
  long at, filled;
  char buffer[16384] __attribute__((aligned(8)));
};
static struct __dirstream only_one; /* enough: opendir is used for one directory at a time */
DIR *opendir(const char *path) {
  only_one.at = only_one.filled = 0;
  only_one.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return only_one.fd < 0 ? NULL : &only_one;
}
struct dirent *readdir(DIR *d) {
  if (d->at >= d->filled) {
    d->filled = CALL(__NR_getdents64, d->fd, d->buffer, sizeof d->buffer, 0);
    d->at = 0;
    if (d->filled <= 0) return NULL;
  }
  struct dirent *entry = (struct dirent *)(d->buffer + d->at);
  d->at += entry->d_reclen;
  return entry;
}
int dirfd(DIR *d) { return d->fd; }
int closedir(DIR *d) { return close(d->fd); }

/* Memory and text. Memory is handled by words, because each answer of the supervisor clears and copies some hundred
 * bytes; the rest by simple loops, because the strings are short. */
void *memset(void *to, int byte, size_t n) {
  const uint64_t word = 0x0101010101010101u * (unsigned char)byte;
  char *at = to, *end = at + n;
  for (; end - at >= 8; at += 8) __builtin_memcpy(at, &word, 8);
  while (at < end) *at++ = (char)byte;
  return to;
}
void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  char *at = to, *end = at + n;
  const char *source = from;
  for (; end - at >= 8; at += 8, source += 8) {
    uint64_t word;
    __builtin_memcpy(&word, source, 8);
    __builtin_memcpy(at, &word, 8);
  }
  while (at < end) *at++ = *source++;
  return to;
}
size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}
int strncmp(const char *a, const char *b, size_t n) {
  for (; n; a++, b++, n--)
    if (*a != *b || !*a) return (unsigned char)*a - (unsigned char)*b;
  return 0;
}
int strcmp(const char *a, const char *b) { return strncmp(a, b, SIZE_MAX); }
char *strchr(const char *s, int c) {
  for (;; s++)
    if (*s == (char)c) return (char *)s;
    else if (!*s) return NULL;
}
char *strrchr(const char *s, int c) {
  char *last = NULL;
  for (; *s; s++)
    if (*s == (char)c) last = (char *)s;
  return last;
}
void set_environment(char **list) { environment = list; }

char *getenv(const char *name) {
  size_t n = strlen(name);
  for (char **e = environment; *e; e++)
    if (!strncmp(*e, name, n) && (*e)[n] == '=') return *e + n + 1;
  return NULL;
}

/* Knows %s, %d and %llu. */
static int format(char *to, size_t size, const char *text, va_list list) {
  size_t n = 0;
  char digits[24];
  for (; *text; text++) {
    const char *piece = digits;
    if (*text != '%') {
      digits[0] = *text;
      digits[1] = 0;
    } else if (*++text == 's') {
      piece = va_arg(list, const char *);
    } else {
      int negative = 0;
      uint64_t value;
      if (*text == 'd') {
        int number = va_arg(list, int);
        negative = number < 0;
        value = negative ? -(uint64_t)number : (uint64_t)number;
      } else {
        text += 2;
        value = va_arg(list, unsigned long long);
      }
      char *p = digits + sizeof digits - 1;
      *p = 0;
      do *--p = (char)('0' + value % 10);
      while (value /= 10);
      if (negative) *--p = '-';
      piece = p;
    }
    for (; *piece; piece++, n++)
      if (n + 1 < size) to[n] = *piece;
  }
  if (n >= size) n = size - 1;
  to[n] = 0;
  return (int)n;
}
int snprintf(char *restrict to, size_t size, const char *restrict text, ...) {
  va_list list;
  va_start(list, text);
  int n = format(to, size, text, list);
  va_end(list);
  return n;
}
int dprintf(int fd, const char *restrict text, ...) {
  char line[1024];
  va_list list;
  va_start(list, text);
  int n = format(line, sizeof line, text, list);
  va_end(list);
  return (int)write(fd, line, (size_t)n);
}

char *strerror(int number) {
  static const struct {
    int number;
    const char *text;
  } known[] = {{EPERM, "Operation not permitted"},      {ENOENT, "No such file or directory"},
               {EIO, "Input/output error"},
                   {E2BIG, "Argument list too long, or too many sandboxes in each other"},
               {ENOEXEC, "Exec format error"},          {EAGAIN, "Resource temporarily unavailable"},
               {ENOMEM, "Cannot allocate memory"},      {EACCES, "Permission denied"},
               {ENOTDIR, "Not a directory"},            {EINVAL, "Invalid argument"},
               {EMFILE, "Too many open files"},         {ENFILE, "Too many open files in the system"},
               {EROFS, "Read-only file system"},        {ENAMETOOLONG, "File name too long"},
               {ENOSYS, "Not known to this kernel"},    {ELOOP, "Too many symbolic links"},
               {EOPNOTSUPP, "Not switched on in this kernel"}, {EBUSY, "Device or resource busy"},
               {ENOSPC, "No space left on device"},     {EXDEV, "On another file system"},
               {EEXIST, "File exists"},                 {ENOTEMPTY, "Directory not empty"}};
  static char other[32];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].number == number) return (char *)known[i].text;
  snprintf(other, sizeof other, "error %d", number);
  return other;
}

int execvp(const char *name, char *const *argv) {
  const char *path = getenv("PATH");
  int denied = 0;
  char full[4096];
  if (strchr(name, '/')) return (int)CALL(__NR_execve, name, argv, environment, 0);
  error_number = ENOENT;
  for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *name; path++) {
    const char *end = path;
    while (*end && *end != ':') end++;
    size_t n = (size_t)(end - path);
    if (n && n + strlen(name) + 2 <= sizeof full) {
      memcpy(full, path, n);
      full[n] = '/';
      memcpy(full + n + 1, name, strlen(name) + 1);
      CALL(__NR_execve, full, argv, environment, 0);
      if (error_number == EACCES) {
        /* Like a shell, skips a directory that is closed to this user. */
        if (!CALL(__NR_faccessat, AT_FDCWD, full, F_OK, 0)) denied = 1;
      }
      else if (error_number != ENOENT && error_number != ENOTDIR) return -1;
    }
    if (!*end) break;
    path = end;
  }
  error_number = denied ? EACCES : ENOENT;
  return -1;
}
