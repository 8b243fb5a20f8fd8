/*
 * hostile --run GROUP…     try each operation of the groups in a child of its own; one line each: name, result
 * hostile --victim FILE    a process to be harmed: notes SIGUSR1 and SIGIO in FILE, until it is killed
 * hostile --start UID cmd… open what a careless parent would leave open (3: a file, 4: the directory, 5: a UDP socket),
 *                          become that user, then exec
 * hostile --prepare        print System V ids for others to misuse; hostile --clean undoes it
 * hostile --bomb N         a fork bomb that ends at N processes, so that it can be tried on a machine that is needed
 * hostile --identity       print the effective user id (for set-user-ID copies)
 * The test lays out what the operations aim at, in the working directory and in T_… variables.
 */
#include "hostile.h"

#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { NOT_HERE = 254, UNKNOWN = 255 };

void not_here(void) { _exit(NOT_HERE); }

const char *given(const char *name) {
  const char *value = getenv(name);
  if (!value || !*value) not_here();
  return value;
}

long number(const char *name) { return atol(given(name)); }

const char *in_tmp(const char *name) {
  static char path[2][4096];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", given("TMPDIR"), name);
  return path[turn];
}

long log_size(void) {
  struct stat st;
  return stat(given("T_LOG"), &st) ? 0 : st.st_size;
}

long wait_for_log(long before) {
  for (int i = 0; i < 30; i++) {
    if (log_size() > before) return 0;
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  errno = EPERM;
  return -1;
}

static int victim_log;
static void note(int signal) {
  if (write(victim_log, signal == SIGUSR1 ? "u" : "i", 1) < 0) _exit(1);
}
static void __attribute__((noreturn)) victim(const char *log) {
  victim_log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  signal(SIGUSR1, note);
  signal(SIGIO, note);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  printf("%p\n", (void *)&victim_log);
  fflush(stdout);
  for (;;) pause();
}

static int bomb(long most) {
  volatile long *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  while (__sync_fetch_and_add(count, 1) < most) fork();
  for (;;) pause();
}

static const struct {
  const char *name;
  const struct operation *operations;
} groups[] = {{"files", files},         {"metadata", metadata}, {"network", network}, {"processes", processes},
              {"kernel", kernel},       {"terminal", terminal}, {"wanted", wanted}};

static void try(const char *group, const struct operation *o) {
  pid_t child = fork();
  int how;
  if (child == 0) {
    alarm(5);
    long result = o->run();
    _exit(result >= 0 ? 0 : errno > 0 && errno < NOT_HERE ? errno : UNKNOWN);
  }
  waitpid(child, &how, 0);
  int code = WEXITSTATUS(how);
  const char *word = WIFSIGNALED(how) ? "killed" : code == 0 ? "done" : code == NOT_HERE ? "absent" : code == UNKNOWN ? "unknown" : strerrorname_np(code);
  printf("%s\t%s\t%s\n", group, o->name, word);
  fflush(stdout);
}

static int start(char **argv) {
  gid_t id = (gid_t)atoi(argv[2]);
  if (geteuid() == 0 && id && (setgroups(0, NULL) || setgid(id) || setuid(id))) return perror("--start"), 1;
  dup2(open("inherited", O_WRONLY), 3);
  dup2(open(".", O_RDONLY | O_DIRECTORY), 4);
  dup2(socket(AF_INET, SOCK_DGRAM, 0), 5);
  execvp(argv[3], argv + 3);
  return perror(argv[3]), 1;
}

static int prepare(void) {
  return printf("%d %d %d\n", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600), semget(IPC_PRIVATE, 1, IPC_CREAT | 0600),
                msgget(IPC_PRIVATE, IPC_CREAT | 0600)) < 0;
}
static int clean(char **argv) {
  return shmctl(atoi(argv[2]), IPC_RMID, NULL) | semctl(atoi(argv[3]), 0, IPC_RMID) | msgctl(atoi(argv[4]), IPC_RMID, NULL);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--identity")) return printf("%d\n", geteuid()), 0;
  if (argc == 3 && !strcmp(argv[1], "--victim")) victim(argv[2]);
  if (argc == 3 && !strcmp(argv[1], "--bomb")) return bomb(atol(argv[2]));
  if (argc == 2 && !strcmp(argv[1], "--prepare")) return prepare();
  if (argc == 5 && !strcmp(argv[1], "--clean")) return clean(argv);
  if (argc > 3 && !strcmp(argv[1], "--start")) return start(argv);
  for (int i = 2; i < argc; i++)
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
      if (!strcmp(groups[g].name, argv[i]))
        for (const struct operation *o = groups[g].operations; o->name; o++) try(groups[g].name, o);
  return 0;
}
