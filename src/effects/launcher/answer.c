/*
 * Every system call that changes the file system waits here until the old state is kept.
 *
 * The filter notifies of nothing else: reading, and opening for reading, run at full speed. What hides its arguments
 * (openat2, io_uring) does not exist, and callers fall back. Once kept, the call goes on; without a supervisor the
 * kernel answers ENOSYS, so nothing is changed that nobody kept.
 */
#include "calls.h"
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NONE (-1)
#define HERE (-2) /* relative to the current directory */
#define IS_DONE (-1) /* in place of an errno: the call was carried out here */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { NR_IO_URING_SETUP = 425, NR_OPENAT2 = 437, NR_FCHMODAT2 = 452, NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466,
       NR_FILE_SETATTR = 469, NR_NEWEST_REVIEWED = 469 };
enum { MAX_TOLD = 1000 }; /* refusals, each with its path: a loop could go on for ever */
enum { WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };
#define O_TMPFILE_BIT 020000000

/* Numbers of arguments; NONE where there is none. */
struct call {
  int nr;
  enum effect what;
  signed char directory, path, to_directory, to_path, flags;
  enum { NEVER, ALWAYS, BY_FLAG } follow;
};

static const struct call calls[] = {
    {__NR_openat, OPEN, 0, 1, NONE, NONE, 2, BY_FLAG},
    {__NR_unlinkat, REMOVE, 0, 1, NONE, NONE, NONE, NEVER},
    {__NR_renameat2, RENAME, 0, 1, 2, 3, 4, NEVER},
#ifdef __NR_renameat
    {__NR_renameat, RENAME, 0, 1, 2, 3, NONE, NEVER},
#endif
    {__NR_linkat, LINK, 0, 1, 2, 3, 4, NEVER},
    {__NR_symlinkat, CREATE, 1, 2, NONE, NONE, NONE, NEVER},
    {__NR_mkdirat, CREATE, 0, 1, NONE, NONE, NONE, NEVER},
    {__NR_mknodat, CREATE, 0, 1, NONE, NONE, NONE, NEVER},
    {__NR_bind, CREATE, HERE, 1, NONE, NONE, NONE, NEVER}, /* the path stands in a socket's address */
    {__NR_truncate, TRUNCATE, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_fchmod, STATE, 0, NONE, NONE, NONE, NONE, NEVER},
    {__NR_fchown, STATE, 0, NONE, NONE, NONE, NONE, NEVER},
    {__NR_fchmodat, STATE, 0, 1, NONE, NONE, NONE, ALWAYS},
    {NR_FCHMODAT2, STATE, 0, 1, NONE, NONE, 3, BY_FLAG},
    {__NR_fchownat, STATE, 0, 1, NONE, NONE, 4, BY_FLAG},
    {__NR_utimensat, STATE, 0, 1, NONE, NONE, 3, BY_FLAG},
    {__NR_setxattr, ATTRIBUTES, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_removexattr, ATTRIBUTES, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_lsetxattr, ATTRIBUTES, HERE, 0, NONE, NONE, NONE, NEVER},
    {__NR_lremovexattr, ATTRIBUTES, HERE, 0, NONE, NONE, NONE, NEVER},
    {__NR_fsetxattr, ATTRIBUTES, 0, NONE, NONE, NONE, NONE, NEVER},
    {__NR_fremovexattr, ATTRIBUTES, 0, NONE, NONE, NONE, NONE, NEVER},
    {NR_SETXATTRAT, ATTRIBUTES, 0, 1, NONE, NONE, 2, BY_FLAG},
    {NR_REMOVEXATTRAT, ATTRIBUTES, 0, 1, NONE, NONE, 2, BY_FLAG},
#ifdef __NR_open
    {__NR_open, OPEN, HERE, 0, NONE, NONE, 1, BY_FLAG},
    {__NR_creat, OPEN, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_unlink, REMOVE, HERE, 0, NONE, NONE, NONE, NEVER},
    {__NR_rmdir, REMOVE, HERE, 0, NONE, NONE, NONE, NEVER},
    {__NR_rename, RENAME, HERE, 0, HERE, 1, NONE, NEVER},
    {__NR_link, LINK, HERE, 0, HERE, 1, NONE, NEVER},
    {__NR_symlink, CREATE, HERE, 1, NONE, NONE, NONE, NEVER},
    {__NR_mkdir, CREATE, HERE, 0, NONE, NONE, NONE, NEVER},
    {__NR_mknod, CREATE, HERE, 0, NONE, NONE, NONE, NEVER},
    {__NR_chmod, STATE, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_chown, STATE, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_lchown, STATE, HERE, 0, NONE, NONE, NONE, NEVER},
    {__NR_utime, STATE, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_utimes, STATE, HERE, 0, NONE, NONE, NONE, ALWAYS},
    {__NR_futimesat, STATE, 0, 1, NONE, NONE, NONE, ALWAYS},
#endif
};

static const int not_there[] = {NR_IO_URING_SETUP, NR_IO_URING_SETUP + 1, NR_IO_URING_SETUP + 2, NR_OPENAT2,
                                NR_FILE_SETATTR, __NR_open_by_handle_at};

static struct sock_filter program[400];
static unsigned short length;
static void emit(unsigned short code, uint32_t k, unsigned char yes, unsigned char no) {
  program[length++] = (struct sock_filter){code, yes, no, k};
}
static void answer(uint32_t action) { emit(BPF_RET | BPF_K, action, 0, 0); }

/* What is asked about, in numerical order and by blocks, each of which a number outside it skips: the kernel runs the
 * program once for every number there is when it is installed. What it then always allows it allows without the program:
 * in a command that reads, the program runs for its opens only, which therefore come before all blocks. */
enum { BLOCK = 8, MAX_RULES = 64, RULE = 2 };
struct rule {
  int nr;
  uint32_t action;
};
static struct rule rules[MAX_RULES];
static uint64_t rule_count;

static void add_rule(int nr, uint32_t action) {
  uint64_t at = rule_count++;
  for (; at && rules[at - 1].nr > nr; at--) rules[at] = rules[at - 1];
  rules[at] = (struct rule){nr, action};
}

/* Asked about where that argument holds WRITES. */
static void emit_open(int nr, int flags) {
  emit(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 4);
  emit(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (unsigned)flags), 0, 0);
  emit(BPF_JMP | BPF_JSET | BPF_K, WRITES, 0, 1);
  answer(SECCOMP_RET_USER_NOTIF);
  answer(SECCOMP_RET_ALLOW);
}

static void emit_rules(void) {
  for (uint64_t first = 0; first < rule_count; first += BLOCK) {
    uint64_t past = first + BLOCK < rule_count ? first + BLOCK : rule_count;
    emit(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)rules[past - 1].nr, (unsigned char)(RULE * (past - first) + 1), 0);
    for (uint64_t i = first; i < past; i++) {
      emit(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rules[i].nr, 0, 1);
      answer(rules[i].action);
    }
    answer(SECCOMP_RET_ALLOW); /* not past this block, and not in it */
  }
}

/* Returns the listener. Needs no_new_privs or CAP_SYS_ADMIN; EBUSY where somebody above us listens already. */
int keep_filter_install(void) {
  length = 0;
  emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
  emit(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer(SECCOMP_RET_KILL_PROCESS); /* the 32-bit entry has its own numbers */
  emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
  emit(BPF_JMP | BPF_JGT | BPF_K, NR_NEWEST_REVIEWED, 0, 1);
  answer(SECCOMP_RET_ERRNO | ENOSYS);
  rule_count = 0;
  for (uint64_t i = 0; i < COUNT(not_there); i++) add_rule(not_there[i], SECCOMP_RET_ERRNO | ENOSYS);
  for (uint64_t i = 0; i < COUNT(calls); i++) {
    if (calls[i].what == OPEN && calls[i].flags != NONE) emit_open(calls[i].nr, calls[i].flags);
    else add_rule(calls[i].nr, SECCOMP_RET_USER_NOTIF);
  }
  emit_rules();
  answer(SECCOMP_RET_ALLOW);
  struct sock_fprog filter = {length, program};
  const unsigned long listen = SECCOMP_FILTER_FLAG_NEW_LISTENER;
  long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listen | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &filter);
  if (fd < 0 && errno == EINVAL) fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listen, &filter);
  return (int)fd;
}

/* Who destroys on purpose wants no copy of it. */
static int is_shredder(pid_t pid) {
  char path[32], name[8] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n > 0 && (!strncmp(name, "shred\n", 6) || !strncmp(name, "srm\n", 4));
}

static int sets_times(int nr) {
#ifdef __NR_utime
  if (nr == __NR_utime || nr == __NR_utimes || nr == __NR_futimesat) return 1;
#endif
  return nr == __NR_utimensat;
}

/* A directory of the store, or one that holds it: not the command's to change. */
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
  if (S_ISREG(state.mode) && is_shredder(pid)) {
    char path[1024];
    path_of(s, keep_directory(s, at->directory), at->name, path, sizeof path);
    store_note(s, "skipped", path);
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

static int at_of(int argument, const uint64_t *a) { return argument == HERE ? AT_FDCWD : (int)a[argument]; }

/* What is in none of its trees is private to the command's world, or can't be written: there is nothing to keep. What can't be
 * told, as below a path that is too long, is refused. */
static int move_outside(const struct store *s, struct place *at) {
  struct id id;
  struct state state;
  if (!*at->name && (look(at->directory, "", 0, &id, &state) || !S_ISDIR(state.mode))) return 0;
  int there = outside_of(s, at->directory);
  if (there < 0) return errno == EXDEV ? NOT_OURS : -1;
  close(at->directory);
  at->directory = there;
  at->glance.taken = at->above.taken = 0; /* of an overlay's name, which is another inode than the one below it */
  return 0;
}

/* Where one of two paths leads, as `resolve` answers. */
static int find(const struct store *s, pid_t pid, int directory, uint64_t path, int follow, struct place *at) {
  int how = resolve(pid, directory, path, follow, at);
  return how == 0 && s->outside_count && !s->watches ? move_outside(s, at) : how;
}

/* Both ends of a call. What leads from where nothing is kept to where it is, or back, would cross from one mount to another,
 * or ought to (TMPDIR beside the tree): whoever moves files copies them then. */
static int find_both(const struct store *s, pid_t pid, const struct call *c, const uint64_t *a, int follow, struct place *at, struct place *to) {
  int from = find(s, pid, at_of(c->directory, a), a[c->path], follow, at);
  if (from == EMPTY) from = c->what == LINK && c->directory != HERE ? resolve_descriptor(pid, (int)a[c->directory], at) : (errno = ENOENT, FAILS);
  if (from && from != NOT_OURS) return from;
  int end = find(s, pid, at_of(c->to_directory, a), a[c->to_path], 0, to);
  if (end && end != NOT_OURS) return end;
  return from == end ? from : (errno = EXDEV, FAILS);
}

/* Project mode: a call that would change what lies outside by way of a name inside. */
static int leads_outside(struct store *s, const struct call *c, const struct place *at, uint64_t flags) {
  if (c->what == LINK) named_again(at->directory, at->name);
  if (c->what == CREATE || c->what == LINK || c->what == REMOVE || c->what == RENAME) return 0;
  if (c->what == OPEN && !(flags & (O_ACCMODE | O_TRUNC))) return 0;
  if (!is_named_outside(s, at->directory, at->name)) return 0;
  if (s->vault >= 0) note_at(s, "outside", at);
  return 1;
}

static const struct call *call_of(int nr) {
  for (uint64_t i = 0; i < COUNT(calls); i++)
    if (calls[i].nr == nr) return &calls[i];
  return NULL;
}

/* 0: the call may go on. Else the errno to answer. */
static int keep(struct store *s, int listener, const struct seccomp_notif *q) {
  const struct call *c = call_of(q->data.nr);
  const uint64_t *a = (const uint64_t *)q->data.args;
  if (!c) return EPERM;
  pid_t pid = (pid_t)q->pid;
  struct place at = {.directory = -1}, to = {.directory = -1};
  uint64_t flags = c->flags == NONE ? 0 : a[c->flags];
  if (c->what == OPEN && c->flags == NONE) flags = O_WRONLY | O_CREAT | O_TRUNC;
  int follow = c->follow == ALWAYS;
  if (c->follow == BY_FLAG) follow = c->what == OPEN ? !(flags & O_NOFOLLOW) : !(flags & AT_SYMLINK_NOFOLLOW);
  if (c->what == OPEN && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) follow = 0;
  if (c->what == LINK) follow = (flags & AT_SYMLINK_FOLLOW) != 0;
  s->calls++;
  if (c->what == OPEN && flags & O_TMPFILE_BIT) return 0; /* has no name yet */
  int how = EMPTY;
  if (c->nr == __NR_bind) how = resolve_socket(pid, a[1], a[2], &at);
  else if (c->to_path != NONE) how = find_both(s, pid, c, a, follow, &at, &to);
  else if (c->path != NONE) how = resolve(pid, at_of(c->directory, a), a[c->path], follow, &at);
  if (how == EMPTY) how = c->directory >= 0 && c->what >= LINK ? resolve_descriptor(pid, (int)a[c->directory], &at) : NOT_OURS;
  int met = errno;
  /* Only what leads where nothing lasts can be such: who makes files is not asked for each. */
  const int harmless = how == NOT_OURS && at.directory < 0 && c->what == OPEN && c->flags != NONE ? open_harmless(listener, q->id, pid, a[c->path], flags) : 0;
  if (harmless) return s->calls--, harmless;
  const int sets = s->holds && (c->what == STATE || c->what == ATTRIBUTES);
  const int target = sets && how == 0 ? target_of(&at) : -1;
  if (how == 0 && c->to_path == NONE && s->outside_count && !s->watches) how = move_outside(s, &at), met = errno;
  const int fails = how == FAILS ? met : 0;
  const int refusal = how < 0 ? met : 0;
  int failed = how < 0;
  if (s->watches) {
    if (how == 0) watch(s, pid, c->what, &at, flags);
    if (how == 0 && c->what == ATTRIBUTES && s->is_mapped && names_others(pid, c->nr, a)) note_at(s, "foreign", &at);
    if (how == 0 && to.directory >= 0) watch(s, pid, c->what == LINK || !(flags & EXCHANGE) ? CREATE : RENAME, &to, flags);
    if (at.directory >= 0) close(at.directory);
    if (to.directory >= 0) close(to.directory);
    return 0;
  }
  if (how == 0 && s->guards && leads_outside(s, c, &at, flags)) how = OUTSIDE;
  if (how == 0 && s->holds && (is_of_git(s, &at, 1) || (to.directory >= 0 && is_of_git(s, &to, 1)))) how = OUTSIDE;
  /* The number of a process that has died meanwhile may be another's by now. */
  if (how == 0 && syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &q->id)) how = NOT_OURS;
  if (how == 0 && s->vault >= 0) {
    s->places[0] = &at;
    s->places[1] = &to;
    struct id id;
    int takes_name = c->what == CREATE || c->what == REMOVE || c->what == RENAME;
    if (guarded(s, &at, c->what == RENAME || c->what == REMOVE, 0) || (to.directory >= 0 && guarded(s, &to, 1, 1))) {
      failed = 1;
      errno = EACCES;
    } else if ((takes_name && !*at.name) || (c->to_path != NONE && !*to.name)) failed = 0; /* "." and "..": refused by the kernel */
    else if (c->what != OPEN && c->what != CREATE && *at.name && look_once(s, at.directory, at.name, &id, NULL)) failed = 1;
    else if (c->what == OPEN) failed = keep_open(s, pid, &at, (int)flags);
    else if (c->what == CREATE) failed = keep_name(s, at.directory, at.name, NULL);
    else if (c->what == LINK) failed = keep_state(s, at.directory, at.name, STATUS) || keep_name(s, to.directory, to.name, NULL);
    else if (c->what == REMOVE) failed = keep_name(s, at.directory, at.name, NULL) || keep_inode(s, at.directory, at.name);
    else if (c->what == RENAME) failed = keep_rename(s, &at, &to, flags);
    else if (c->what == TRUNCATE) failed = keep_content(s, at.directory, at.name);
    else failed = keep_state(s, at.directory, at.name, c->what == ATTRIBUTES ? XATTRS : sets_times(c->nr) ? TIMES : STATUS);
  }
  int why = how < 0 ? refusal : failed ? errno : 0;
  const int absent = why == ENOENT || why == ENOTDIR || (how < 0 && why == EBADF);
  if (absent && at.directory >= 0 && !*at.name) why = 0; /* an open file that has no name any more */
  if (how < 0 && !absent && at.directory >= 0 && s->refused < MAX_TOLD) note_at(s, "refused", &at);
  else if (why && !absent) {
    char path[1024];
    uint32_t n = at.directory >= 0 ? keep_directory(s, at.directory) : 0;
    path_of(s, n, at.name, path, sizeof path);
    if (s->refused < MAX_TOLD) store_note(s, why == ENOSPC ? "full" : "refused", path);
  }
  s->refused += why && !absent;
  if (how == OUTSIDE) why = EPERM;
  if (fails) why = fails;
  /* Nothing else bounds it, so it never goes on by itself. */
  if (sets && !why) why = target < 0 ? ENOENT : set_state(s, pid, c->nr, a, target) ? errno : IS_DONE;
  if (target >= 0) close(target);
  s->known_fd[0] = s->known_fd[1] = -1;
  s->places[0] = s->places[1] = NULL;
  if (at.directory >= 0) close(at.directory);
  if (to.directory >= 0) close(to.directory);
  return why;
}

/* Takes one notification and answers it. 0, or -1 when the listener is of no more use. */
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
  int why = keep(s, listener, &in.q);
  if (why == IS_ANSWERED) return 0;
  /* It may have been on its way from one name to another. What is not there is said here: by the time the call went on it
   * could be. */
  if (why == ENOENT || why == ENOTDIR) why = keep(s, listener, &in.q);
  memset(&out, 0, sizeof out);
  out.r.id = in.q.id;
  if (why > 0) out.r.error = -why;
  else if (!why) out.r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &out.r) && errno != ENOENT) return -1;
  return 0;
}

/*
 * Two paths that commands open for writing though they only read: /dev/null, to throw output away, and /dev/tty, by which every
 * bash looks for its terminal. Both are answered here, and the path is not read again: so nothing can have been changed by such a
 * call, and behind a command that made no other the tree needs no look.
 */

#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

static const char null_path[] = "/dev/null", tty_path[] = "/dev/tty";
enum { PLAIN = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

#define NULL_DEVICE ((uint64_t)1 << 32 | 3)

/* Linux 5.14 */
struct handed {
  uint64_t id;
  uint32_t flags, from, to, to_flags;
};

/* A process without a terminal of its own, by the seventh field of its `stat`; the second may hold anything. */
static int has_no_terminal(pid_t pid) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *at = strrchr(text, ')');
  for (int field = 2; at && field < 7; field++)
    if ((at = strchr(at, ' '))) at++;
  return at && at[0] == '0' && at[1] == ' ';
}

static int hand_over_null(int listener, uint64_t id, uint64_t flags) {
  struct id null;
  struct state state;
  int fd = open(null_path, (int)(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return 0;
  struct handed h = {id, SECCOMP_ADDFD_FLAG_SEND, (uint32_t)fd, 0, (uint32_t)(flags & O_CLOEXEC)};
  const int is_null = !look(fd, "", 0, &null, &state) && S_ISCHR(state.mode) && state.rdev == NULL_DEVICE;
  const int done = is_null && syscall(SYS_ioctl, listener, 0x40182103 /* SECCOMP_IOCTL_NOTIF_ADDFD */, &h) >= 0;
  close(fd);
  return done;
}

int open_harmless(int listener, uint64_t id, pid_t pid, uint64_t path, uint64_t flags) {
  char text[sizeof null_path] = "";
  if (flags & ~(uint64_t)PLAIN || read_memory(pid, path, text, sizeof tty_path) || !same_root(pid)) return 0;
  if (!strcmp(text, tty_path)) return has_no_terminal(pid) ? ENXIO : 0;
  if (read_memory(pid, path, text, sizeof text) || strncmp(text, null_path, sizeof text)) return 0;
  return hand_over_null(listener, id, flags) ? IS_ANSWERED : 0;
}

/* What a trial would show otherwise than a real run is noted while it happens, so that nothing is concluded from it. */

enum { MAX_OUTSIDE = 20, EXCLUSIVE = O_CREAT | O_EXCL };

static int is_mv(pid_t pid) {
  char path[32], name[4] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, name, 3);
  if (fd >= 0) close(fd);
  return n == 3 && !strncmp(name, "mv\n", 3);
}

void note_at(struct store *s, const char *word, const struct place *at) {
  char link[40], path[4096 + NAME_BYTES];
  snprintf(link, sizeof link, "/proc/self/fd/%d", at->directory);
  long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4096);
  if (n <= 0) n = 0;
  snprintf(path + n, sizeof path - (unsigned long)n, *at->name ? "/%s" : "%s", at->name);
  store_note(s, word, path);
}

/* Where an open file stands, by the kernel's word: it may have been moved or removed since. */
static int name_of_open(int fd, struct place *to) {
  char link[40], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (n <= 0 || *path != '/') return -1;
  path[n] = 0;
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

/* In none of its trees: refused, where a real run may have done it. */
static void watch_outside(struct store *s, enum effect what, const struct place *at, int there, uint64_t flags) {
  const int makes = what == CREATE || (what == OPEN && flags & O_CREAT);
  const int fails = there ? what == CREATE || (what == OPEN && (flags & EXCLUSIVE) == EXCLUSIVE) : !makes;
  if (fails || !is_read_only(at->directory) || s->refused >= MAX_OUTSIDE) return;
  s->refused++;
  note_at(s, "refused", at);
}

/* `mv` copies a directory that it can't rename, and takes the old one away: all of it, and nothing besides? */
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

/* Writing to one of several names of a file below the overlay changes that name alone; a directory below it can't be
 * renamed. */
void watch(struct store *s, pid_t pid, enum effect what, const struct place *at, uint64_t flags) {
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
  /* Removed before in this trial: what is made now is another file. */
  if (there && look(at->directory, at->name, 0, &id, NULL)) return;
  if (!there || what == CREATE || what == REMOVE || (what == OPEN && (flags & EXCLUSIVE) == EXCLUSIVE)) return;
  if (!S_ISDIR(state.mode) && state.links > 1) note_at(s, "shared", at);
  if (S_ISDIR(state.mode) && what == RENAME && !(is_mv(pid) && can_be_copied(at->directory, at->name))) note_at(s, "moved", at);
}
