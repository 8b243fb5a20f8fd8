/* What a trial collected in its upper directory, against the tree below it. */
#ifndef AISH_TRIAL_H
#define AISH_TRIAL_H

#include "store.h"

enum { MAX_PATH = 1 << 18 };

/* What became of one name. MERGED: a directory on both sides. NAMED: the same, but it got another name. MARKED: it carries
 * attributes that an overlay reads as its own and shows to nobody, so that a real run would do otherwise. */
enum verdict { SAME = 1, MERGED, STATE_ONLY, NAMED, WRITTEN, REPLACED, NEW, GONE, MARKED };

struct view {
  enum verdict verdict;
  struct id upper_id, lower_id;
  struct state upper, lower;
  int has_lower;
  int from_before; /* it was copied up from something that is not, or no more, under this name */
};

/* The names of a directory, read as a whole: it changes while it is gone through. */
struct names {
  char *text;
  uint64_t used, size;
};
int names_of(int directory, struct names *names);
void names_drop(struct names *names);
#define EACH_NAME(name, names) (const char *name = (names).text; name < (names).text + (names).used; name += strlen(name) + 1)

int judge(int upper, int lower, const char *name, struct view *view);
int open_directory(int above, const char *name);
int is_opaque(int directory);
/* Whether what both hold under the name has the same extended attributes; without a name, both directories themselves. */
int same_attributes(int upper, int lower, const char *name);
/* Whether it carries an overlay's marks that are none of this trial's own: what a command sets is stored by another name. */
int is_marked(int directory, const char *name, int in_upper);
/* An attribute of the overlay's own. */
int is_private(const char *attribute);

/* The path under way, for messages. */
extern char path_now[MAX_PATH];
uint64_t path_push(const char *name);
void path_pop(uint64_t to);

/* changes.c: what changed since the trial began, where it would change something; the first few are printed. */
int find_conflicts(int upper, int lower, struct store *store, uint32_t *count);
/* The same, right before a step of apply. Of what has several names apply itself changes the time. */
int is_changed(const struct state *now);
/* The same of a directory that was just moved: at or below it. -1 where that can't be told. */
int tree_is_changed(int above, const char *name);
int list_changes(int argc, char **argv);
/* apply.c */
int apply_trial(int argc, char **argv);

#endif
