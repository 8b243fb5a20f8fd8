/* What the files of apply share. Each returns 0, or -1 with errno. */
#ifndef AISH_APPLY_H
#define AISH_APPLY_H

#include "restore.h"
#include "trial.h"

int fail_here(void);
/* Whether the file for which the step was begun is still there and unchanged. Keeping or copying it may have taken a
 * while. */
int still(int directory, const char *name, const struct id *id, const struct state *was);

/* apply-file.c */
/* `is`: the state of the upper directory before it was searched; NULL: its current state. */
int copy_state(int upper, int lower, const char *name, const struct state *is);
/* Gives the owner of what a trial made the right to read it and to move files out of it. */
int loosen(int upper, const char *name, const struct state *now);
int set_mode(int lower, const char *name, const struct state *state);
int copy_over(int upper, int lower, const char *name, const struct view *v);
int copy_tree(int upper, int lower, const char *name);
/* Removes the overlay's own marks from what is new, and records that each name below did not exist before, so that
 * an undo removes each again. */
int settle_new(int upper, const char *name);

#endif
