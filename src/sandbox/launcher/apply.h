/* What the files of apply share. Each returns 0, or -1 with errno. */
#ifndef AISH_APPLY_H
#define AISH_APPLY_H

#include "trial.h"

/* What apply replaces is kept here. */
extern struct store applied;
int fail_here(void);

/* apply-file.c */
int copy_state(int upper, int lower, const char *name);
int set_mode(int lower, const char *name, const struct state *state);
int copy_over(int upper, int lower, const char *name);
int copy_tree(int upper, int lower, const char *name);
/* Takes the overlay's own marks away, from a thing and all below it. */
int clean(int upper, const char *name);
/* Writes down that nothing stood at any name below: then an undo takes each away again. */
int note_new(int upper, const char *name);

#endif
