/* Namespaces, mounts, privileges, and the kernel's own workshop. Outside these are done so that they change nothing. */
#include "hostile.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <sys/utsname.h>

static long ended(pid_t child) {
  int how;
  if (child < 0) return -1;
  if (waitpid(child, &how, 0) < 0) return -1;
  return (errno = WEXITSTATUS(how)) ? -1 : 0;
}
static long user_namespace(void) { return unshare(CLONE_NEWUSER); }
static long mount_namespace(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS); }
static long network_namespace(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNET); }
static long by_clone(void) {
  pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return ended(child);
}
static long by_clone3(void) {
  struct clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
  pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof args);
  if (child == 0) _exit(0);
  return ended(child);
}
static long join_namespace(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/ns/uts", number("T_VICTIM"));
  return setns(open(path, O_RDONLY), CLONE_NEWUTS);
}
/* As root at once; else in a user namespace, where one may be root over one's own mounts. */
static void become_mounter(void) {
  if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) return;
  mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}
static long mount_memory(void) {
  become_mounter();
  return mount("none", "dir", "tmpfs", 0, NULL);
}
static long mount_bind(void) {
  become_mounter();
  return mount("dir", "dir", NULL, MS_BIND, NULL);
}
static long remount(void) {
  become_mounter();
  return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}
static long open_tree_clone(void) {
  become_mounter();
  return syscall(428, AT_FDCWD, "dir", 1);
}
static long new_file_system(void) {
  become_mounter();
  return syscall(430, "tmpfs", 0);
}
static long change_root(void) {
  if (geteuid()) become_mounter();
  return chroot("dir");
}

static long run_set_user_id(void) {
  FILE *out = popen("./set-user-id --identity", "r");
  int id = -1;
  if (geteuid() == 0) not_here();
  if (!out || fscanf(out, "%d", &id) != 1) not_here();
  pclose(out);
  errno = EPERM;
  return id == 0 ? 0 : -1;
}
static long become_another(void) { return setuid(65533); }
static long raise_capability(void) { return mknod("new-dev", 0020000 | 0600, 0x103) ? -1 : unlink("new-dev"); }

static long bpf_map(void) {
  union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr);
}
static long perf(void) {
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
  return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}
static long fault_handler(void) { return syscall(SYS_userfaultfd, 1 /* user mode only */); }
static long watch_all(void) { return fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID, 0); }
static long add_to_keyring(void) {
  long id = syscall(SYS_add_key, "user", "aish-hostile", "x", 1, -4 /* of the user */);
  return id < 0 ? -1 : syscall(SYS_keyctl, 9 /* unlink */, id, -4);
}
static long read_keyring(void) { return syscall(SYS_keyctl, 0, -4, 0); }
static long request(void) {
  long id = syscall(SYS_request_key, "user", "aish-hostile-absent", NULL, 0);
  return id < 0 && errno == ENOKEY ? 0 : id;
}
static long run_from_memory(void) { return memfd_create("x", 0); }
static long open_by_handle(void) {
  struct {
    struct file_handle h;
    char more[128];
  } handle = {.h = {.handle_bytes = 128}};
  int mount;
  if (name_to_handle_at(AT_FDCWD, "file", &handle.h, &mount, 0)) not_here();
  return open_by_handle_at(AT_FDCWD, &handle.h, O_RDONLY);
}
static long host_name(void) {
  struct utsname name;
  uname(&name);
  return sethostname(name.nodename, strlen(name.nodename));
}
static long domain_name(void) {
  char name[65];
  if (getdomainname(name, sizeof name)) not_here();
  return setdomainname(name, strlen(name));
}
static long accounting(void) { return acct("absent") && errno == ENOENT ? 0 : -1; }
static long ports(void) {
#ifdef SYS_iopl
  return syscall(SYS_iopl, 3);
#else
  not_here();
#endif
}
static long clock_set(void) {
  struct timex t = {.modes = ADJ_TICK};
  struct timex now = {0};
  if (adjtimex(&now) < 0) return -1;
  t.tick = now.tick;
  return adjtimex(&t);
}
static long swap_off(void) { return syscall(SYS_swapoff, "file") && errno == EINVAL ? 0 : -1; }
static long load_module(void) {
  long r = syscall(SYS_init_module, "no module", 9L, "");
  return r && errno != EPERM && errno != ENOSYS ? 0 : r;
}
static long restart(void) { return syscall(SYS_reboot, 0, 0, 0, 0) && errno == EINVAL ? 0 : -1; }
static long write_to(const char *path) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  return fd < 0 && errno == ENOENT ? (not_here(), 0) : fd;
}
static long write_sysctl(void) { return write_to("/proc/sys/kernel/hostname"); }
static long write_own_score(void) { return write_to("/proc/self/oom_score_adj"); }
static long write_own_memory(void) { return write_to("/proc/self/mem"); }
static long write_sys(void) { return write_to("/sys/kernel/mm/transparent_hugepage/enabled"); }
static long write_log(void) { return write_to("/dev/kmsg"); }
static long write_memory_device(void) { return write_to("/dev/mem"); }
static long write_disk(void) { return write_to(given("T_DISK")); }
static long read_disk(void) { return open(given("T_DISK"), O_RDONLY | O_CLOEXEC); }
static long make_group(void) {
  const char *at = given("T_CGROUP");
  return mkdir(at, 0700) ? -1 : rmdir(at);
}
static long old_entry(void) {
#ifdef __x86_64__
  long r;
  /* the 32-bit door: getpid has number 20 there. The filter kills, so it must be a child. */
  pid_t child = fork();
  if (child == 0) {
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "r8", "r9", "r10", "r11", "memory");
    _exit(r == getpid() ? 0 : ENOSYS);
  }
  int how;
  waitpid(child, &how, 0);
  errno = WIFSIGNALED(how) ? EPERM : WEXITSTATUS(how);
  return errno ? -1 : 0;
#else
  not_here();
#endif
}
static long unheard_of(void) { return syscall(470, -1, 0, 0, 0) < 0 && errno != ENOSYS ? 0 : -1; }

const struct operation kernel[] = {
    {"new user namespace", user_namespace},
    {"new mount namespace", mount_namespace},
    {"new network namespace", network_namespace},
    {"new namespace by clone", by_clone},
    {"new namespace by clone3", by_clone3},
    {"join another's namespace", join_namespace},
    {"mount a memory file system", mount_memory},
    {"bind mount", mount_bind},
    {"change a mount", remount},
    {"clone a mount tree", open_tree_clone},
    {"open a file system", new_file_system},
    {"chroot", change_root},
    {"run a set-user-ID program", run_set_user_id},
    {"become another user", become_another},
    {"use root's capabilities", raise_capability},
    {"BPF map", bpf_map},
    {"perf event", perf},
    {"userfaultfd", fault_handler},
    {"fanotify", watch_all},
    {"add to the user's keyring", add_to_keyring},
    {"look into the user's keyring", read_keyring},
    {"request a key", request},
    {"memory file", run_from_memory},
    {"open by handle", open_by_handle},
    {"set the host name", host_name},
    {"set the domain name", domain_name},
    {"switch accounting", accounting},
    {"I/O ports", ports},
    {"adjust the clock", clock_set},
    {"swapoff", swap_off},
    {"load a module", load_module},
    {"restart the machine", restart},
    {"write /proc/sys", write_sysctl},
    {"write /proc/self/oom_score_adj", write_own_score},
    {"write /proc/self/mem", write_own_memory},
    {"write /sys", write_sys},
    {"write the kernel log", write_log},
    {"open /dev/mem", write_memory_device},
    {"write a disk", write_disk},
    {"read a disk", read_disk},
    {"make a control group", make_group},
    {"the 32-bit system call entry", old_entry},
    {"a system call that is too new", unheard_of},
    {NULL, NULL},
};
