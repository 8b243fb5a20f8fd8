/*
 * Answers to the system calls of a supervised command. Each call that changes the file system waits here.
 *
 * For a kept command the old state is kept first; then the call continues. Of a trial nothing is kept, because its
 * changes go into an overlay: here is noted what the trial would do otherwise than a real run. Project mode refuses
 * what guard.c says.
 */
#include "calls.h"
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif
#define O_TMPFILE_BIT 020000000
#define NULL_DEVICE ((uint64_t)1 << 32 | 3)
#define TTY_DEVICE ((uint64_t)5 << 32)

/* Instead of an errno. IS_DONE: the call was carried out here. IS_ANSWERED: nothing more is to be sent. */
enum { IS_DONE = -1, IS_ANSWERED = -2 };
enum { MAX_REFUSALS = 1000, MAX_OUTSIDE = 20, EXCLUSIVE = O_CREAT | O_EXCL };

/* Whether the process runs the program of that name. */
static int runs(pid_t pid, const char *program) {
  char path[32], name[17] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? 0 : read(fd, name, sizeof name - 1);
  if (fd >= 0) close(fd);
  return n > 0 && (uint64_t)n == strlen(program) + 1 && !strncmp(name, program, strlen(program)) && name[n - 1] == '\n';
}

void note_at(struct store *s, const char *word, const struct place *at) {
  char path[4096 + NAME_BYTES];
  long n = path_of_fd(at->directory, path, 4097);
  if (n <= 0) n = 0;
  snprintf(path + n, sizeof path - (unsigned long)n, *at->name ? "/%s" : "%s", at->name);
  store_note(s, word, path);
}

static int sets_times(int nr) {
#ifdef __NR_utime
  if (nr == __NR_utime || nr == __NR_utimes || nr == __NR_futimesat) return 1;
#endif
  return nr == __NR_utimensat;
}

/* Whether the place is the store, or (`moves`) a directory that holds it: no command may change these. */
static int guarded(struct store *s, const struct place *at, int moves, int which) {
  uint32_t n = keep_whereabouts(s, at->directory);
  struct id id;
  if (n && *at->name) {
    s->known_fd[which] = at->directory;
    s->known_node[which] = n;
  }
  if (n && s->nodes[n].flags & IS_VAULT) return 1;
  if (!*at->name || look_once(s, at->directory, at->name, &id, NULL)) return 0;
  uint32_t named = find_node(s, &id);
  return named && s->nodes[named].flags & (moves ? HOLDS_VAULT | IS_VAULT : IS_VAULT);
}

static int keep_open(struct store *s, pid_t pid, const struct place *at, int flags) {
  struct id id;
  struct state state;
  if (!*at->name) return keep_content(s, at->directory, "");
  if (look_once(s, at->directory, at->name, &id, &state)) {
    return errno == ENOENT && flags & O_CREAT ? keep_name(s, at->directory, at->name, NULL) : -1;
  }
  /* A program that destroys a file on purpose (shred) gets no copy of it. */
  if (S_ISREG(state.mode) && (runs(pid, "shred") || runs(pid, "srm"))) {
    note_path(s, "skipped", keep_directory(s, at->directory), at->name);
    if (keep_state(s, at->directory, at->name, STATUS)) return -1;
    uint32_t n = find_node(s, &id);
    if (n) s->nodes[n].flags |= LEFT_OUT;
    return 0;
  }
  return (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ? 0 : keep_content(s, at->directory, at->name);
}

static int keep_rename(struct store *s, const struct place *from, const struct place *to, uint64_t flags) {
  struct id id;
  if (look_once(s, from->directory, from->name, &id, NULL)) return -1;
  if (keep_name(s, from->directory, from->name, NULL) || keep_name(s, to->directory, to->name, NULL)) return -1;
  return flags & EXCHANGE ? 0 : keep_inode(s, to->directory, to->name);
}

static int at_of(int argument, const uint64_t *a) {
  return argument == CURRENT_DIRECTORY ? AT_FDCWD : (int)a[argument];
}

/* A place in none of the trees is private to the command's namespaces, or read-only: nothing is to be kept. If that is
 * unknown, because the path is too long, the call is refused. */
static int move_outside(const struct store *s, struct place *at) {
  struct id id;
  struct state state;
  if (!*at->name && (look(at->directory, "", 0, &id, &state) || !S_ISDIR(state.mode))) return 0;
  int there = outside_of(s, at->directory);
  if (there < 0) return errno == EXDEV ? NOT_OURS : -1;
  close(at->directory);
  at->directory = there;
  at->glance.taken = at->above.taken = 0; /* they belonged to the overlay's inode */
  return 0;
}

/* Resolves one of the two paths of a call. */
static int resolve_one(const struct store *s, pid_t pid, int directory, uint64_t path, int follow, struct place *at) {
  int how = resolve(pid, directory, path, follow, at);
  return how == 0 && s->outside_count && !s->watches ? move_outside(s, at) : how;
}

/* Resolves both paths of a call. A call between a kept and an unkept place crosses from one mount to another, or is
 * answered as if it did (TMPDIR beside the tree): programs that move files then copy them. */
static int resolve_both(const struct store *s, pid_t pid, const struct call *c, const uint64_t *a, int follow,
    struct place *at, struct place *to) {
  int from = resolve_one(s, pid, at_of(c->directory, a), a[c->path], follow, at);
  if (from == EMPTY)
    from = c->what == LINK && c->directory != CURRENT_DIRECTORY ? resolve_descriptor(pid, (int)a[c->directory], at)
        : (errno = ENOENT, FAILS);
  if (from && from != NOT_OURS) return from;
  int end = resolve_one(s, pid, at_of(c->to_directory, a), a[c->to_path], 0, to);
  if (end && end != NOT_OURS) return end;
  return from == end ? from : (errno = EXDEV, FAILS);
}

/* Whether the call would change a file outside the project by one of its names inside. */
static int leads_outside(struct store *s, const struct call *c, const struct place *at, uint64_t flags) {
  if (c->what == LINK) named_again(s, at->directory, at->name);
  if (c->what == CREATE || c->what == LINK || c->what == REMOVE || c->what == RENAME) return 0;
  if (c->what == OPEN && !(flags & (O_ACCMODE | O_TRUNC))) return 0;
  if (!is_named_outside(s, at->directory, at->name)) return 0;
  if (s->vault >= 0) note_at(s, "outside", at);
  return 1;
}

/* Whether the call would take away the content of keys or passwords: no copy of these is kept, and nobody was asked.
 * What git writes over is in its repository, or the gate asks. */
static int loses_credentials(struct store *s, pid_t pid, const struct call *c, const struct place *at,
    const struct place *to, uint64_t flags) {
  struct id id;
  struct state state;
  const int writes = (flags & (O_APPEND | O_TRUNC)) != O_APPEND && (flags & EXCLUSIVE) != EXCLUSIVE;
  const int loses = c->what == OPEN ? writes : c->what == REMOVE || c->what == TRUNCATE;
  const struct place *lost = c->what == RENAME && !(flags & EXCHANGE) ? to : loses ? at : NULL;
  if (!s->protects_credentials || !lost || !holds_credentials(lost->directory, lost->name)) return 0;
  if (look(lost->directory, lost->name, 0, &id, &state) || !S_ISREG(state.mode) || !state.size) return 0;
  if (id.born > s->started || runs(pid, "git")) return 0;
  note_at(s, "protected", lost);
  return 1;
}

/*
 * Commands open two paths for writing that are no files: /dev/null, to discard output, and /dev/tty, to look for their
 * terminal or speak to it. Both are answered without letting the call go on, so the path is not read a second time.
 * So these calls change nothing, and the tree need not be searched after a command that made no other.
 */
static const char null_path[] = "/dev/null", tty_path[] = "/dev/tty";
enum { PLAIN = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

/* Linux 5.14 */
struct handed {
  uint64_t id;
  uint32_t flags, from, to, to_flags;
};

/* The terminal of a process, by its number, is the seventh field of /proc/PID/stat; "0": it has none; "": not known.
 * The name before it may hold anything up to the last `)`. */
static void terminal_of(pid_t pid, char to[12]) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *at = strrchr(text, ')');
  for (int field = 2; at && field < 7; field++)
    if ((at = strchr(at, ' '))) at++;
  int length = 0;
  for (; at && length < 11 && at[length] != ' ' && at[length]; length++) to[length] = at[length];
  to[length] = 0;
}

static int hand_over(const char *path, uint64_t device, int listener, uint64_t id, uint64_t flags) {
  struct id is;
  struct state state;
  int fd = open(path, (int)(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return 0;
  struct handed h = {id, SECCOMP_ADDFD_FLAG_SEND, (uint32_t)fd, 0, (uint32_t)(flags & O_CLOEXEC)};
  const int is_it = !look(fd, "", 0, &is, &state) && S_ISCHR(state.mode) && state.rdev == device;
  const int done = is_it && syscall(SYS_ioctl, listener, 0x40182103 /* SECCOMP_IOCTL_NOTIF_ADDFD */, &h) >= 0;
  close(fd);
  return done ? IS_ANSWERED : 0;
}

/* The errno to answer, IS_ANSWERED, or 0: the call may change something. */
static int open_harmless(int listener, uint64_t id, pid_t pid, uint64_t path, uint64_t flags) {
  char text[sizeof null_path] = "", terminal[12], own[12];
  if (flags & ~(uint64_t)PLAIN || read_memory(pid, path, text, sizeof tty_path) || !same_root(pid)) return 0;
  if (!strcmp(text, tty_path)) {
    terminal_of(pid, terminal);
    if (!strcmp(terminal, "0")) return ENXIO;
    terminal_of(getpid(), own);
    return *own && !strcmp(terminal, own) ? hand_over(tty_path, TTY_DEVICE, listener, id, flags) : 0;
  }
  if (read_memory(pid, path, text, sizeof text) || strncmp(text, null_path, sizeof text)) return 0;
  return hand_over(null_path, NULL_DEVICE, listener, id, flags);
}

/* Where an open file is, as the kernel says. It may have been moved or removed since it was opened. */
static int name_of_open(int fd, struct place *to) {
  char path[4096];
  if (path_of_fd(fd, path, sizeof path) <= 0 || *path != '/') return -1;
  char *last = strrchr(path, '/');
  if (!last[1] || strlen(last + 1) >= NAME_BYTES) return -1;
  memcpy(to->name, last + 1, strlen(last + 1) + 1);
  *last = 0;
  to->directory = open(last == path ? "/" : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return to->directory < 0 ? -1 : 0;
}

static int is_read_only(int directory) {
  unsigned long system[32] = {0};
  return syscall(SYS_fstatfs, directory, system) == 0 && system[10] & 1; /* ST_RDONLY: of the mount as well */
}

/* The place is in none of the trees, so the trial refuses what a real run may do. */
static void watch_outside(struct store *s, enum effect what, const struct place *at, int there, uint64_t flags) {
  const int makes = what == CREATE || (what == OPEN && flags & O_CREAT);
  const int fails = there ? what == CREATE || (what == OPEN && (flags & EXCLUSIVE) == EXCLUSIVE) : !makes;
  if (fails || !is_read_only(at->directory) || s->refused >= MAX_OUTSIDE) return;
  s->refused++;
  note_at(s, "refused", at);
}

/* `mv` copies what it can't rename and removes the original. Whether it can copy all of it, so that nothing is lost. */
static int can_be_copied(int above, const char *name) {
  struct id id;
  struct state state;
  struct names names;
  if (look(above, name, 0, &id, &state)) return 0;
  const uint32_t needs = S_ISDIR(state.mode) ? 0700 : S_ISREG(state.mode) ? 0400 : 0, user = geteuid();
  if (user && (state.uid != user || (state.mode & needs) != needs)) return 0;
  if (!S_ISDIR(state.mode)) return state.links == 1;
  int fd = open_directory(above, name), good = fd >= 0 && !names_of(fd, &names);
  if (good) {
    for EACH_NAME (below, names) good = good && can_be_copied(fd, below);
    names_drop(&names);
  }
  if (fd >= 0) close(fd);
  return good;
}

/* Notes what a trial does otherwise than a real run. Writing to one of several names of a file changes only that name
 * in the overlay, and a directory of the lower tree can't be renamed. */
static void watch(struct store *s, pid_t pid, enum effect what, const struct place *at, uint64_t flags) {
  struct id id;
  struct state state;
  struct place named = {.directory = -1};
  if (!*at->name) {
    if (!name_of_open(at->directory, &named)) watch(s, pid, what, &named, flags);
    if (named.directory >= 0) close(named.directory);
    return;
  }
  int below = outside_of(s, at->directory), deep = below < 0 && errno == ENAMETOOLONG;
  int there = look(below < 0 ? at->directory : below, at->name, 0, &id, &state) == 0;
  if (deep) return note_at(s, "deep", at);
  if (below < 0) return watch_outside(s, what, at, there, flags);
  close(below);
  /* This trial removed the file before, so the call makes a new one. */
  if (there && look(at->directory, at->name, 0, &id, NULL)) return;
  if (!there || what == CREATE || what == REMOVE || (what == OPEN && (flags & EXCLUSIVE) == EXCLUSIVE)) return;
  if (!S_ISDIR(state.mode) && state.links > 1) note_at(s, "shared", at);
  if (S_ISDIR(state.mode) && what == RENAME && !(runs(pid, "mv") && can_be_copied(at->directory, at->name)))
    note_at(s, "moved", at);
}

static int makes_socket(int nr, const uint64_t *a) {
#ifdef __NR_mknod
  if (nr == __NR_mknod) return S_ISSOCK((uint32_t)a[1]);
#endif
  return nr == __NR_mknodat && S_ISSOCK((uint32_t)a[2]);
}

/* The flags of the call; 0: it has none. */
static uint64_t flags_of(const struct call *c, const uint64_t *a) {
  if (c->flags != NO_ARGUMENT) return a[c->flags];
  return c->what == OPEN ? O_WRONLY | O_CREAT | O_TRUNC : 0; /* creat */
}

static int follows(const struct call *c, uint64_t flags) {
  if (c->what == LINK) return (flags & AT_SYMLINK_FOLLOW) != 0;
  if (c->what == OPEN && (flags & EXCLUSIVE) == EXCLUSIVE) return 0;
  if (c->follow != FOLLOW_BY_FLAG) return c->follow == FOLLOW_ALWAYS;
  return c->what == OPEN ? !(flags & O_NOFOLLOW) : !(flags & AT_SYMLINK_NOFOLLOW);
}

/* Keeps what the call is about to change. 0, or -1 with the errno to answer. */
static int keep_call(struct store *s, pid_t pid, const struct call *c, uint64_t flags, struct place *at,
    struct place *to) {
  const int takes_name = c->what == CREATE || c->what == REMOVE || c->what == RENAME;
  struct id id;
  s->places[0] = at;
  s->places[1] = to;
  if (guarded(s, at, c->what == RENAME || c->what == REMOVE, 0) || (to->directory >= 0 && guarded(s, to, 1, 1)))
    return errno = EACCES, -1;
  if ((takes_name && !*at->name) || (c->to_path != NO_ARGUMENT && !*to->name))
    return 0; /* the kernel refuses `.` and `..` */
  if (c->what != OPEN && c->what != CREATE && *at->name && look_once(s, at->directory, at->name, &id, NULL)) return -1;
  switch (c->what) {
    case OPEN:
      return keep_open(s, pid, at, (int)flags);
    case CREATE:
      return keep_name(s, at->directory, at->name, NULL);
    case LINK:
      return keep_state(s, at->directory, at->name, STATUS) || keep_name(s, to->directory, to->name, NULL) ? -1 : 0;
    case REMOVE:
      return keep_name(s, at->directory, at->name, NULL) || keep_inode(s, at->directory, at->name) ? -1 : 0;
    case RENAME:
      return keep_rename(s, at, to, flags);
    case TRUNCATE:
      return keep_content(s, at->directory, at->name);
    default:
      return keep_state(s, at->directory, at->name, c->what == ATTRIBUTES ? XATTRS : sets_times(c->nr) ? TIMES
          : STATUS);
  }
}

static void close_places(struct place *at, struct place *to) {
  if (at->directory >= 0) close(at->directory);
  if (to->directory >= 0) close(to->directory);
}

/* Notes a call that is refused, for the user. A loop could be refused for ever, so the number of notes is bounded. */
static void note_refusal(struct store *s, const struct place *at, int how, int why) {
  if (s->refused++ >= MAX_REFUSALS) return;
  if (how < 0 && at->directory >= 0) return note_at(s, "refused", at);
  const uint32_t above = at->directory >= 0 ? keep_directory(s, at->directory) : 0;
  note_path(s, why == ENOSPC ? "full" : "refused", above, at->name);
}

/* 0: the call may go on. Otherwise the errno to answer, IS_ANSWERED or IS_DONE. */
static int decide(struct store *s, int listener, const struct seccomp_notif *q) {
  const struct call *c = call_of(q->data.nr);
  const uint64_t *a = (const uint64_t *)q->data.args;
  if (!c) return EPERM;
  const pid_t pid = (pid_t)q->pid;
  const uint64_t flags = flags_of(c, a);
  struct place at = {.directory = -1}, to = {.directory = -1};
  s->calls++;
  if (c->what == OPEN && flags & O_TMPFILE_BIT) return 0; /* the file has no name yet */
  int how = EMPTY;
  if (c->nr == __NR_bind) how = resolve_socket(pid, a[1], a[2], &at);
  else if (c->to_path != NO_ARGUMENT) how = resolve_both(s, pid, c, a, follows(c, flags), &at, &to);
  else if (c->path != NO_ARGUMENT) how = resolve(pid, at_of(c->directory, a), a[c->path], follows(c, flags), &at);
  if (how == EMPTY)
    how = c->directory >= 0 && c->what >= LINK ? resolve_descriptor(pid, (int)a[c->directory], &at) : NOT_OURS;
  int met = errno;
  /* Both harmless paths lead where nothing is kept. This test saves reading every path a second time. */
  if (how == NOT_OURS && at.directory < 0 && c->what == OPEN && c->flags != NO_ARGUMENT) {
    const int harmless = open_harmless(listener, q->id, pid, a[c->path], flags);
    if (harmless) return s->calls--, harmless;
  }
  const int sets = s->holds && (c->what == STATE || c->what == ATTRIBUTES);
  const int target = sets && how == 0 ? target_of(&at) : -1;
  if (how == 0 && c->to_path == NO_ARGUMENT && s->outside_count && !s->watches) how = move_outside(s, &at), met = errno;
  if (s->watches) {
    if (how == 0) watch(s, pid, c->what, &at, flags);
    if (how == 0 && makes_socket(c->nr, a)) note_at(s, "socket", &at);
    if (how == 0 && c->what == ATTRIBUTES && s->is_mapped && names_others(pid, c->nr, a)) note_at(s, "foreign", &at);
    if (how == 0 && to.directory >= 0)
      watch(s, pid, c->what == LINK || !(flags & EXCHANGE) ? CREATE : RENAME, &to, flags);
    return close_places(&at, &to), 0;
  }
  const int resolved = how;
  if (how == 0 && s->guards && leads_outside(s, c, &at, flags)) how = BARRED;
  if (how == 0 && loses_credentials(s, pid, c, &at, &to, flags)) how = BARRED;
  if (how == 0 && s->holds && (is_of_git(s, &at, 1) || (to.directory >= 0 && is_of_git(s, &to, 1)))) how = BARRED;
  /* The process may have died, and another may have its number. */
  if (how == 0 && syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &q->id)) how = NOT_OURS;
  int why = how < 0 ? met : how == 0 && s->vault >= 0 && keep_call(s, pid, c, flags, &at, &to) ? errno : 0;
  const int is_absent = why == ENOENT || why == ENOTDIR || (how < 0 && why == EBADF);
  if (is_absent && at.directory >= 0 && !*at.name) why = 0; /* an open file that has no name any more */
  if (why && !is_absent) note_refusal(s, &at, how, why);
  if (how == BARRED) why = EPERM;
  if (resolved == FAILS) why = met;
  /* Nothing else bounds these calls, so they never go on by themselves. */
  if (sets && !why) why = target < 0 ? ENOENT : set_state(s, pid, c->nr, a, target) ? errno : IS_DONE;
  if (target >= 0) close(target);
  s->known_fd[0] = s->known_fd[1] = -1;
  s->places[0] = s->places[1] = NULL;
  return close_places(&at, &to), why;
}

/* Takes one notification and answers it. */
int keep_answer(struct store *s, int listener) {
  static union {
    struct seccomp_notif q;
    char room[512];
  } in;
  static union {
    struct seccomp_notif_resp r;
    char room[512];
  } out;
  memset(&in, 0, sizeof in);
  if (syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, &in.q)) return errno == EINTR || errno == ENOENT ? 0 : -1;
  int why = decide(s, listener, &in.q);
  if (why == IS_ANSWERED) return 0;
  /* The file may be between two names at this moment. ENOENT is answered here, because the file could exist by the
   * time the call went on. */
  if (why == ENOENT || why == ENOTDIR) why = decide(s, listener, &in.q);
  memset(&out, 0, sizeof out);
  out.r.id = in.q.id;
  if (why > 0) out.r.error = -why;
  else if (!why) out.r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &out.r) && errno != ENOENT) return -1;
  return 0;
}
