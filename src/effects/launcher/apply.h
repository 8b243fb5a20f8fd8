/* What the files of apply share. Each returns 0, or -1 with errno. */
#ifndef AISH_APPLY_H
#define AISH_APPLY_H

#include "restore.h"
#include "trial.h"

int fail_here(void);
/* Is what the step was begun for still there, as it was then? Keeping or copying it may have taken a while. */
int still(int directory, const char *name, const struct id *id, const struct state *was);

/* apply-file.c */
/* `is`: what upper was before it was gone through; NULL: what it is now. */
int copy_state(int upper, int lower, const char *name, const struct state *is);
/* The owner of what a trial made may not look into it or take things out of it: gives that right. */
int loosen(int upper, const char *name, const struct state *now);
int set_mode(int lower, const char *name, const struct state *state);
int copy_over(int upper, int lower, const char *name, const struct view *v);
int copy_tree(int upper, int lower, const char *name);
/* Takes the overlay's own marks away from what is new, and writes down of each name below that nothing stood there: then
 * an undo takes each away again. */
int settle_new(int upper, const char *name);

#endif
