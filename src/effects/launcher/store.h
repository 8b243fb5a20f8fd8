/* The change store: what a kept action found before it changed it, and how it is put back. See store.c. */
#ifndef AISH_STORE_H
#define AISH_STORE_H

#include "launcher.h"

#include <sys/stat.h>

enum { MAX_NODES = 1 << 21, MAX_ENTRIES = 1 << 21, MAX_TEXT = 1 << 17, NAME_BYTES = 256 };

/* An inode for good: its number may be given to another once it is free, its time of birth is not. */
struct id {
  uint64_t dev, ino, born; /* nanoseconds; 0 where the file system tells none */
};

struct state {
  uint32_t mode, uid, gid, links;
  uint64_t size, space, rdev; /* bytes, and bytes on the disk */
  int64_t mtime, ctime;
  uint32_t mtime_ns, ctime_ns;
};

/* What stood at a name, looked at once for each call that is answered. */
struct glance {
  int taken, why; /* errno; 0: something stands there */
  struct id id;
  struct state state;
};

/* What was done to an inode, or is to be put back. */
enum { COPIED = 1, META = 2, TOUCHED = 4, IS_VAULT = 8, HOLDS_VAULT = 16, LINKED = 64, FINAL = 128,
       BLOCKED = 256, PLACED = 512, EASED = 1024, MADE = 2048, LEFT = 4096,
       TIMED = 8192,   /* its times were set by a call */
       LEFT_OUT = 16384, /* no copy is taken of it, which is told */
       BARE = 65536,  /* some of its attributes could not be put back */
       REFUSED = 131072, /* an undo could not put it back */
       TIES = 262144, TIED = 524288, /* by a name that was changed since, names that the action moved with it stay */
       BY_OTHER = 2097152, /* it is found by a name that the action did not use */
       LATE = 1048576, /* somebody else may have changed it before its end was written down */
       LATE_TIME = 4194304, /* the same of the time of a directory alone */
       CLOSED = 32768 /* a directory that can't be looked into now */ };

/* An inode as it was when the action first came near it. */
struct node {
  struct id id;
  struct state was;
  uint32_t flags, link, copy; /* numbers of files in the vault; 0: none (a copy of nothing is nothing) */
  uint32_t parent;            /* of a directory: where it stood when it was first seen */
  const char *name;
  const char *target;     /* of a symbolic link */
  const char *attributes; /* extended ones, before the first change: name, size, value */
  uint32_t attributes_size;
  const char *end_attributes; /* when the action had ended; the same where nothing else is written down */
  uint32_t end_attributes_size;
  uint32_t entries, children; /* lists below this directory */
  uint32_t names;  /* how many a directory of the tree held before the first of them changed, and one; 0: nobody counted */
  uint32_t next_child;
  /* found by locate() */
  uint32_t at_parent, order;
  const char *at_name;
  struct id is; /* another than `id` once it had to be made anew */
  struct state now, end;
};

/* A name in a directory, and what it stood for before the action. */
struct entry {
  uint32_t parent, node; /* node 0: there was nothing */
  uint32_t next;
  const char *name;
  struct id now, end;
  struct state now_state, end_state;
  uint32_t flags;
};

/* Numbers of nodes or entries by their hash; 0: free. */
struct index {
  uint32_t *slots, mask;
};

struct place;

struct store {
  int vault, journal;
  int links, copies, trash; /* -1 until something goes there: see make_part */
  struct id guarded; /* the directory that holds this store and its like: nobody else's to change */
  struct node *nodes;
  struct entry *entries;
  uint32_t node_count, entry_count, number;
  struct index by_id, by_name;
  char *text;
  uint64_t text_used, text_size;
  uint64_t used, budget, max_file; /* bytes */
  uint64_t started;                /* born later: made by the action */
  uint32_t refused, unkept;
  int ended;
  uint64_t applies; /* of a trial's apply, when it began: it writes into no file, so what was written since is another's */
  uint64_t last; /* when the journal that is read was last written to; nanoseconds */
  struct id tree; /* below which changes that were not kept are looked for */
  int known_fd[2]; /* directories that stay open while a call is answered, and their nodes */
  uint32_t known_node[2];
  struct place *places[2]; /* what the call names, while it is answered; NULL: nothing */
  uint32_t inside; /* what directories held that were moved into the store as a whole */
  int gathers;     /* nothing waits for the records any more: several go into one write */
  int watches;     /* a trial: nothing is kept, what it can't show is noted */
  int keeps_credentials; /* the user wants copies of keys and passwords kept as well */
  int guards;      /* project mode: what has a name outside the tree is not written to */
  const struct options *holds; /* project mode without namespaces: held.c */
  struct {
    const char *path;
    int fd;
  } outside[MAX_TREES]; /* of a command in a world of its own: its trees as they are outside it, on the store's own mount */
  int outside_count, root; /* root: `/` as it is outside; -1: as it is here */
  int is_mapped; /* in a user namespace, where the numbers of other users can't be read */
  int plans;   /* nothing is written down */
  int resumes; /* what was cut: see is_new */
  int listens; /* to a command that runs, rather than keeping what this program itself changes */
  int elsewhere; /* the directory of nodes whose at_parent is ELSEWHERE */
  long calls;
};

#define ELSEWHERE UINT32_MAX

enum record_type { R_NAME = 1, R_NODE, R_PLACE, R_LINK, R_COPY, R_ATTRIBUTES, R_END_NAME, R_END_NODE, R_END, R_BEGIN, R_STEP, R_OTHERS, R_JUDGED, R_ALSO, R_LAST, R_END_ATTRIBUTES, R_APPLY };

struct record {
  uint32_t length, check, type, number;
  struct id a, b;
  struct state s;
};

/* store.c. RESUMED: of an undo that was cut off; its steps are read as well. */
enum { FRESH, EXISTING, RESUMED };
int store_open(struct store *s, const char *path, int existing);
int store_write(struct store *s, uint32_t type, uint32_t number, const struct id *a, const struct id *b,
                const struct state *state, const char *text, uint32_t size);
/* store-read.c: all whole records. -1 with errno. */
int store_load(struct store *s);
uint32_t record_sum(const struct record *r, const char *text, uint32_t size);
/* Whether that many bytes more are within the budget; else errno is ENOSPC. */
int room_for(const struct store *s, uint64_t bytes);
/* Of a store that was read again, what is in use besides its journal. */
void count_parts(struct store *s);
/* Writes what was gathered while `gathers` was set. */
int store_flush(struct store *s);
/* Makes `links`, `copies` or `trash` of this store, unless it is there. 0, or -1 with errno. */
int make_part(struct store *s, int *part);
/* Appends a word and a path to the store's `notes`, for the user. */
void store_note(struct store *s, const char *word, const char *path);
uint32_t find_node(const struct store *s, const struct id *id);
uint32_t add_node(struct store *s, const struct id *id, const struct state *was);
uint32_t find_entry(const struct store *s, uint32_t parent, const char *name);
uint32_t add_entry(struct store *s, uint32_t parent, const char *name, uint32_t node);
void place_node(struct store *s, uint32_t node, uint32_t parent, const char *name);
const char *keep_text(struct store *s, const char *text, uint32_t size);
void *arena(uint64_t size);
const char *decimal(uint32_t number, char *to);

/* Looks at (directory, name); follow 0 means the name itself. 0, or -1 with errno. */
int look(int directory, const char *name, int follow, struct id *id, struct state *state);
/* The same for the name itself. What the call that is answered names is looked at once, so that all that is decided about
 * it is decided about the same thing. */
int look_once(struct store *s, int directory, const char *name, struct id *id, struct state *state);
/* The same for an open directory or file. */
int look_at(struct store *s, int fd, struct id *id, struct state *state);
/* What statx has told. */
struct statx;
void told(const struct statx *x, struct id *id, struct state *state);
int same_id(const struct id *a, const struct id *b);
int same_time(const struct state *a, const struct state *b);
/* In nanoseconds; 0: before 1970. */
uint64_t moment(int64_t seconds, uint32_t ns);

/* keep.c: the first touch of a thing writes down what it was. Each returns 0, or -1 with errno: then the call that was
 * about to change it must not go on. */
uint32_t keep_directory(struct store *s, int directory);
/* The directory in which an open file stands, or an open directory itself; 0: nowhere any more. */
uint32_t keep_whereabouts(struct store *s, int fd);
int keep_name(struct store *s, int directory, const char *name, uint32_t *entry);
/* The same for a name at which nothing stood before, though something does by now. */
int keep_absent(struct store *s, int directory, const char *name);
/* A name in the store's own `t` that nobody uses, noted as new so that what comes to lie there is found again. */
const char *fresh_name(struct store *s, char number[12]);
int keep_inode(struct store *s, int directory, const char *name);
int keep_content(struct store *s, int directory, const char *name);
enum aspect { STATUS, XATTRS, TIMES };
int keep_state(struct store *s, int directory, const char *name, enum aspect changes);
int reopen(int fd, int flags);

/* copy.c */
int copy_data(int from, int to, uint64_t size);
/* Its journal shows by its time that somebody is still at work. */
extern struct store *copying_for;

/* attributes.c: extended attributes, before a change and back; and without those that a directory gives to what is made in it. */
int keep_attributes(struct store *s, uint32_t n, int directory, const char *name, int even_none);
/* Those at the end of the action, where they are others by then. */
int end_attributes(struct store *s, struct node *n, int directory, const char *name);
/* Whether there are others than these, or with other values. */
int same_text(const char *a, uint32_t size, const char *b, uint32_t other);
int attributes_differ(struct store *s, int directory, const char *name, const char *kept, uint32_t kept_size);
/* Whether there is one, or a value, that is among none of those which either of them had, before it or at its end. */
int attributes_beyond(struct store *s, int directory, const char *name, const struct node *n, const struct node *other);
enum { WITHOUT_LIST = -2 };
/* All that can be set is, though it fails; WITHOUT_LIST where the access list is among what can't be. */
int apply_attributes(int directory, const char *name, const struct node *n);
/* Its mode where its access list could not be set: the mask, which stands in place of the group's rights, gives them to nobody. */
uint32_t mode_without_list(const struct node *n);
void drop_inherited(int directory, const char *name);

/* mapped.c: access lists, read by the supervisor outside of a user namespace for who keeps inside. */
int is_access_list(const char *item);
void outside_begin(void);
int outside_asked(void);
void outside_answer(void);
long value_outside(int directory, const char *name, const char *item, char *value, uint64_t size);

/* scan.c: changes of the tree that passed no supervisor. */
void scan_unkept(struct store *s, const char *tree);
void count_names(struct store *s, uint32_t node, int directory);
/* Behind locate(): names that are missing though nobody took them away, and content that is another though nobody kept it. */
void tell_escaped(struct store *s);

/* keep-path.c: the directory `fd` as it is outside the command's world; -1 where it is not in one of its trees. */
int outside_of(const struct store *s, int fd);

/* shared.c: whether a file has a name outside the trees; a name is about to be added to one; and, without anybody who could
 * be asked at each call, whether there is any such file. */
int is_named_outside(const struct store *s, int directory, const char *name);
void named_again(int directory, const char *name);
int any_named_outside(const struct options *o);

/* other-names.c: what the action wrote to, or set the mode of, by one of several names: the others are written down at its
 * end, since the one it used may go. */
void note_other_names(struct store *s, const char *tree);
void add_other_name(struct store *s, uint32_t node, uint32_t parent, const char *name);
/* Behind the names that the action came near. */
void locate_by_other_names(struct store *s);

/* credentials.c */
int holds_credentials(int directory, const char *name);

/* The one behind the number `at`, which begins with 0. Returns its node; 0: there are no more. */
uint32_t next_other_name(const struct store *s, uint32_t *at, uint32_t *parent, const char **name);

/* locate.c */
void locate(struct store *s);
/* The node that this inode is, or in whose place it was made; 0: none. */
uint32_t node_of(const struct store *s, const struct id *id);
/* Directories on their way that an attempt left in the store of its own when it was cut. */
void locate_elsewhere(struct store *s);
int open_node(const struct store *s, uint32_t node);
void forget_open(void);
int store_finish(struct store *s);
int store_finish_apply(struct store *s);
/* The same for an action that was cut: what has changed since its last record is not taken for its doing. */
int store_finish_cut(struct store *s);
/* What a call of whoever writes a record takes at most. */
#define CALL_NANOSECONDS 2000000000u
/* Whether that is later than a call of whoever wrote its last record takes. */
int is_late(const struct store *s, const struct state *state);
int is_late_time(const struct store *s, int64_t seconds, uint32_t ns);
int is_hidden(const struct store *s, uint32_t directory);
void path_of(const struct store *s, uint32_t parent, const char *name, char *to, uint64_t size);
int stands_elsewhere(const struct store *s, const struct node *n, char *where, uint64_t size);

/* equal.c: what an undo made anew stands for what it replaced. */
int equals_load(int vault, uint64_t since);
void equals_forget(void);
int equals_add(const struct store *into, const struct id *now, const struct state *now_state, const struct id *old, const struct state *old_state);
/* The inode in whose place this one was made; 0: none. */
int older_id(const struct id *now, struct id *old);
/* Whether what is there now is what `then` was, but for what an undo did and took back. */
int unchanged(const struct id *now, const struct state *now_state, const struct id *then, const struct state *then_state);

/* keep-calls.c: the filter that notifies, and the answer to one notification. */
int keep_filter_install(void);
int keep_answer(struct store *s, int listener);
/* keep-run.c */
void keep_ready(int listener);
int keep_begin(struct store *s, const struct options *o);
int trial_begin(struct store *s, const struct options *o);
int guard_begin(struct store *s, const struct options *o);
void keep_end(struct store *s, const struct options *o);

/* restore.c. Puts back what `s` says, keeping in `into` what it replaces; without `into` it only says what it would do.
 * Prints `verb NUL path NUL source-or-reason NUL` for each. Returns how many things it could not put back. With `only` nothing but these
 * paths and what lies below them. */
int restore(struct store *s, struct store *into, char *const *only, int only_count);
/* restore-steps.c: a record of a store that is RESUMED. -1 with errno. */
int take_step(struct store *s, const struct record *r, const char *text, uint32_t size);
/* names.c: what the action left, by name. */
void tell_names(struct store *s);
/* restore-file.c */
int apply_state(int directory, const char *name, struct node *n);
int make_from_copy(struct store *s, struct node *n, int directory, const char *name);
int fill_in_place(struct store *s, const struct node *n, int directory, const char *name);

/* undo.c: `aish-sandbox --undo …`. */
int undo(int argc, char **argv);

#endif
