/* The changes that a trial collected in its upper directory, compared with the tree below it. */
#ifndef AISH_TRIAL_H
#define AISH_TRIAL_H

#include "store.h"

enum { MAX_PATH = 1 << 18 };

enum verdict {
  SAME = 1,
  MERGED, /* a directory on both sides */
  STATE_ONLY,
  NAMED, /* like STATE_ONLY, but the file got another name */
  WRITTEN,
  REPLACED,
  NEW,
  GONE,
  MARKED, /* has attributes that an overlay takes for its own and hides, so that a real run would differ */
};

struct view {
  enum verdict verdict;
  struct id upper_id, lower_id;
  struct state upper, lower;
  int has_lower;
  int from_before; /* copied up from a file that no longer has this name */
};

/* All names of a directory at once, because the directory changes while they are handled. */
struct names {
  char *text;
  uint64_t used, size;
};
int names_of(int directory, struct names *names);
void names_drop(struct names *names);
#define EACH_NAME(name, names) \
  (const char *name = (names).text; name < (names).text + (names).used; name += strlen(name) + 1)

/* view.c */
int judge(int upper, int lower, const char *name, struct view *view);
int open_directory(int above, const char *name);
/* Whether the attribute belongs to the overlay. */
int is_private(const char *attribute);

/* The path that is being handled, for messages. */
struct path {
  char text[MAX_PATH];
  uint64_t length;
};
uint64_t path_push(struct path *path, const char *name);
void path_pop(struct path *path, uint64_t to);

/* Counts and prints what changed in the tree since the trial began, where applying it would change something too. */
int find_conflicts(struct path *here, int upper, int lower, struct store *store, uint32_t *count);
/* The same for one file right before a step of apply. Apply itself changes the time of a file with several names. */
int is_changed(const struct store *s, const struct state *now);
/* The same for a directory that apply has just moved, at or below it. -1 if that is unknown. */
int tree_is_changed(const struct store *s, int above, const char *name);
int list_changes(int argc, char **argv);

/* apply.c */
int apply_trial(int argc, char **argv);

#endif
