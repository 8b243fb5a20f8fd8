/* What the files of the launcher share: options, profiles and how a command is started. See main.c. */
#ifndef AISH_LAUNCHER_H
#define AISH_LAUNCHER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit codes of the launcher itself. Any other exit code is the command's own. */
enum { EXIT_TIME = 124, EXIT_SETUP = 126, EXIT_NOT_FOUND = 127 };

/* How a command is bounded. HELD is Project mode on a system without namespaces. */
enum profile {
  RESTRICTED = 1 << 0,
  LIGHT = 1 << 1,
  SUPERVISE = 1 << 2,
  TRIAL = 1 << 3,
  PROJECT = 1 << 4,
  HELD = 1 << 5,
};
/* INSIDE: profiles that run in namespaces of their own. TREES: profiles that may write in trees. */
enum { INSIDE = TRIAL | PROJECT, PROJECTS = PROJECT | HELD, TREES = INSIDE | HELD,
    EVERY = RESTRICTED | LIGHT | SUPERVISE | TREES };
enum { MAX_TREES = 8, MAX_OWN = 4 };

/* In bytes, seconds and counts. The launcher leaves alone what is 0 here. */
struct limits {
  uint64_t as, data, fsize, cpu, nofile, procs, wall;
};

struct options {
  enum profile profile;
  const char *tmp;              /* the private temporary directory, or NULL */
  const char *cwd;              /* NULL: the current directory stays */
  const char *status_path;      /* or NULL */
  const char *trial;            /* the private directory in which a trial collects its changes, or NULL */
  int as_project;               /* a trial of a command that would run in Project mode */
  const char *trees[MAX_TREES]; /* the trees that a trial overlays, or the project's tree */
  int tree_count;
  uint64_t trial_space;    /* bytes that a trial may write */
  const char *keep;        /* the empty directory of the store in which old states are kept, or NULL */
  const char *own[MAX_OWN]; /* directories of the program itself: a kept command changes nothing in them */
  int own_count;
  const char *keep_tree;   /* the tree that is searched for changes which were not kept, or NULL */
  uint64_t keep_budget;    /* bytes that the store may use */
  uint64_t keep_file;      /* bytes of the largest file that is copied */
  int keep_credentials;    /* copies of keys and passwords are kept as well */
  int protect_credentials; /* they are not kept, and may not be changed */
  pid_t network;           /* the process that holds the session's network; 0: a network of the command's own */
  pid_t parent;            /* the process that must still be alive; 0: whoever started the launcher */
  struct limits limits;
  int abi_at_most;         /* test builds only: pretend an older Landlock */
  const char *fail_step;   /* test builds only: this set-up step fails */
  char **argv;
};

/* The state of the command's terminal, found before the first fork. */
struct terminal {
  int shared;      /* the controlling terminal is one of descriptors 0..2 */
  int new_session; /* the caller did not hand its controlling terminal over: the command leaves it */
};

/* The supervisor's last message to the front. A write of less than PIPE_BUF bytes arrives as one read. */
struct report {
  enum { FAILED = 1, ENDED, TIMED_OUT, TOO_MANY, ABANDONED, TOO_LARGE } kind;
  int status; /* ENDED: as waitpid returns it. FAILED: the errno of the failing step */
  int left;   /* processes that still ran when the command ended */
  char text[240];
};

/* How far the child came before exec, in memory that it shares with the supervisor. */
struct attempt {
  int listener;  /* of a kept command. Open in the supervisor too, since both share their descriptors until exec */
  int executing; /* every step before exec succeeded */
  int error;     /* errno of the step that failed */
  char text[sizeof((struct report *)0)->text];
};

/* Memory that the supervisor shares with the first process in the namespaces. */
struct inside {
  struct attempt attempt;
  int uid, gid;
  int status; /* of the command, as waitpid returns it, once `over` is set */
  int over, left;
  int joined; /* the session's network, with its user namespace */
  pid_t pid;  /* of the first process, where another one started it */
};

/* network.c */
struct network {
  int net, user; /* user: -1 where it is this process's own */
};
int hold_network(pid_t program);
int connect_through(const char *host, const char *port);
int open_network(pid_t holder, pid_t program, struct network *network);
int join_network(const struct network *network);
int map_ids(uid_t uid, gid_t gid);
int loopback_up(void);

/* namespaces.c: starts the command in namespaces of its own, and makes the mounts there. */
struct store;
pid_t start_inside(const struct options *options, const struct terminal *terminal, const sigset_t *mask,
                   struct store *kept, struct inside **shared);
int is_below(const char *path, const char *top);
/* Whether /tmp and /dev/shm are the command's own, and what git obeys is read-only. */
int is_as_project(const struct options *options);
/* Paths below a repository that make git run programs. NULL ends the list. */
extern const char *const git_obeys[];

/* confine.c. confine_and_exec runs in the child and returns only on failure. */
void confine_and_exec(const struct options *options, const struct terminal *terminal, const sigset_t *mask,
                      struct attempt *attempt);
/* The version of Landlock in this kernel; 0: none. */
int landlock_abi(const struct options *options);
int landlock_isolate(pid_t outside);

/* filter.c: the two system call filters. notify_install returns the listener. */
int filter_install(enum profile profile, int abi);
int notify_install(void);

/* supervisor.c: never returns. Signal numbers to forward are read from `life`, which ends when the front dies. */
void supervise(const struct options *options, const struct terminal *terminal, const sigset_t *mask, int life,
               int report, int status);
/* Kills and reaps everything below this process. Returns how many processes it found. `alone`: this process can signal
 * nothing but its own descendants. */
int kill_tree(int alone);
/* The parent of the process whose directory in /proc this is; -1: it has ended. */
pid_t parent_in(int directory);

/* main.c */
uint64_t to_number(const char *text); /* the leading digits; 0 without any */

/* runtime.c */
void set_environment(char **list); /* the environment of getenv and of the command */
/* vfork as the kernel answers it, -errno included. */
pid_t raw_vfork(void) __attribute__((returns_twice));
/* The same with shared descriptors: what the child opens before exec is open here. */
pid_t raw_vfork_sharing(void) __attribute__((returns_twice));

#endif
