/* What the files of restore share: the store that is undone, and the store that keeps what is replaced (NULL: only a
 * plan). */
#ifndef AISH_RESTORE_H
#define AISH_RESTORE_H

#include "store.h"

enum { NOREPLACE = 1, EXCHANGE = 2 };

/* Where a file is made beside its place, if the store is on another file system. A number follows. */
#define NEAR ".aish-undo-"

/* The file holds keys, or the action only moved it and somebody has removed it since. */
#define FILE_GONE "there is no copy of it"
#define NOT_THERE "its directory is not there"

extern struct store *undone, *keeping;

/* restore-name.c. Each returns 0, or -1 with errno. */
int ease(uint32_t node);
void tighten(void);
void given_way(const struct id *id, const struct entry *e);
void settled(uint32_t node, uint32_t parent, const char *name, int fd);
/* A name, and the file that has it: `fd` is its directory. */
struct spot {
  uint32_t parent;
  const char *name;
  int fd, occupied;
  int is_near; /* a name beside the place that the file is for */
  struct id id;
  struct state state;
};
int make_way(const struct spot *to);
/* Brings the file or directory to that name, in one call. */
int move(uint32_t node, const struct spot *to);
/* Does the same for a file that is made again, or linked from `source`, before it gets that name. */
int move_anew(struct node *n, const struct spot *to, const struct spot *source);

/* restore.c: leaves the path alone, and reports it with the reason. */
void refuse(uint32_t parent, const char *name, const char *why);
void say(const char *verb, uint32_t parent, const char *name, const char *more);
/* The path of the old content, relative to the store; empty: there is none. */
void copy_name(const struct node *n, char to[24]);
int made_by_action(const struct node *n);

/* restore-changed.c: changes by somebody else since the action ended. Call them after locate(). */
int name_changed(const struct entry *e);
int node_changed(const struct node *n);
int same_node(const struct id *now, uint32_t node);
int directory_changed(const struct node *n);
/* Call it before each step: the journal's time then shows until when this undo was at work. */
void step(void);

void mark_late(void);
/* Reads and records which files others had changed before the first step. */
void recall_others(void);
int note_others(void);

/* restore-inode.c */
void restore_elsewhere(struct node *n);
void restore_content(struct node *n);
void restore_state(struct node *n);
void refuse_node(struct node *n, const char *why);
/* The directory and name of our link to a file without a known name; -1: there is no link, or the file has no other
 * name. */
int by_our_link(const struct node *n, char number[12], const char **name);

/* restore-directory.c */
void restore_directory(struct node *n);
/* Whether mode, owner or group differ. */
int differs(const struct state *a, const struct state *b);
/* For a directory in the undo's store: marks that somebody else set its mode, owner, attributes or time while the
 * undo was interrupted. */
void mark_late_directory(struct node *n);
int is_time(const struct state *now, const struct state *then);
/* Whether the time is between the beginning of the interrupted undo and its last call. */
int is_time_of_undo(const struct state *now);
/* Whether the interrupted undo may have left the directory with that time. `k`: the directory in the undo's store. */
int is_time_of_ours(const struct state *now, const struct node *n, const struct node *k);

/* restore-gone.c: call them after locate(). */
void tell_gone(void);
void tell_other_names(void);
/* The text about a path that is left alone, with the place of its old content if that is nowhere else. Valid until
 * the next call. */
const char *why_left(const struct entry *e);
const char *why_changed(const struct node *n);

/* restore-tied.c: marks the names that stay with those that are blocked. -1 with errno. */
int tie_names(void);

/* restore-only.c: marks all names and inodes except those at and below these paths. Call it after locate(). */
int leave_all_but(char *const *paths, int count);

#endif
