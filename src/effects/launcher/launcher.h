/* The kernel sandbox's launcher: shared vocabulary of its few files. See main.c for what it does. */
#ifndef AISH_LAUNCHER_H
#define AISH_LAUNCHER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit codes of the launcher itself; any other is the command's own. */
enum { EXIT_TIME = 124, EXIT_SETUP = 126, EXIT_NOT_FOUND = 127 };

enum profile { RESTRICTED = 1, LIGHT = 2, SUPERVISE = 4, TRIAL = 8, PROJECT = 16, HELD = 32 };
/* Profiles that run in namespaces of their own; project mode, HELD being that of a system without namespaces; those that
 * write in trees; and all of them. */
enum { INSIDE = TRIAL | PROJECT, PROJECTS = PROJECT | HELD, TREES = INSIDE | HELD,
       EVERY = RESTRICTED | LIGHT | SUPERVISE | TREES, MAX_TREES = 8 };

/* Zero means: not limited by the launcher. Bytes, seconds, counts. */
struct limits {
  uint64_t as, data, fsize, cpu, nofile, procs, wall;
};

struct options {
  enum profile profile;
  const char *tmp;         /* the private temporary directory, or NULL */
  const char *cwd;         /* or NULL: as inherited */
  const char *status_path; /* or NULL */
  const char *trial;       /* the private directory in which a trial collects its changes, or NULL */
  const char *trees[MAX_TREES]; /* what a trial overlays, or the project's tree */
  int tree_count;
  uint64_t trial_space;    /* bytes that a trial may write */
  const char *keep;        /* the empty directory of a store in which old states are kept, or NULL */
  const char *keep_tree;   /* below which changes that were not kept are looked for, or NULL */
  uint64_t keep_budget, keep_file; /* bytes: of the store, and of a file that must be copied */
  int keep_credentials;
  pid_t parent;            /* who must be alive; 0: whoever started us */
  struct limits limits;
  int abi_at_most;         /* test builds only: pretend an older Landlock */
  const char *fail_step;   /* test builds only: this set-up step fails */
  char **argv;
};

/* How the command's terminal stands, found before the first fork. */
struct terminal {
  int shared;      /* the controlling terminal is one of descriptors 0..2 */
  int new_session; /* a controlling terminal exists and is not ours to give: leave it */
};

/* What the supervisor tells the front at the end. Smaller than PIPE_BUF, so one write is one read. */
struct report {
  enum { FAILED = 1, ENDED, TIMED_OUT, TOO_MANY, ABANDONED, TOO_LARGE } kind;
  int status; /* ENDED: of waitpid. FAILED: errno of the failing step */
  int left;   /* processes that were still there when the command ended */
  char text[240];
};

/* How far the child came. It stands in memory that the supervisor shares until exec. */
struct attempt {
  int listener;  /* of a kept command: open in the supervisor as well, since both share their descriptors until exec */
  int executing; /* every step before exec was taken */
  int error;     /* errno of the step that failed */
  char text[sizeof((struct report *)0)->text];
};

/* What the supervisor and the first process inside share. */
struct inside {
  struct attempt attempt;
  int uid, gid;
  int status, over, left; /* of the command, as waitpid tells it; `over` once it is there */
};

/* namespace.c: starts the command in namespaces of its own. */
struct store;
pid_t start_inside(const struct options *options, const struct terminal *terminal, const sigset_t *mask, int ended,
                   struct store *kept, struct inside **shared);
/* mounts.c: what git obeys of a repository, below it; NULL behind the last. */
extern const char *const git_obeys[];
/* mounts.c: in there. 0, or -1 with errno and what failed in `detail`. */
int mount_world(const struct options *options, char *detail, unsigned long size);
int is_below(const char *path, const char *top);

/* confine.c: in the child; returns only on failure. */
void confine_and_exec(const struct options *options, const struct terminal *terminal, const sigset_t *mask,
                      struct attempt *attempt);

/* landlock.c: the version the kernel answers with (0: none), and the rule set by profile. */
int landlock_abi(const struct options *options);
int landlock_enforce(const struct options *options, const struct terminal *terminal, char *detail, unsigned long size);
int landlock_isolate(pid_t outside);

/* filter.c */
int filter_install(enum profile profile, int abi);

/* supervisor.c: never returns. `life` reads signal numbers to forward, its end means that the front died. */
void supervise(const struct options *options, const struct terminal *terminal, const sigset_t *mask, int life,
               int report, int status);
/* Kill and reap everything below this process. Returns how many were found. */
int kill_tree(void);

/* Who forked a launcher that the program did not start itself. */
struct starter {
  pid_t pid, program;
  int lines; /* where the end of the command can be told */
};

/* starter.c: forks launchers until the program goes. In each of them, and at its own end, it returns the exit code. */
int serve_starts(pid_t program);
/* main.c: all that a launcher does; `starter` may be NULL. */
int launch(int argc, char **argv, const struct starter *starter);

/* main.c: the digits that `text` begins with; 0 without any. */
uint64_t to_number(const char *text);

/* runtime.c: what `getenv` looks in and a command gets. */
void set_environment(char **list);

/* runtime.c: vfork with the kernel's own answer, -errno included. */
pid_t raw_vfork(void) __attribute__((returns_twice));
/* The same with shared descriptors: what the child opens before exec is open here. */
pid_t raw_vfork_sharing(void) __attribute__((returns_twice));

/* selftest.c: try what the sandbox must refuse, from inside. */
int selftest(const char *directory);

#endif
