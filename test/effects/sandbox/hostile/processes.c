/* Harming or reading processes outside (the victim: same user, not sandboxed), and what processes share. */
#include "hostile.h"

#include <linux/ioprio.h>
#include <linux/kcmp.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

static pid_t victim(void) { return (pid_t)number("T_VICTIM"); }
static long proc_file(const char *name, int flags) {
  char path[64], byte;
  snprintf(path, sizeof path, "/proc/%d/%s", victim(), name);
  int fd = open(path, flags | O_CLOEXEC);
  return fd < 0 ? -1 : flags == O_RDONLY ? read(fd, &byte, 1) : 0;
}

static long by_kill(void) { return kill(victim(), SIGUSR1); }
static long by_probe(void) { return kill(victim(), 0); }
static long by_tgkill(void) { return syscall(SYS_tgkill, victim(), victim(), SIGUSR1); }
static long by_tkill(void) { return syscall(SYS_tkill, victim(), SIGUSR1); }
static long by_sigqueue(void) { return sigqueue(victim(), SIGUSR1, (union sigval){0}); }
static long by_pidfd(void) { return syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, victim(), 0), SIGUSR1, NULL, 0); }
static long by_group(void) { return kill(-getpgid(victim()), 0); }
static long by_owner(void) {
  int pair[2];
  long before = log_size();
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) not_here();
  if (fcntl(pair[0], F_SETOWN, victim())) return -1;
  fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  if (write(pair[1], "x", 1) < 0) return -1;
  return wait_for_log(before);
}

static long trace(void) { return ptrace(PTRACE_SEIZE, victim(), 0, 0); }
static long trace_child(void) {
  pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, 0, 0) ? errno : 0);
  int how;
  waitpid(child, &how, 0);
  return (errno = WEXITSTATUS(how)) ? -1 : 0;
}
static long memory(long call, char *byte) {
  void *at = (void *)strtoul(given("T_VICTIM_ADDRESS"), NULL, 16);
  struct iovec here = {byte, 1}, there = {at, 1};
  return syscall(call, victim(), &here, 1, &there, 1, 0);
}
static long read_memory(void) {
  char byte;
  return memory(SYS_process_vm_readv, &byte);
}
static long write_memory(void) {
  char byte; /* what stands there is written back */
  return memory(SYS_process_vm_readv, &byte) < 0 ? -1 : memory(SYS_process_vm_writev, &byte);
}
static long open_memory(void) { return proc_file("mem", O_RDWR); }
static long read_environment(void) { return proc_file("environ", O_RDONLY); }
static long read_maps(void) { return proc_file("maps", O_RDONLY); }
static long read_link(const char *name) {
  char path[64], to[4096];
  snprintf(path, sizeof path, "/proc/%d/%s", victim(), name);
  return readlink(path, to, sizeof to);
}
static long read_cwd(void) { return read_link("cwd"); }
static long read_descriptor_link(void) { return read_link("fd/1"); }
static long steal_descriptor(void) { return syscall(438, syscall(SYS_pidfd_open, victim(), 0), 1, 0); }
static long compare(void) { return syscall(SYS_kcmp, getpid(), victim(), KCMP_VM, 0, 0); }
static long set_score(void) { return proc_file("oom_score_adj", O_WRONLY); }
static long set_name(void) { return proc_file("timerslack_ns", O_WRONLY); }

static long limits(void) {
  struct rlimit now;
  if (prlimit(victim(), RLIMIT_CORE, NULL, &now)) return -1;
  return prlimit(victim(), RLIMIT_CORE, &now, NULL);
}
static long nice_victim(void) { return setpriority(PRIO_PROCESS, (id_t)victim(), 19); }
static long nice_user(void) {
  if (geteuid() == 0) not_here(); /* it would be all of root's */
  return setpriority(PRIO_USER, 0, 0);
}
static long affinity(void) {
  cpu_set_t set;
  if (sched_getaffinity(victim(), sizeof set, &set)) return -1;
  return sched_setaffinity(victim(), sizeof set, &set);
}
static long scheduler(void) { return sched_setscheduler(victim(), SCHED_BATCH, &(struct sched_param){0}); }
static long parameters(void) { return sched_setparam(victim(), &(struct sched_param){0}); }
static long io_priority(void) { return syscall(SYS_ioprio_set, 1, victim(), IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)); }
static long advise(void) {
  struct iovec there = {(void *)strtoul(given("T_VICTIM_ADDRESS"), NULL, 16), 4096};
  return syscall(440, syscall(SYS_pidfd_open, victim(), 0), &there, 1, MADV_COLD, 0);
}
static long migrate(void) {
  unsigned long nodes = 1;
  return syscall(SYS_migrate_pages, victim(), sizeof nodes * 8, &nodes, &nodes);
}
static long move(void) {
  int status;
  void *page = (void *)(strtoul(given("T_VICTIM_ADDRESS"), NULL, 16) & ~4095ul);
  return syscall(SYS_move_pages, victim(), 1, &page, NULL, &status, 0);
}

static long shared_create(void) {
  int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  return id < 0 ? -1 : shmctl(id, IPC_RMID, NULL);
}
static long shared_attach(void) { return shmat((int)number("T_SHM"), NULL, 0) == (void *)-1 ? -1 : 0; }
static long shared_change(void) {
  struct shmid_ds d;
  if (shmctl((int)number("T_SHM"), IPC_STAT, &d)) return -1;
  return shmctl((int)number("T_SHM"), IPC_SET, &d);
}
static long semaphore(void) { return semop((int)number("T_SEM"), &(struct sembuf){0, 1, IPC_NOWAIT}, 1); }
static long semaphore_create(void) {
  int id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
  return id < 0 ? -1 : semctl(id, 0, IPC_RMID);
}
static long message(void) {
  struct {
    long type;
    char text[1];
  } m = {1, "x"};
  return msgsnd((int)number("T_MSG"), &m, 1, IPC_NOWAIT) ? -1 : msgrcv((int)number("T_MSG"), &m, 1, 1, IPC_NOWAIT);
}
static long message_queue(void) {
  mqd_t q = mq_open("/aish-hostile", O_CREAT | O_RDWR, 0600, NULL);
  return q == (mqd_t)-1 ? -1 : mq_unlink("/aish-hostile");
}

const struct operation processes[] = {
    {"kill", by_kill},
    {"kill with signal 0", by_probe},
    {"tgkill", by_tgkill},
    {"tkill", by_tkill},
    {"sigqueue", by_sigqueue},
    {"signal by pidfd", by_pidfd},
    {"signal a process group", by_group},
    {"signal by a descriptor's owner", by_owner},
    {"ptrace a process outside", trace},
    {"ptrace a child", trace_child},
    {"read another's memory", read_memory},
    {"write another's memory", write_memory},
    {"open another's /proc mem", open_memory},
    {"read another's environment", read_environment},
    {"read another's maps", read_maps},
    {"read another's working directory", read_cwd},
    {"follow another's descriptor", read_descriptor_link},
    {"steal a descriptor by pidfd", steal_descriptor},
    {"kcmp", compare},
    {"set another's oom score", set_score},
    {"set another's timer slack", set_name},
    {"limits of another process", limits},
    {"priority of another process", nice_victim},
    {"priority of all of the user's processes", nice_user},
    {"affinity of another process", affinity},
    {"scheduler of another process", scheduler},
    {"scheduling parameters of another process", parameters},
    {"I/O priority of another process", io_priority},
    {"process_madvise on another", advise},
    {"migrate another's pages", migrate},
    {"move another's pages", move},
    {"create shared memory", shared_create},
    {"attach another's shared memory", shared_attach},
    {"change another's shared memory", shared_change},
    {"create semaphores", semaphore_create},
    {"change another's semaphores", semaphore},
    {"use another's message queue", message},
    {"create a POSIX message queue", message_queue},
    {NULL, NULL},
};
