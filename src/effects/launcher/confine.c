/* The steps between fork and exec, in order. The first that fails ends it: the command never runs half confined. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

struct setup {
  const struct options *options;
  const struct terminal *terminal;
  const sigset_t *mask;
  struct attempt *attempt;
  char detail[200];
};

static int enter_directory(struct setup *s) {
  if (!s->options->cwd) return 0;
  snprintf(s->detail, sizeof s->detail, "%s", s->options->cwd);
  return chdir(s->options->cwd);
}

static int leave_terminal(struct setup *s) { return s->terminal->new_session && setsid() < 0 ? -1 : 0; }

/* Marked to close at exec rather than closed: the pipe that reports failures must live until then. */
static int close_descriptors(struct setup *s) {
  (void)s;
  if (syscall(__NR_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return 0;
  DIR *list = opendir("/proc/self/fd");
  if (!list) return -1;
  for (struct dirent *entry; (entry = readdir(list));) {
    int fd = (int)to_number(entry->d_name);
    if (fd > 2 && fcntl(fd, F_SETFD, FD_CLOEXEC)) return -1;
  }
  closedir(list);
  return 0;
}

/* Without restriction only where a kept command needs it: the system administrator may be notified with it too. */
static int give_up_privileges(struct setup *s) {
  if (s->options->profile == SUPERVISE && (!s->options->keep || geteuid() == 0)) return 0;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Root stays root over files, which its mounts or Landlock bound; over nothing else. */
static int keep_file_capabilities(int profile, struct __user_cap_header_struct *header, struct __user_cap_data_struct *data) {
  const uint32_t inside = CAP_TO_MASK(CAP_CHOWN) | CAP_TO_MASK(CAP_FSETID) | CAP_TO_MASK(CAP_SETGID) | CAP_TO_MASK(CAP_SETUID);
  const uint32_t kept = CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH) | CAP_TO_MASK(CAP_FOWNER) |
                        (profile & INSIDE ? inside : 0);
  for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
    if ((cap > 31 || !(kept & CAP_TO_MASK(cap))) && prctl(PR_CAPBSET_DROP, cap)) return -1;
  data[0].permitted &= kept;
  data[0].effective = data[0].permitted;
  data[1].permitted = data[1].effective = data[0].inheritable = data[1].inheritable = 0;
  return (int)syscall(SYS_capset, header, data);
}

static int drop_capabilities(struct setup *s) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data)) return -1;
  if (!(data[0].permitted | data[1].permitted | data[0].inheritable | data[1].inheritable)) return 0;
  if (s->options->profile & TREES && geteuid() == 0) return keep_file_capabilities(s->options->profile, &header, data);
  if (data[CAP_TO_INDEX(CAP_SETPCAP)].effective & CAP_TO_MASK(CAP_SETPCAP)) {
    const unsigned long root_is_nobody = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                         SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                                         SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (prctl(PR_SET_SECUREBITS, prctl(PR_GET_SECUREBITS) | root_is_nobody)) return -1;
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
      if (prctl(PR_CAPBSET_DROP, cap)) return -1;
  }
  memset(data, 0, sizeof data);
  return (int)syscall(SYS_capset, &header, data);
}

static int lower(int what, uint64_t soft, uint64_t hard) {
  struct rlimit now;
  if (getrlimit(what, &now)) return -1;
  if (hard < now.rlim_max) now.rlim_max = hard;
  now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
  return setrlimit(what, &now);
}

/*
 * The kernel writes a core file by itself, past every supervisor, over one that stands there. Not 0: with a core_pattern
 * that is a pipe, 1 alone keeps it from starting the handler outside.
 */
static int dump_no_core(struct setup *s) {
  return s->options->keep || s->options->profile & (RESTRICTED | TREES) ? lower(RLIMIT_CORE, 1, 1) : 0;
}

static int bound_resources(struct setup *s) {
  const struct limits *l = &s->options->limits;
  struct sysinfo info;
  /* NPROC counts every task of this user. All tasks of the machine are an upper bound of those, in one call. */
  if (sysinfo(&info)) return -1;
  if (lower(RLIMIT_MSGQUEUE, 0, 0)) return -1;
  if (l->as && lower(RLIMIT_AS, l->as, l->as)) return -1;
  if (l->data && lower(RLIMIT_DATA, l->data, l->data)) return -1;
  if (l->fsize && lower(RLIMIT_FSIZE, l->fsize, l->fsize)) return -1;
  if (l->cpu && lower(RLIMIT_CPU, l->cpu, l->cpu + 5)) return -1; /* SIGXCPU first, SIGKILL five seconds later */
  if (l->nofile && lower(RLIMIT_NOFILE, l->nofile, l->nofile)) return -1;
  if (l->procs && lower(RLIMIT_NPROC, info.procs + l->procs, info.procs + l->procs)) return -1;
  return 0;
}

static int enforce_landlock(struct setup *s) {
  return landlock_enforce(s->options, s->terminal, s->detail, sizeof s->detail);
}

static int install_filter(struct setup *s) { return filter_install(s->options->profile, landlock_abi(s->options)); }

static int notify(struct setup *s) {
  if (!s->options->keep && !(s->options->profile & TREES)) return 0;
  int listener = keep_filter_install();
  s->attempt->listener = listener;
  if (listener < 0 && errno == EBUSY && s->options->profile == PROJECT && !s->options->keep) {
    if (!any_named_outside(s->options)) return 0;
    snprintf(s->detail, sizeof s->detail, "a file in the tree has another name outside it, and another program supervises already");
    return errno = EBUSY, -1;
  }
  if (listener < 0 && errno == EBUSY) snprintf(s->detail, sizeof s->detail, "another program above supervises already");
  return listener < 0 ? -1 : 0;
}

static int run(struct setup *s) {
  snprintf(s->detail, sizeof s->detail, "%s", s->options->argv[0]);
  sigprocmask(SIG_SETMASK, s->mask, NULL);
  s->attempt->executing = 1;
  return execvp(s->options->argv[0], s->options->argv);
}

static const struct {
  const char *name;
  int (*take)(struct setup *);
  int profiles;
} steps[] = {
    {"cwd", enter_directory, EVERY},
    {"session", leave_terminal, EVERY},
    {"descriptors", close_descriptors, EVERY},
    {"privileges", give_up_privileges, EVERY},
    {"capabilities", drop_capabilities, RESTRICTED | TREES},
    {"core", dump_no_core, EVERY},
    {"limits", bound_resources, RESTRICTED | TRIAL},
    {"landlock", enforce_landlock, RESTRICTED | LIGHT | TREES},
    {"filter", install_filter, RESTRICTED | TREES},
    {"keep", notify, EVERY},
    {"exec", run, EVERY},
};

void confine_and_exec(const struct options *options, const struct terminal *terminal, const sigset_t *mask,
                      struct attempt *attempt) {
  struct setup setup = {options, terminal, mask, attempt, ""};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    if (!(steps[i].profiles & options->profile)) continue;
    setup.detail[0] = 0;
    errno = 0;
    int forced = options->fail_step && !strcmp(options->fail_step, steps[i].name);
    if (!forced && steps[i].take(&setup) == 0) continue;
    attempt->error = forced ? EIO : errno ? errno : EINVAL;
    attempt->executing = 0;
    snprintf(attempt->text, sizeof attempt->text, "%s: %s%s%s", steps[i].name, setup.detail, *setup.detail ? ": " : "",
             strerror(attempt->error));
    return;
  }
}
