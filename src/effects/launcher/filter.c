/*
 * The two system call filters, built from tables at run time.
 *
 * The sandbox's filter refuses what Landlock does not cover. Every rule of it can only refuse. The second filter asks
 * the supervisor before each call that changes the file system; reading, and opening for reading, run at full speed.
 * What hides its arguments (openat2, io_uring) does not exist there, and callers fall back. Without a supervisor the
 * kernel answers ENOSYS, so nothing is changed that nobody kept. In both, calls newer than the newest one reviewed here
 * do not exist.
 */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filters are written for x86-64 and arm64"
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* From 424 on numbers are the same everywhere, but the headers of a stable distribution may not have them. */
enum {
  NR_IO_URING_SETUP = 425, NR_IO_URING_ENTER, NR_IO_URING_REGISTER, NR_OPEN_TREE, NR_MOVE_MOUNT, NR_FSOPEN,
  NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK, NR_CLONE3 = 435, NR_OPENAT2 = 437, NR_PIDFD_GETFD = 438, NR_PROCESS_MADVISE = 440,
  NR_MOUNT_SETATTR = 442, NR_QUOTACTL_FD = 443, NR_MEMFD_SECRET = 447, NR_PROCESS_MRELEASE = 448,
  NR_OPEN_TREE_ATTR = 467, NR_FILE_SETATTR = 469, NR_NEWEST_REVIEWED = 469
};

/* Landlock has no right for these. Mounts bound them, or without namespaces the supervisor, which then sets modes and
 * times itself, in the tree only. */
static const int modes_times_owners[] = {
    __NR_fchmod, __NR_fchmodat, NR_FCHMODAT2, __NR_fchown, __NR_fchownat, __NR_utimensat,
#ifdef __NR_chmod
    __NR_chmod, __NR_chown, __NR_lchown, __NR_utime, __NR_utimes, __NR_futimesat,
#endif
};
static const int attributes[] = {
    __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, NR_SETXATTRAT, __NR_removexattr,
    __NR_lremovexattr, __NR_fremovexattr, NR_REMOVEXATTRAT,
};

/* No socket can be made, and an inherited one can do nothing new. */
static const int network[] = {__NR_socket, __NR_connect, __NR_bind, __NR_listen, __NR_accept, __NR_accept4};

static const int not_permitted[] = {
    NR_FILE_SETATTR, __NR_quotactl, NR_QUOTACTL_FD,
    /* other processes */
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, NR_PIDFD_GETFD, NR_PROCESS_MADVISE, NR_PROCESS_MRELEASE,
    __NR_kcmp, __NR_migrate_pages, __NR_move_pages,
    /* objects that live outside the file system */
    __NR_shmget, __NR_shmat, __NR_shmctl, __NR_shmdt, __NR_semget, __NR_semop, __NR_semtimedop, __NR_semctl,
        __NR_msgget,
    __NR_msgsnd, __NR_msgrcv, __NR_msgctl, __NR_mq_open, __NR_mq_unlink, __NR_add_key, __NR_request_key, __NR_keyctl,
    /* the kernel and the machine */
    __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_fanotify_init, __NR_open_by_handle_at, __NR_init_module,
    __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_reboot, __NR_swapon, __NR_swapoff, __NR_acct,
    __NR_settimeofday, __NR_clock_settime, __NR_clock_adjtime, __NR_adjtimex, __NR_sethostname, __NR_setdomainname,
    __NR_vhangup,
#ifdef __NR_modify_ldt
    __NR_modify_ldt, __NR_iopl, __NR_ioperm,
#endif
#ifdef __NR_kexec_file_load
    __NR_kexec_file_load,
#endif
    /* namespaces and mounts */
    __NR_unshare, __NR_setns, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, NR_OPEN_TREE, NR_OPEN_TREE_ATTR,
    NR_MOVE_MOUNT, NR_FSOPEN, NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK, NR_MOUNT_SETATTR,
};

/* These do not exist rather than being forbidden, because their callers then fall back. */
static const int absent[] = {
    NR_IO_URING_SETUP, NR_IO_URING_ENTER, NR_IO_URING_REGISTER,
    NR_CLONE3, /* the filter can't read its flags, which are in memory; libc falls back to clone */
    __NR_memfd_create, NR_MEMFD_SECRET,
};

/* Before version 3 Landlock lets a read-only open truncate, and openat2 hides its flags as clone3 does. */
static const int absent_before_abi_3[] = {__NR_truncate, NR_OPENAT2};

#define NAMESPACES \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define ARG_MOST 48

/* (argument & mask), in the low 32 bits, must be one of the values (ONLY), or none of them (NEVER). */
struct argument_rule {
  int nr, argument;
  enum { ONLY, NEVER } sense;
  uint32_t mask;
  int count;
  uint32_t values[ARG_MOST];
};

static const struct argument_rule by_argument[] = {
    /* Only listed ioctls are allowed, because one on a directory opened for reading may delete a subvolume. The list
     * has terminal attributes and sizes, queue lengths, descriptor flags, and reading of file layout and flags. It does
     * not have TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD and TIOCEXCL. */
    {__NR_ioctl, 1, ONLY, ~0u, 43,
     {0x5401, 0x5402, 0x5403, 0x5404, 0x5405, 0x5406, 0x5407, 0x5408, 0x5409, 0x540A, 0x540B, 0x540E, 0x540F, 0x5410,
      0x5411, 0x5413, 0x5414, 0x5415, 0x541B, 0x5420, 0x5421, 0x5422, 0x5425, 0x5429, 0x542A, 0x5450, 0x5451, 0x5452,
      0x5460, 0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D, 0x80045430, 0x80045432, 0x80045438, 0x80045439,
          0x80045440,
      0x80045200, 2, 0xC020660B, 0x80086601, 0x801C581F}},
    /* No datagram pair: unlike a stream, it can send to any named socket of the machine. */
    {__NR_socketpair, 0, ONLY, ~0u, 1, {AF_UNIX}},
    {__NR_socketpair, 1, ONLY, 0xF, 2, {SOCK_STREAM, SOCK_SEQPACKET}},
    {__NR_clone, 0, ONLY, NAMESPACES, 1, {0}},
    /* only for the calling process itself */
    {__NR_prlimit64, 0, ONLY, ~0u, 1, {0}},
    {__NR_setpriority, 0, ONLY, ~0u, 1, {0}},
    {__NR_setpriority, 1, ONLY, ~0u, 1, {0}},
    {__NR_ioprio_set, 0, ONLY, ~0u, 1, {1}},
    {__NR_ioprio_set, 1, ONLY, ~0u, 1, {0}},
    {__NR_sched_setaffinity, 0, ONLY, ~0u, 1, {0}},
    {__NR_sched_setscheduler, 0, ONLY, ~0u, 1, {0}},
    {__NR_sched_setparam, 0, ONLY, ~0u, 1, {0}},
    {__NR_sched_setattr, 0, ONLY, ~0u, 1, {0}},
    /* A lease on a file opened for reading delays others who want to write to it. */
    {__NR_fcntl, 1, NEVER, ~0u, 1, {F_SETLEASE}},
};

/* In a network of its own: no named sockets, which network namespaces do not separate. Of the kernel's sockets only
 * protocol 0, which lists addresses and routes: of the others that netlink numbers so, none does anything without
 * rights over the network. For the internet they are ICMP, TCP, UDP, ICMPv6 and MPTCP. */
static const struct argument_rule own_network[] = {
    {__NR_socket, 0, ONLY, ~0u, 3, {AF_INET, AF_INET6, AF_NETLINK}},
    {__NR_socket, 2, ONLY, ~0u, 6, {0, 1, 6, 17, 58, 262}},
};

static const struct argument_rule before_abi_3[] = {
#ifdef __NR_open
    {__NR_open, 1, NEVER, O_TRUNC | O_ACCMODE, 2, {O_TRUNC | O_RDONLY, O_TRUNC | O_ACCMODE}},
#endif
    {__NR_openat, 2, NEVER, O_TRUNC | O_ACCMODE, 2, {O_TRUNC | O_RDONLY, O_TRUNC | O_ACCMODE}},
};

/* Without scoped signals the sandbox can't protect other processes of the same user. These rules at least forbid a
 * signal to all of them at once, and one by way of a descriptor's owner. */
static const struct argument_rule before_abi_6[] = {
    {__NR_kill, 0, NEVER, ~0u, 1, {0xFFFFFFFF}},
    {__NR_fcntl, 1, NEVER, ~0u, 2, {F_SETOWN, 15 /* F_SETOWN_EX */}},
};

/* The calls that the second filter asks about. */
static const struct call calls[] = {
    {__NR_openat, OPEN, 0, 1, NO_ARGUMENT, NO_ARGUMENT, 2, FOLLOW_BY_FLAG},
    {__NR_unlinkat, REMOVE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_renameat2, RENAME, 0, 1, 2, 3, 4, FOLLOW_NEVER},
#ifdef __NR_renameat
    {__NR_renameat, RENAME, 0, 1, 2, 3, NO_ARGUMENT, FOLLOW_NEVER},
#endif
    {__NR_linkat, LINK, 0, 1, 2, 3, 4, FOLLOW_NEVER},
    {__NR_symlinkat, CREATE, 1, 2, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_mkdirat, CREATE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_mknodat, CREATE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    /* the path is in a socket's address */
    {__NR_bind, CREATE, CURRENT_DIRECTORY, 1, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_truncate, TRUNCATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_fchmod, STATE, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_fchown, STATE, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_fchmodat, STATE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {NR_FCHMODAT2, STATE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, 3, FOLLOW_BY_FLAG},
    {__NR_fchownat, STATE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, 4, FOLLOW_BY_FLAG},
    {__NR_utimensat, STATE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, 3, FOLLOW_BY_FLAG},
    {__NR_setxattr, ATTRIBUTES, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_removexattr, ATTRIBUTES, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_lsetxattr, ATTRIBUTES, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_lremovexattr, ATTRIBUTES, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_fsetxattr, ATTRIBUTES, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_fremovexattr, ATTRIBUTES, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {NR_SETXATTRAT, ATTRIBUTES, 0, 1, NO_ARGUMENT, NO_ARGUMENT, 2, FOLLOW_BY_FLAG},
    {NR_REMOVEXATTRAT, ATTRIBUTES, 0, 1, NO_ARGUMENT, NO_ARGUMENT, 2, FOLLOW_BY_FLAG},
#ifdef __NR_open
    {__NR_open, OPEN, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, 1, FOLLOW_BY_FLAG},
    {__NR_creat, OPEN, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_unlink, REMOVE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_rmdir, REMOVE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_rename, RENAME, CURRENT_DIRECTORY, 0, CURRENT_DIRECTORY, 1, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_link, LINK, CURRENT_DIRECTORY, 0, CURRENT_DIRECTORY, 1, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_symlink, CREATE, CURRENT_DIRECTORY, 1, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_mkdir, CREATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_mknod, CREATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_chmod, STATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_chown, STATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_lchown, STATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_NEVER},
    {__NR_utime, STATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_utimes, STATE, CURRENT_DIRECTORY, 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
    {__NR_futimesat, STATE, 0, 1, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, FOLLOW_ALWAYS},
#endif
};

/* What the second filter takes away, because it hides its arguments. */
static const int hidden[] = {NR_IO_URING_SETUP, NR_IO_URING_ENTER, NR_IO_URING_REGISTER, NR_OPENAT2, NR_FILE_SETATTR,
                             __NR_open_by_handle_at};

const struct call *call_of(int nr) {
  for (size_t i = 0; i < COUNT(calls); i++)
    if (calls[i].nr == nr) return &calls[i];
  return NULL;
}

/* Answers to single calls, sorted by number. */
enum { MAX_ANSWERS = 160, MAX_LENGTH = 1024 };
struct filter {
  struct sock_filter program[MAX_LENGTH];
  unsigned short length;
  struct {
    int nr;
    uint32_t action;
  } answers[MAX_ANSWERS];
  size_t count;
};

static void emit(struct filter *f, unsigned short code, uint32_t k, unsigned char yes, unsigned char no) {
  f->program[f->length++] = (struct sock_filter){code, yes, no, k};
}
static void load(struct filter *f, unsigned long offset) { emit(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void load_argument(struct filter *f, int number) { /* its low half: both processors are little-endian */
  load(f, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (unsigned)number);
}
static void answer(struct filter *f, uint32_t action) { emit(f, BPF_RET | BPF_K, action, 0, 0); }

/* A process that enters the kernel by the 32-bit door has other numbers, so it is killed. Numbers above the newest
 * reviewed one do not exist; x86's x32 numbers, from 0x40000000 on, are among them. */
static void begin_filter(struct filter *f) {
  f->length = 0;
  f->count = 0;
  load(f, offsetof(struct seccomp_data, arch));
  emit(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer(f, SECCOMP_RET_KILL_PROCESS);
  load(f, offsetof(struct seccomp_data, nr));
  emit(f, BPF_JMP | BPF_JGT | BPF_K, NR_NEWEST_REVIEWED, 0, 1);
  answer(f, SECCOMP_RET_ERRNO | ENOSYS);
}

static void add_answer(struct filter *f, int nr, uint32_t action) {
  size_t at = f->count++;
  for (; at && f->answers[at - 1].nr > nr; at--) f->answers[at] = f->answers[at - 1];
  f->answers[at].nr = nr;
  f->answers[at].action = action;
}

/* In blocks, each of which is skipped by numbers above it: the kernel runs the program once for every number when it is
 * installed, and that time is most of its cost. `allows`: each block ends with allowing what is in none of them. */
static void emit_answers(struct filter *f, size_t block, int allows) {
  for (size_t first = 0; first < f->count; first += block) {
    size_t past = first + block < f->count ? first + block : f->count;
    emit(f, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)f->answers[past - 1].nr,
        (unsigned char)(2 * (past - first) + (allows ? 1 : 0)), 0);
    for (size_t i = first; i < past; i++) {
      emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)f->answers[i].nr, 0, 1);
      answer(f, f->answers[i].action);
    }
    if (allows) answer(f, SECCOMP_RET_ALLOW);
  }
}

static void refuse(struct filter *f, const int *numbers, size_t count, int error) {
  for (size_t i = 0; i < count; i++) add_answer(f, numbers[i], SECCOMP_RET_ERRNO | (uint32_t)error);
}

/* Layout: [other call? skip all] load, mask, a comparison for each value, refuse, load the number again. */
static void refuse_by_argument(struct filter *f, const struct argument_rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct argument_rule *r = &rules[i];
    unsigned char n = (unsigned char)r->count;
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->nr, 0, (unsigned char)(n + 4 + (r->sense == NEVER)));
    load_argument(f, r->argument);
    emit(f, BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
    for (unsigned char v = 0; v < n; v++) {
      unsigned char rest = (unsigned char)(n - v - 1);
      emit(f, BPF_JMP | BPF_JEQ | BPF_K, r->values[v], (unsigned char)(rest + 1), 0);
    }
    if (r->sense == NEVER)
      emit(f, BPF_JMP | BPF_JA, 1, 0, 0); /* no value matched: jump over the refusal, where matches land */
    answer(f, SECCOMP_RET_ERRNO | EPERM);
    load(f, offsetof(struct seccomp_data, nr));
  }
}

int filter_install(enum profile profile, int abi) {
  struct filter f;
  begin_filter(&f);
  refuse(&f, not_permitted, COUNT(not_permitted), EPERM);
  if (!(profile & TREES)) refuse(&f, modes_times_owners, COUNT(modes_times_owners), EPERM);
  /* Programs that copy everything of a file go on without attributes if there are none. */
  if (!(profile & INSIDE)) refuse(&f, attributes, COUNT(attributes), profile == HELD ? EOPNOTSUPP : EPERM);
  if (profile != PROJECT) refuse(&f, network, COUNT(network), EPERM);
  refuse(&f, absent, COUNT(absent), ENOSYS);
  if (abi < 3) refuse(&f, absent_before_abi_3, COUNT(absent_before_abi_3), ENOSYS);
  emit_answers(&f, 10, 0);
  refuse_by_argument(&f, by_argument, COUNT(by_argument));
  if (profile == PROJECT) refuse_by_argument(&f, own_network, COUNT(own_network));
  if (abi < 3) refuse_by_argument(&f, before_abi_3, COUNT(before_abi_3));
  if (abi < 6) refuse_by_argument(&f, before_abi_6, COUNT(before_abi_6));
  answer(&f, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {f.length, f.program};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* An open is asked about if it may write or create. A command that only reads runs the program for its opens alone,
 * because the kernel allows all other calls without it: so opens come before the blocks. */
static void ask_about_open(struct filter *f, int nr, int flags) {
  emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 4);
  load_argument(f, flags);
  emit(f, BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
  answer(f, SECCOMP_RET_USER_NOTIF);
  answer(f, SECCOMP_RET_ALLOW);
}

/* Needs no_new_privs or CAP_SYS_ADMIN. EBUSY: a process above us listens already. */
int notify_install(void) {
  struct filter f;
  begin_filter(&f);
  refuse(&f, hidden, COUNT(hidden), ENOSYS);
  for (size_t i = 0; i < COUNT(calls); i++) {
    if (calls[i].what == OPEN && calls[i].flags != NO_ARGUMENT) ask_about_open(&f, calls[i].nr, calls[i].flags);
    else add_answer(&f, calls[i].nr, SECCOMP_RET_USER_NOTIF);
  }
  emit_answers(&f, 8, 1);
  answer(&f, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {f.length, f.program};
  const unsigned long listen = SECCOMP_FILTER_FLAG_NEW_LISTENER;
  long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listen | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (fd < 0 && errno == EINVAL) fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listen, &program);
  return (int)fd;
}
