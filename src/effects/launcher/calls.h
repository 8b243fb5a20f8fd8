/* The paths of another process's system call, as the kernel will read them. */
#ifndef AISH_CALLS_H
#define AISH_CALLS_H

#include "store.h"

/* Where a path leads: a directory and a name in it; without a name, what `directory` is open on. */
struct place {
  int directory; /* ours to close; -1: none */
  char name[NAME_BYTES];
  struct glance glance; /* what stands at the name: see look_once */
  struct glance above;  /* the directory itself, where it was looked at anyway when it was opened */
};

/* What a system call does to the place that it names. */
enum effect { OPEN, CREATE, LINK, REMOVE, RENAME, STATE, ATTRIBUTES, TRUNCATE };
enum { EXCHANGE = 2 /* RENAME_EXCHANGE */ };

/* Answers besides errno: nothing of ours to keep, since it goes where nothing lasts; no path at all; it would change what lies
 * outside the project; or with errno, what the kernel would answer as well: nothing was refused, and nobody needs to hear of it. */
enum { NOT_OURS = 1, EMPTY = 2, OUTSIDE = 3, FAILS = 4 };

/* 0, NOT_OURS, EMPTY, FAILS, or -1 with the errno that the call must be answered with. */
int resolve(pid_t pid, int directory, uint64_t path, int follow, struct place *to);
/* What a socket would be bound to; NOT_OURS: no name of the file system. */
int resolve_socket(pid_t pid, uint64_t address, uint64_t size, struct place *to);
int resolve_descriptor(pid_t pid, int fd, struct place *to);

/* watch.c: a word and the path of a place into the store's notes. */
void note_at(struct store *s, const char *word, const struct place *at);
/* What a trial can't show of this call is written into the store's notes. */
void watch(struct store *s, pid_t pid, enum effect what, const struct place *at, uint64_t flags);

/* mapped.c: whether the call sets an access list that names others than who runs it. */
int names_others(pid_t pid, int nr, const uint64_t *arguments);

/* held.c: project mode without namespaces. Whether the place is of what git obeys, which no right of Landlock's can take out of
 * the tree; and a change of mode or time made here, on a descriptor in the tree, since Landlock bounds neither. */
int is_of_git(const struct store *s, const struct place *at, int moves);
int target_of(const struct place *at);
int set_state(const struct store *s, pid_t pid, int nr, const uint64_t *arguments, int target);
/* keep-path.c */
int read_memory(pid_t pid, uint64_t at, void *to, uint64_t size);

/* Whether its absolute paths lead where ours do. */
int same_root(pid_t pid);
/* discard.c: of a call that opens `path` with these flags, the errno to answer; IS_ANSWERED; or 0: it may change something. */
enum { IS_ANSWERED = -2 };
int open_harmless(int listener, uint64_t id, pid_t pid, uint64_t path, uint64_t flags);

#endif
