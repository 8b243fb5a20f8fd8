/* The change store: the state before a kept action changed it, and how that state is restored. See store.c. */
#ifndef AISH_STORE_H
#define AISH_STORE_H

#include "launcher.h"

#include <sys/stat.h>

enum { MAX_NODES = 1 << 21, MAX_ENTRIES = 1 << 21, MAX_TEXT = 1 << 17, NAME_BYTES = 256 };

/* Identifies an inode for ever: its number may be given to another inode once it is free, its time of birth can't. */
struct id {
  uint64_t dev, ino;
  uint64_t born; /* nanoseconds; 0: the file system has none */
};

struct state {
  uint32_t mode, uid, gid, links;
  uint64_t size, space, rdev; /* space: bytes on the disk */
  int64_t mtime, ctime;
  uint32_t mtime_ns, ctime_ns;
};

/* What a name stood for when it was looked at. Each call that is answered looks once. */
struct glance {
  int taken;
  int why; /* errno; 0: the name exists */
  struct id id;
  struct state state;
};

/* Flags of nodes and entries. The journal stores META. */
enum {
  /* What the action did to an inode. */
  COPIED = 1 << 0,     /* a copy of the content is kept */
  META = 1 << 1,       /* mode, owner, times or attributes were about to change */
  TOUCHED = 1 << 2,    /* names in this directory changed */
  LINKED = 1 << 6,     /* a link in the store keeps the inode */
  TIMED = 1 << 13,     /* a call set its times */
  LEFT_OUT = 1 << 14,  /* no copy is kept, and a note says so */
  /* The place of the inode. */
  IS_VAULT = 1 << 3,    /* in the store, or the store itself */
  HOLDS_VAULT = 1 << 4, /* a directory above the store */
  CLOSED = 1 << 15,     /* a directory that this user can't look into now */
  BY_OTHER = 1 << 21,   /* found by a name that the action did not use */
  /* The end of the action. */
  FINAL = 1 << 7,      /* the state at the end of the action is known */
  LATE = 1 << 20,      /* someone else may have changed it before that end was written down */
  LATE_TIME = 1 << 22, /* someone else may have changed only the time of the directory */
  /* The undo of the action. */
  BLOCKED = 1 << 8,  /* changed since, so it stays */
  PLACED = 1 << 9,   /* restored */
  EASED = 1 << 10,   /* a directory that was opened for its owner until the undo is done */
  MADE = 1 << 11,    /* made again */
  LEFT = 1 << 12,    /* not among the paths that the user named */
  BARE = 1 << 16,    /* some of its attributes could not be restored */
  REFUSED = 1 << 17, /* could not be restored */
  TIES = 1 << 18,    /* this name was changed since, so names that the action moved with it stay */
  TIED = 1 << 19,    /* stays because of such a name */
};

/* An inode as it was before the action first changed it. */
struct node {
  struct id id;
  struct state was;
  uint32_t flags, link, copy; /* numbers of files in the store; 0: none (an empty file has no copy) */
  uint32_t parent;            /* where it was when it was first seen; 0: unknown, or `/` */
  const char *name;
  const char *target;     /* of a symbolic link */
  const char *attributes; /* extended ones before the first change: name, size, value */
  uint32_t attributes_size;
  const char *end_attributes; /* the same at the end of the action */
  uint32_t end_attributes_size;
  uint32_t entries, children; /* lists of what is in this directory */
  uint32_t names;             /* 1 + how many names were in it before the first change; 0: not counted */
  uint32_t next_child;
  /* Set by locate(). */
  uint32_t at_parent, order;
  const char *at_name; /* NULL: not found */
  struct id is;        /* differs from `id` once the inode had to be made anew */
  struct state now, end;
};

/* A name in a directory, and what it stood for before the action. */
struct entry {
  uint32_t parent;
  uint32_t node; /* 0: the name did not exist */
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
struct question;
struct shared_files;
struct other_name;
struct opened;

struct store {
  int vault, journal;
  int links, copies, trash; /* -1 until something goes there: see make_part */
  struct id guarded;        /* the directory that holds this store and others: no command may change it */
  struct node *nodes;
  struct entry *entries;
  uint32_t node_count, entry_count, number;
  struct index by_id, by_name;
  char *text;
  uint64_t text_used, text_size;
  uint64_t used, budget, max_file; /* bytes */
  uint64_t started;                /* the action made what was born later */
  uint64_t applies;                /* when the apply of a trial began, which itself writes into no file */
  uint64_t last;                   /* the last write to the journal that was read; nanoseconds */
  struct id tree;                  /* the tree that is searched for changes which were not kept */
  uint32_t refused, unkept;        /* counts for the summary */
  uint32_t inside;                 /* files in directories that were moved into the store as a whole */
  uint32_t calls;                  /* answered so far */
  unsigned ended : 1;
  unsigned gathers : 1;          /* no call waits for the records: several go into one write */
  unsigned watches : 1;          /* a trial: nothing is kept, but what the trial can't show is noted */
  unsigned keeps_credentials : 1;
  unsigned protects_credentials : 1; /* they are not kept, and may not be changed */
  unsigned guards : 1;           /* Project mode: a file with a name outside the tree is not written to */
  unsigned is_mapped : 1;        /* in a user namespace, where other users' numbers can't be read */
  unsigned plans : 1;            /* nothing is written down */
  unsigned resumes : 1;          /* continues an undo that was cut off */
  unsigned listens : 1;          /* keeps what a command changes, rather than what the launcher changes */
  unsigned beats : 1;            /* long copies touch the journal, whose time shows that this process still works */
  const struct options *holds;   /* Project mode without namespaces: guard.c */
  struct {
    const char *path;
    int fd;
  } outside[MAX_TREES]; /* the trees as they are outside the command's namespaces, on the mount of the store */
  int outside_count;
  int root;      /* `/` outside those namespaces; -1: as it is here */
  int elsewhere; /* the directory of nodes whose at_parent is ELSEWHERE */
  /* While a call is answered: what it names, and directories that stay open, with their nodes. */
  struct place *places[2];
  int known_fd[2];
  uint32_t known_node[2];
  /* State of one file each, made when that file needs it. */
  struct {
    char *records;
    uint32_t used;
  } gathered;                   /* store.c */
  struct shared_files *shared;  /* guard.c */
  struct other_name *others;    /* outcome.c */
  uint32_t other_count, order;
  struct opened *opened;
  struct question *question;    /* paths.c */
  int asked[2], answered[2];
};

#define ELSEWHERE UINT32_MAX

/* 11 and 13 are in journals of earlier versions. */
enum record_type { R_NAME = 1, R_NODE, R_PLACE, R_LINK, R_COPY, R_ATTRIBUTES, R_END_NAME, R_END_NODE, R_END, R_BEGIN,
                   R_OTHERS = 12, R_ALSO = 14, R_LAST, R_END_ATTRIBUTES, R_APPLY };

struct record {
  uint32_t length, check, type, number;
  struct id a, b;
  struct state s;
};

/* store.c. RESUMED: an undo that was cut off. */
enum { FRESH, EXISTING, RESUMED };
int store_open(struct store *s, const char *path, int existing);
int store_write(struct store *s, uint32_t type, uint32_t number, const struct id *a, const struct id *b,
                const struct state *state, const char *text, uint32_t size);
/* Whether the budget has room for that many bytes more. If not, errno is ENOSPC. */
int room_for(const struct store *s, uint64_t bytes);
/* Adds to `used` what the store holds besides its journal. */
void count_parts(struct store *s);
/* Writes what was gathered while `gathers` was set. */
int store_flush(struct store *s);
/* Makes `links`, `copies` or `trash` of this store, unless it exists. 0, or -1 with errno. */
int make_part(struct store *s, int *part);
/* Adds a word and a path to the notes of the store, which the user reads. */
void store_note(struct store *s, const char *word, const char *path);
uint32_t find_node(const struct store *s, const struct id *id);
uint32_t add_node(struct store *s, const struct id *id, const struct state *was);
uint32_t find_entry(const struct store *s, uint32_t parent, const char *name);
uint32_t add_entry(struct store *s, uint32_t parent, const char *name, uint32_t node);
void place_node(struct store *s, uint32_t node, uint32_t parent, const char *name);
const char *keep_text(struct store *s, const char *text, uint32_t size);
/* Memory that is zero and takes no space before it is written to; NULL: none left. */
void *arena(uint64_t size);
void drop_arena(void *from, uint64_t size);
const char *decimal(uint32_t number, char *to);

/* Looks at (directory, name). `follow` 0: at a symbolic link itself. 0, or -1 with errno. */
int look(int directory, const char *name, int follow, struct id *id, struct state *state);
/* Looks without following links, once for each answered call, so that all decisions are about the same inode. */
int look_once(struct store *s, int directory, const char *name, struct id *id, struct state *state);
/* Looks at an open directory or file. */
int look_at(struct store *s, int fd, struct id *id, struct state *state);
/* Takes over what statx returned. */
struct statx;
void read_statx(const struct statx *x, struct id *id, struct state *state);
int same_id(const struct id *a, const struct id *b);
int same_time(const struct state *a, const struct state *b);
/* In nanoseconds; 0: before 1970. */
uint64_t moment(int64_t seconds, uint32_t ns);

/* Paths by way of /proc, for calls that take no descriptor. */
enum { FD_PATH = 48 + NAME_BYTES };
void path_in(int directory, const char *name, char to[FD_PATH]);
/* The path of an open file, cut off at `size - 1` bytes. Returns its length; at most 0: there is none. */
long path_of_fd(int fd, char *to, uint64_t size);

/* Closes the descriptor, unless it is -1, and keeps errno. */
void close_quietly(int fd);

/* The names of a directory but `.` and `..`. */
struct listing {
  int fd;
  long at, filled; /* filled -1: an error */
  char *room;
};
struct listed {
  const char *name; /* valid until the next name is read */
  uint64_t ino;
  unsigned char type; /* DT_DIR and the like */
};
/* Takes over the descriptor, which may be -1. 0, or -1: then nothing is to be closed. */
int listing_open(struct listing *l, int fd);
int listing_next(struct listing *l, struct listed *next);
void listing_close(struct listing *l);

/* keep.c: writes down what something was before it is first changed. Each returns 0, or -1 with errno: then the call
 * that was about to change it must not go on. */
uint32_t keep_directory(struct store *s, int directory);
/* The node of the directory that holds an open file, or of the open directory itself; 0: none any more. */
uint32_t keep_whereabouts(struct store *s, int fd);
int keep_name(struct store *s, int directory, const char *name, uint32_t *entry);
/* Records a name that did not exist before, though it exists by now. */
int keep_absent(struct store *s, int directory, const char *name);
/* An unused name in the store's own `t`, noted as new so that what is moved there is found again. */
const char *fresh_name(struct store *s, char number[12]);
int keep_inode(struct store *s, int directory, const char *name);
int keep_content(struct store *s, int directory, const char *name);
/* Records a file that an undo is about to give another name. */
int keep_known(struct store *s, int directory, const char *name);
enum aspect { STATUS, XATTRS, TIMES };
int keep_state(struct store *s, int directory, const char *name, enum aspect changes);
/* Copies the content of a file, holes included. `s` may be NULL. */
int copy_data(const struct store *s, int from, int to, uint64_t size);

/* Extended attributes. `even_none`: one is about to be set, so that having none is recorded too. */
int keep_attributes(struct store *s, uint32_t n, int directory, const char *name, int even_none);
/* Records the attributes at the end of the action, if they differ by then. */
int end_attributes(struct store *s, struct node *n, int directory, const char *name);
/* Names, sizes and values. Returns how many bytes; -1 with errno; UNSUPPORTED: the file system has none. */
enum { UNSUPPORTED = -2 };
long read_attributes(struct store *s, int directory, const char *name, char *blob, uint64_t most);
int same_text(const char *a, uint32_t size, const char *b, uint32_t other);
/* Whether the attributes or their values differ from these. */
int attributes_differ(struct store *s, int directory, const char *name, const char *kept, uint32_t kept_size);
/* Whether there is an attribute or value which neither node had, before the action or at its end. */
int attributes_beyond(struct store *s, int directory, const char *name, const struct node *n, const struct node *other);
enum { WITHOUT_LIST = -2 };
/* Sets all that can be set, even if it fails. WITHOUT_LIST: the access list could not be set. */
int apply_attributes(int directory, const char *name, const struct node *n);
/* The mode of a file whose access list could not be set. Its group bits are the mask of that list, and must not give
 * the group more than the list did. */
uint32_t mode_without_list(const struct node *n);
/* Removes the access lists that a new file got from its directory. */
void drop_inherited(int directory, const char *name);

/* credentials.c */
int holds_credentials(int directory, const char *name);

/* paths.c: the directory `fd` outside the command's namespaces; -1 if it is in none of the trees. */
int outside_of(const struct store *s, int fd);
/* Access lists, which the supervisor reads outside the user namespace for the process that keeps inside. */
int is_access_list(const char *item);
void outside_begin(struct store *s);
int outside_asked(const struct store *s);
void outside_answer(struct store *s);
long value_outside(struct store *s, int directory, const char *name, const char *item, char *value, uint64_t size);

/* guard.c: whether a file has a name outside the trees. */
int is_named_outside(struct store *s, int directory, const char *name);
/* A name is about to be added to the file. */
void named_again(struct store *s, int directory, const char *name);
/* Whether any file of the trees has a name outside them, for a command whose calls nobody answers. */
int any_named_outside(const struct options *o);

/* outcome.c: changes of the tree that no answered call explains. */
void scan_unkept(struct store *s, const char *tree);
void count_names(struct store *s, uint32_t node, int directory);
/* Other names of the files that the action changed by one of several names, which may be gone later. */
void note_other_names(struct store *s, const char *tree);
void add_other_name(struct store *s, uint32_t node, uint32_t parent, const char *name);
/* Returns the node of the next such name from number `at` on, which begins with 0. Returns 0 behind the last. */
uint32_t next_other_name(const struct store *s, uint32_t *at, uint32_t *parent, const char **name);
/* Finds where every known inode is now. */
void locate(struct store *s);
/* The node of this inode, or of the one that it replaces; 0: none. */
uint32_t node_of(const struct store *s, const struct id *id);
/* Finds directories that an undo had moved into its own store when it was cut off. */
void locate_elsewhere(struct store *s);
/* A descriptor of a located directory, which the caller must not close; -1 if it is no longer there. */
int open_node(const struct store *s, uint32_t node);
int store_finish(struct store *s);
int store_finish_apply(struct store *s);
/* The same for an action that was cut off: changes since its last record are not taken for its own. */
int store_finish_cut(struct store *s);
/* A call is answered in less time than this. */
#define CALL_NANOSECONDS 2000000000u
int is_late(const struct store *s, const struct state *state);
int is_late_time(const struct store *s, int64_t seconds, uint32_t ns);
/* Whether someone closed a directory above, so that nobody can tell what is there. */
int is_hidden(const struct store *s, uint32_t directory);
void path_of(const struct store *s, uint32_t parent, const char *name, char *to, uint64_t size);
void note_path(struct store *s, const char *word, uint32_t parent, const char *name);
/* Notes a change of which nothing is kept. */
void note_unkept(struct store *s, uint32_t parent, const char *name);
int stands_elsewhere(const struct store *s, const struct node *n, char *where, uint64_t size);

/* supervisor.c */
void raise_file_limit(void);
void keep_ready(int listener);
void keep_end(struct store *s, const struct options *o);

/* answer.c: answers one notification. Returns -1 when the listener is of no more use. */
int keep_answer(struct store *s, int listener);

/* view.c. Text for the standard output, each piece with a NUL behind it. */
struct output {
  char room[1 << 15];
  uint64_t used;
};
void output_put(struct output *o, const char *text);
void output_flush(struct output *o);
void tell_names(struct store *s); /* what the action left */

/* equal.c: what an undo made anew counts as the inode that it replaced. */
int equals_load(int vault, uint64_t since);
void equals_forget(void);
int equals_add(const struct store *into, const struct id *now, const struct state *now_state, const struct id *old,
    const struct state *old_state);
/* The inode in whose place this one was made; 0: none. */
int older_id(const struct id *now, struct id *old);
/* Whether this is what `then` was, apart from what an undo did and took back. */
int unchanged(const struct id *now, const struct state *now_state, const struct id *then,
    const struct state *then_state);

/* restore.c: puts back what `s` says and keeps in `into` what it replaces. Without `into` it only says what it would
 * do, as `verb NUL path NUL source-or-reason NUL`. With `only`, nothing but these paths and what is below them. Returns
 * how many things it could not put back. */
int restore(struct store *s, struct store *into, char *const *only, int only_count);
/* restore-changed.c: takes in a record of what was another's before an undo that was cut off. -1 with errno. */
int take_other(struct store *s, const struct record *r, const char *text, uint32_t size);
/* restore-file.c */
int apply_state(int directory, const char *name, struct node *n);
int make_file(struct node *n, int from, const char *content, int directory, const char *name);
int fill_in_place(const struct node *n, int directory, const char *name);

/* undo.c: `aish-sandbox --undo …`; records.c: `--records`, `--open`, `--put` and `--drop`. */
int undo(int argc, char **argv);
int work_on_records(int argc, char **argv);
/* Writes a small file in one step. */
int put_text(const char *path, const char *text);
/* Removes a file, or a directory with all below it; nothing there is no error. */
int drop_all(const char *path);

#endif
