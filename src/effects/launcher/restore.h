/* What the files of restore share: the store that is undone, and the one that keeps what is replaced (NULL: a plan). */
#ifndef AISH_RESTORE_H
#define AISH_RESTORE_H

#include "store.h"

enum { NOREPLACE = 1, EXCHANGE = 2 };

/* Where a thing is made beside its place, if the store is on another file system. A number follows. */
#define NEAR ".aish-undo-"

/* It holds keys, or it was only moved and somebody has removed it since. */
#define FILE_GONE "there is no copy of it"
#define NOT_THERE "its directory is not there"

extern struct store *undone, *keeping;

/* restore-name.c. Each returns 0, or -1 with errno. */
int ease(uint32_t node);
void tighten(void);
void given_way(const struct id *id, const struct entry *e);
void settled(uint32_t node, uint32_t parent, const char *name, int fd);
/* A name, and what stands there: `fd` is its directory. */
struct spot {
  uint32_t parent;
  const char *name;
  int fd, occupied;
  int is_near; /* a name beside the place that a thing is brought to */
  struct id id;
  struct state state;
};
int make_way(const struct spot *to);
/* Brings the file or directory to that name, whole and in one call. */
int move(uint32_t node, const struct spot *to);
/* The same for one that is made anew, or linked from `source`, before it comes to that name. */
int move_anew(struct node *n, const struct spot *to, const struct spot *source);

/* restore.c: it is left alone, and told with the reason. */
void refuse(uint32_t parent, const char *name, const char *why);
void say(const char *verb, uint32_t parent, const char *name, const char *more);
/* Where its old content is in the store, relative to it; nothing: nowhere. */
void copy_name(const struct node *n, char to[24]);
int made_by_action(const struct node *n);

/* restore-changed.c: since the action ended, by somebody else. Behind locate(). */
int name_changed(const struct entry *e);
int node_changed(const struct node *n);
int same_node(const struct id *now, uint32_t node);
int directory_changed(const struct node *n);
/* A step is about to be taken: the journal's time shows until when this undo was at work. */
void step(void);

void mark_late(void);
/* What was another's before the first step: as it was written down, and its being written down. */
void recall_others(void);
int note_others(void);

/* restore-inode.c */
void restore_elsewhere(struct node *n);
void restore_content(struct node *n);
void restore_state(struct node *n);
void refuse_node(struct node *n, const char *why);
/* The directory and name of our link to what has no name that is known; -1: there is none, or it has no other name. */
int by_our_link(const struct node *n, char number[12], const char **name);

/* restore-directory.c */
void restore_directory(struct node *n);
/* In mode, owner or group. */
int differs(const struct state *a, const struct state *b);
/* Of one that is in the store of the undo: somebody else has set its mode, owner, attributes or time while the undo was cut off. */
void mark_late_directory(struct node *n);
int is_time(const struct state *now, const struct state *then);
/* Between the beginning of the undo that was cut and its last call. */
int is_time_of_undo(const struct state *now);
/* The undo that was cut may have left it, of n, which `k` is in its store, with that time. */
int is_time_of_ours(const struct state *now, const struct node *n, const struct node *k);

/* restore-gone.c: behind locate(). */
void tell_gone(void);
void tell_other_names(void);
/* What is said of what is left alone; with the place of its old content where that is nowhere else. Good until the next call. */
const char *why_left(const struct entry *e);
const char *why_changed(const struct node *n);

/* restore-tied.c: marks the names that stay with those that are blocked. -1 with errno. */
int tie_names(void);

/* restore-only.c: marks all names and inodes but those at and below these paths. Behind locate(). */
int leave_all_but(char *const *paths, int count);

#endif
