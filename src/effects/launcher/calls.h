/* System calls of a supervised command: what they name, and whether they may go on. */
#ifndef AISH_CALLS_H
#define AISH_CALLS_H

#include "store.h"

/* Where a path leads: a directory and a name in it. Without a name: what `directory` is open on. */
struct place {
  int directory; /* the owner closes it; -1: none */
  char name[NAME_BYTES];
  struct glance glance; /* what the name stands for: see look_once */
  struct glance above;  /* the directory itself, if opening it already told */
};

/* What a system call does to the place that it names. */
enum effect { OPEN, CREATE, LINK, REMOVE, RENAME, STATE, ATTRIBUTES, TRUNCATE };
enum { EXCHANGE = 2 /* RENAME_EXCHANGE */ };
enum { NR_FCHMODAT2 = 452, NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466 };

/* A system call that waits for an answer. The fields are numbers of its arguments. */
enum { NO_ARGUMENT = -1, CURRENT_DIRECTORY = -2 };
struct call {
  int nr;
  enum effect what;
  signed char directory, path, to_directory, to_path, flags;
  enum { FOLLOW_NEVER, FOLLOW_ALWAYS, FOLLOW_BY_FLAG } follow;
};

/* filter.c: NULL if the filter does not ask about this call. */
const struct call *call_of(int nr);

/* Outcomes of resolving a path, besides 0 and -1 with errno. */
enum {
  NOT_OURS = 1, /* the path leads where nothing is kept */
  EMPTY = 2,    /* the call has no path */
  BARRED = 3,   /* it would change something outside the project, or what is not kept */
  FAILS = 4,    /* the kernel would answer with this errno too, so nothing was refused and nothing is reported */
};

/* paths.c: 0, NOT_OURS, EMPTY, FAILS, or -1 with the errno that the call must be answered with. */
int resolve(pid_t pid, int directory, uint64_t path, int follow, struct place *to);
int resolve_socket(pid_t pid, uint64_t address, uint64_t size, struct place *to);
int resolve_descriptor(pid_t pid, int fd, struct place *to);
int read_memory(pid_t pid, uint64_t at, void *to, uint64_t size);
/* Whether absolute paths of the process lead where ours do. */
int same_root(pid_t pid);
/* Whether the call sets an access list that names other users than the one who runs it. */
int names_others(pid_t pid, int nr, const uint64_t *arguments);

/* answer.c: adds a word and the path of a place to the store's notes. */
void note_at(struct store *s, const char *word, const struct place *at);

/* guard.c, for Project mode without namespaces. */
int is_of_git(const struct store *s, const struct place *at, int moves);
int target_of(const struct place *at);
int set_state(const struct store *s, pid_t pid, int nr, const uint64_t *arguments, int target);

#endif
