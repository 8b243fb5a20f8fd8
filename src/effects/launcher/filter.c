/*
 * The system call filter: what Landlock does not see. Reads like a table; the program is built from it at run time.
 * Every rule can only refuse. System calls newer than the newest reviewed here do not exist inside.
 */
#include "launcher.h"

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

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filter is written for x86-64 and arm64"
#endif

/* From 424 on numbers are the same everywhere; the headers of a stable distribution may not have them. */
enum {
  NR_IO_URING_SETUP = 425, NR_IO_URING_ENTER, NR_IO_URING_REGISTER, NR_OPEN_TREE, NR_MOVE_MOUNT, NR_FSOPEN,
  NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK, NR_CLONE3 = 435, NR_OPENAT2 = 437, NR_PIDFD_GETFD = 438, NR_PROCESS_MADVISE = 440,
  NR_MOUNT_SETATTR = 442, NR_QUOTACTL_FD = 443, NR_MEMFD_SECRET = 447, NR_PROCESS_MRELEASE = 448, NR_FCHMODAT2 = 452,
  NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466, NR_OPEN_TREE_ATTR = 467, NR_FILE_SETATTR = 469,
  NR_NEWEST_REVIEWED = 469
};

/* Metadata: Landlock has no right for any of it. Where mounts hold, they bound it; where there are none, the supervisor sets
 * modes and times itself, in the tree only. */
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

/* No socket of any family can be made, and an inherited one can do nothing new. */
static const int network[] = {__NR_socket, __NR_connect, __NR_bind, __NR_listen, __NR_accept, __NR_accept4};

static const int not_permitted[] = {
    NR_FILE_SETATTR, __NR_quotactl, NR_QUOTACTL_FD,
    /* other processes */
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, NR_PIDFD_GETFD, NR_PROCESS_MADVISE, NR_PROCESS_MRELEASE,
    __NR_kcmp, __NR_migrate_pages, __NR_move_pages,
    /* objects that live outside the file system */
    __NR_shmget, __NR_shmat, __NR_shmctl, __NR_shmdt, __NR_semget, __NR_semop, __NR_semtimedop, __NR_semctl, __NR_msgget,
    __NR_msgsnd, __NR_msgrcv, __NR_msgctl, __NR_mq_open, __NR_mq_unlink, __NR_add_key, __NR_request_key, __NR_keyctl,
    /* the kernel's own workshop */
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

/* Absent rather than forbidden: callers know how to do without. */
static const int not_there[] = {
    NR_IO_URING_SETUP, NR_IO_URING_ENTER, NR_IO_URING_REGISTER,
    NR_CLONE3, /* its flags stand in memory, out of the filter's sight; libc falls back to clone */
    __NR_memfd_create, NR_MEMFD_SECRET,
};

/* Before version 3 Landlock lets a read-only open truncate; openat2 hides its flags like clone3. */
static const int not_there_before_abi_3[] = {__NR_truncate, NR_OPENAT2};

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define ARG_MOST 48

/* A rule on one argument, its low 32 bits: refuse unless, or refuse when, (argument & mask) is one of the values. */
struct argument_rule {
  int nr, argument;
  enum { ONLY, NEVER } sense;
  uint32_t mask;
  int count;
  uint32_t values[ARG_MOST];
};

static const struct argument_rule by_argument[] = {
    /* The list of ioctls is one of permissions: on a directory opened for reading, an ioctl may delete a subvolume.
     * Terminal attributes and sizes, queue lengths, descriptor flags, and reading of file layout and flags. Not in it:
     * TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD, TIOCEXCL. */
    {__NR_ioctl, 1, ONLY, ~0u, 43,
     {0x5401, 0x5402, 0x5403, 0x5404, 0x5405, 0x5406, 0x5407, 0x5408, 0x5409, 0x540A, 0x540B, 0x540E, 0x540F, 0x5410,
      0x5411, 0x5413, 0x5414, 0x5415, 0x541B, 0x5420, 0x5421, 0x5422, 0x5425, 0x5429, 0x542A, 0x5450, 0x5451, 0x5452,
      0x5460, 0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D, 0x80045430, 0x80045432, 0x80045438, 0x80045439, 0x80045440,
      0x80045200, 2, 0xC020660B, 0x80086601, 0x801C581F}},
    /* No datagram pair: unlike a stream it can still send to any named socket of the machine. */
    {__NR_socketpair, 0, ONLY, ~0u, 1, {AF_UNIX}},
    {__NR_socketpair, 1, ONLY, 0xF, 2, {SOCK_STREAM, SOCK_SEQPACKET}},
    {__NR_clone, 0, ONLY, NAMESPACES, 1, {0}},
    /* aimed at oneself only */
    {__NR_prlimit64, 0, ONLY, ~0u, 1, {0}},
    {__NR_setpriority, 0, ONLY, ~0u, 1, {0}},
    {__NR_setpriority, 1, ONLY, ~0u, 1, {0}},
    {__NR_ioprio_set, 0, ONLY, ~0u, 1, {1}},
    {__NR_ioprio_set, 1, ONLY, ~0u, 1, {0}},
    {__NR_sched_setaffinity, 0, ONLY, ~0u, 1, {0}},
    {__NR_sched_setscheduler, 0, ONLY, ~0u, 1, {0}},
    {__NR_sched_setparam, 0, ONLY, ~0u, 1, {0}},
    {__NR_sched_setattr, 0, ONLY, ~0u, 1, {0}},
    /* A lease on a file opened for reading holds up others who want to write it. */
    {__NR_fcntl, 1, NEVER, ~0u, 1, {F_SETLEASE}},
};

/* Alone with its loopback: no named socket of the machine, whatever its namespace, and nothing of the kernel's. */
static const struct argument_rule own_network[] = {{__NR_socket, 0, ONLY, ~0u, 2, {AF_INET, AF_INET6}}};

static const struct argument_rule before_abi_3[] = {
#ifdef __NR_open
    {__NR_open, 1, NEVER, O_TRUNC | O_ACCMODE, 2, {O_TRUNC | O_RDONLY, O_TRUNC | O_ACCMODE}},
#endif
    {__NR_openat, 2, NEVER, O_TRUNC | O_ACCMODE, 2, {O_TRUNC | O_RDONLY, O_TRUNC | O_ACCMODE}},
};

/* Without scoped signals those to one's own user can't be told apart; at least not to all of them at once, and not by
 * way of a descriptor's owner. */
static const struct argument_rule before_abi_6[] = {
    {__NR_kill, 0, NEVER, ~0u, 1, {0xFFFFFFFF}},
    {__NR_fcntl, 1, NEVER, ~0u, 2, {F_SETOWN, 15 /* F_SETOWN_EX */}},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct sock_filter program[1024];
static unsigned short length;

static void emit(unsigned short code, uint32_t k, unsigned char yes, unsigned char no) {
  program[length++] = (struct sock_filter){code, yes, no, k};
}

static void load(unsigned long offset) { emit(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void answer(uint32_t action) { emit(BPF_RET | BPF_K, action, 0, 0); }

/* What must not be, in numerical order and by blocks, each of which a number outside it skips: the kernel runs the
 * program once for every number there is when it is installed, and that time is the greater part of its cost. */
enum { BLOCK = 10, MAX_REFUSED = 160 };
struct refusal {
  int nr, error;
};
static struct refusal refusals[MAX_REFUSED];
static size_t refused;

static void refuse(const int *calls, size_t count, int error) {
  for (size_t i = 0; i < count; i++) {
    size_t at = refused++;
    for (; at && refusals[at - 1].nr > calls[i]; at--) refusals[at] = refusals[at - 1];
    refusals[at] = (struct refusal){calls[i], error};
  }
}

static void emit_refusals(void) {
  for (size_t first = 0; first < refused; first += BLOCK) {
    size_t past = first + BLOCK < refused ? first + BLOCK : refused;
    emit(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)refusals[past - 1].nr, (unsigned char)(2 * (past - first)), 0);
    for (size_t i = first; i < past; i++) {
      emit(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refusals[i].nr, 0, 1);
      answer(SECCOMP_RET_ERRNO | (uint32_t)refusals[i].error);
    }
  }
}

/* Layout: [other call? skip all] load, mask, a comparison per value, refuse, reload the number. */
static void refuse_by_argument(const struct argument_rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct argument_rule *r = &rules[i];
    unsigned char n = (unsigned char)r->count;
    emit(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->nr, 0, (unsigned char)(n + 4 + (r->sense == NEVER)));
    load(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (unsigned)r->argument); /* little-endian: the low half */
    emit(BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
    for (unsigned char v = 0; v < n; v++) {
      unsigned char rest = (unsigned char)(n - v - 1);
      emit(BPF_JMP | BPF_JEQ | BPF_K, r->values[v], (unsigned char)(rest + 1), 0);
    }
    if (r->sense == NEVER) emit(BPF_JMP | BPF_JA, 1, 0, 0); /* no value matched: past the refusal, which a match lands on */
    answer(SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(struct seccomp_data, nr));
  }
}

int filter_install(enum profile profile, int abi) {
  length = 0;
  load(offsetof(struct seccomp_data, arch));
  emit(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer(SECCOMP_RET_KILL_PROCESS); /* the 32-bit entry has its own numbers */
  load(offsetof(struct seccomp_data, nr));
  /* Also refuses x86's x32 numbers, which start at 0x40000000. */
  emit(BPF_JMP | BPF_JGT | BPF_K, NR_NEWEST_REVIEWED, 0, 1);
  answer(SECCOMP_RET_ERRNO | ENOSYS);
  refused = 0;
  refuse(not_permitted, COUNT(not_permitted), EPERM);
  if (!(profile & TREES)) refuse(modes_times_owners, COUNT(modes_times_owners), EPERM);
  /* Programs that copy everything of a file go on without attributes where there are none. */
  if (!(profile & INSIDE)) refuse(attributes, COUNT(attributes), profile == HELD ? EOPNOTSUPP : EPERM);
  if (profile != PROJECT) refuse(network, COUNT(network), EPERM);
  refuse(not_there, COUNT(not_there), ENOSYS);
  if (abi < 3) refuse(not_there_before_abi_3, COUNT(not_there_before_abi_3), ENOSYS);
  emit_refusals();
  refuse_by_argument(by_argument, COUNT(by_argument));
  if (profile == PROJECT) refuse_by_argument(own_network, COUNT(own_network));
  if (abi < 3) refuse_by_argument(before_abi_3, COUNT(before_abi_3));
  if (abi < 6) refuse_by_argument(before_abi_6, COUNT(before_abi_6));
  answer(SECCOMP_RET_ALLOW);
  struct sock_fprog filter = {length, program};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}
