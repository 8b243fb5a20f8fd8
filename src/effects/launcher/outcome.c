/*
 * What an action left: where everything is when it has ended, or before it is undone.
 *
 * The end of an action is written into its journal, so that an undo can tell later changes from its own. Changes that
 * no answered call explains, by a program that raced its own paths or by someone else, are looked for in the tree and
 * noted.
 */
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OPEN_SLOTS = 256, MAX_DEPTH = 4000, MAX_OTHERS = 1 << 16, MAX_SEEN = 400000, MAX_SEARCH_DEPTH = 1500 };

/* Directories that stay open because many names below them are looked at. */
struct opened {
  uint32_t node;
  int fd;
};

/* Another name of a file that the action changed by one of several names. */
struct other_name {
  uint32_t node, parent;
  const char *name;
};

static void forget_open(struct store *s) {
  if (!s->opened) s->opened = arena(sizeof *s->opened * (uint64_t)OPEN_SLOTS);
  for (int i = 0; s->opened && i < OPEN_SLOTS; i++) {
    if (s->opened[i].node) close(s->opened[i].fd);
    s->opened[i].node = 0;
  }
}

int open_node(const struct store *s, uint32_t node) {
  if (node == ELSEWHERE) return s->elsewhere;
  const struct node *n = &s->nodes[node];
  struct opened *slot = s->opened ? &s->opened[node % OPEN_SLOTS] : NULL;
  struct id id;
  if (!slot || !node || !n->at_name) return errno = ENOENT, -1;
  if (slot->node == node) return slot->fd;
  int fd;
  if (n->at_parent) {
    int above = open_node(s, n->at_parent);
    if (above < 0) return -1;
    fd = openat(above, n->at_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  } else fd = openat(s->root, s->root < 0 ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  if (look(fd, "", 0, &id, NULL) || !same_id(&id, &n->is)) {
    close(fd);
    return errno = ESTALE, -1;
  }
  if (slot->node) close(slot->fd);
  *slot = (struct opened){node, fd};
  return fd;
}

uint32_t node_of(const struct store *s, const struct id *id) {
  struct id at = *id;
  for (int steps = 0; steps < 64; steps++) {
    uint32_t n = find_node(s, &at);
    if (n || !older_id(&at, &at)) return n;
  }
  return 0;
}

static void visit(struct store *s, uint32_t n, int fd, int depth);

static void settle(struct store *s, const struct id *id, const struct state *state, uint32_t parent, const char *name,
    int fd, int depth) {
  uint32_t n = node_of(s, id);
  if (!n) return;
  /* Of several names, the one that was seen first stays. */
  int own = !S_ISDIR(state->mode) && s->nodes[n].parent == parent && s->nodes[n].name &&
      !strcmp(s->nodes[n].name, name);
  if (s->nodes[n].at_name && !own) return;
  s->nodes[n].at_parent = parent;
  s->nodes[n].at_name = name;
  s->nodes[n].is = *id;
  s->nodes[n].now = *state;
  if (!S_ISDIR(state->mode)) return;
  int below = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (below < 0) return;
  visit(s, n, below, depth + 1);
  close(below);
}

static void visit(struct store *s, uint32_t n, int fd, int depth) {
  struct id id;
  struct state state;
  s->nodes[n].order = ++s->order;
  s->nodes[n].flags &= ~(uint32_t)CLOSED;
  if (depth > MAX_DEPTH) return;
  for (uint32_t e = s->nodes[n].entries; e; e = s->entries[e].next) {
    struct entry *entry = &s->entries[e];
    entry->now = (struct id){0, 0, 0};
    if (look(fd, entry->name, 0, &id, &state)) {
      if (errno == EACCES) s->nodes[n].flags |= CLOSED;
      continue;
    }
    entry->now = id;
    entry->now_state = state;
    settle(s, &id, &state, n, entry->name, fd, depth);
  }
  for (uint32_t c = s->nodes[n].children; c; c = s->nodes[c].next_child) {
    if (s->nodes[c].at_name && S_ISDIR(s->nodes[c].was.mode)) continue;
    if (!look(fd, s->nodes[c].name, 0, &id, &state)) settle(s, &id, &state, n, s->nodes[c].name, fd, depth);
    else if (errno == EACCES) s->nodes[n].flags |= CLOSED;
  }
}

void add_other_name(struct store *s, uint32_t node, uint32_t parent, const char *name) {
  if (!s->others) s->others = arena(sizeof *s->others * (uint64_t)MAX_OTHERS);
  if (s->others && s->other_count < MAX_OTHERS) s->others[s->other_count++] = (struct other_name){node, parent, name};
}

uint32_t next_other_name(const struct store *s, uint32_t *at, uint32_t *parent, const char **name) {
  if (*at >= s->other_count) return 0;
  *parent = s->others[*at].parent;
  *name = s->others[*at].name;
  return s->others[(*at)++].node;
}

/* A name that the action used is found first, and stays the node's name. */
static void locate_by_other_names(struct store *s) {
  struct id id;
  struct state state;
  for (uint32_t i = 0; i < s->other_count; i++) {
    struct node *n = &s->nodes[s->others[i].node];
    /* If the action took a name away, the store has a link, which is found too. */
    const int fd = n->at_name || n->link ? -1 : open_node(s, s->others[i].parent);
    if (fd < 0 || look(fd, s->others[i].name, 0, &id, &state) || !same_id(&id, &n->id)) continue;
    n->at_parent = s->others[i].parent;
    n->at_name = s->others[i].name;
    n->is = id;
    n->now = state;
    n->flags |= BY_OTHER;
  }
}

void locate(struct store *s) {
  struct id id;
  struct state state;
  forget_open(s);
  s->order = 0;
  for (uint32_t n = 1; n <= s->node_count; n++) s->nodes[n].at_name = NULL, s->nodes[n].flags &= ~(uint32_t)BY_OTHER;
  int root = openat(s->root, s->root < 0 ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return;
  for (uint32_t n = 1; n <= s->node_count; n++) {
    struct node *node = &s->nodes[n];
    if (node->parent || !node->name || *node->name || look(root, "", 0, &id, &state) || !same_id(&id, &node->id))
      continue;
    node->at_parent = 0;
    node->at_name = "";
    node->now = state;
    visit(s, n, root, 0);
  }
  close(root);
  locate_by_other_names(s);
}

void locate_elsewhere(struct store *s) {
  struct id id;
  struct state state;
  struct names names;
  if (s->elsewhere < 0 || names_of(s->elsewhere, &names)) return;
  for EACH_NAME (name, names) {
    if (look(s->elsewhere, name, 0, &id, &state) || !S_ISDIR(state.mode)) continue;
    const char *kept = keep_text(s, name, (uint32_t)strlen(name));
    if (kept) settle(s, &id, &state, ELSEWHERE, kept, s->elsewhere, 0);
  }
  names_drop(&names);
}

int is_hidden(const struct store *s, uint32_t directory) {
  for (; directory && directory != ELSEWHERE; directory = s->nodes[directory].parent)
    if (s->nodes[directory].flags & CLOSED) return 1;
  return 0;
}

static void put_path(const struct store *s, uint32_t parent, const char *name, char *to, uint64_t size, uint64_t *at) {
  const struct node *n = &s->nodes[parent];
  if (parent == ELSEWHERE) return;
  if (parent && (n->at_name ? n->at_parent : n->parent))
    put_path(s, n->at_name ? n->at_parent : n->parent, n->at_name ? n->at_name : n->name, to, size, at);
  uint64_t length = strlen(name);
  if (*at + length + 2 > size) return;
  to[(*at)++] = '/';
  memcpy(to + *at, name, length + 1);
  *at += length;
}

void path_of(const struct store *s, uint32_t parent, const char *name, char *to, uint64_t size) {
  uint64_t at = 0;
  *to = 0;
  put_path(s, parent, name, to, size, &at);
}

/* Whether the inode has only another name by now, and which. An apply moves what it takes away into the store, where it
 * is no longer anywhere for the user. */
int stands_elsewhere(const struct store *s, const struct node *n, char *where, uint64_t size) {
  if (!n->at_name) return 0;
  for (uint32_t above = n->at_parent; above; above = s->nodes[above].at_parent)
    if (above == ELSEWHERE || s->nodes[above].flags & IS_VAULT || same_id(&s->nodes[above].is, &s->guarded)) return 0;
  path_of(s, n->at_parent, n->at_name, where, size);
  return 1;
}

void note_path(struct store *s, const char *word, uint32_t parent, const char *name) {
  char path[2048];
  path_of(s, parent, name, path, sizeof path);
  store_note(s, word, path);
}

void note_unkept(struct store *s, uint32_t parent, const char *name) {
  note_path(s, "unkept", parent, name);
  s->unkept++;
}

/* Whether the node was in the tree when the action first came near it. */
static int is_of_tree(const struct store *s, uint32_t node) {
  for (; node; node = s->nodes[node].parent)
    if (same_id(&s->nodes[node].id, &s->tree)) return 1;
  return 0;
}

static int is_known(struct store *s, uint32_t parent, const char *name, const struct id *id) {
  uint32_t n = find_node(s, id);
  /* Moving or removing one name of a file changes the time of all its names. */
  return (n && (!S_ISDIR(s->nodes[n].was.mode) || s->nodes[n].flags & (META | TOUCHED))) ||
      (parent && find_entry(s, parent, name));
}

struct search {
  struct store *store;
  uint64_t seen;
  struct id top;
};

/* Takes over the descriptor. */
static void search_directory(struct search *search, int fd, const struct id *id, int depth, const char *path) {
  struct store *s = search->store;
  const uint32_t parent = find_node(s, id);
  char full[2048];
  struct listing names;
  struct listed name;
  if (listing_open(&names, fd)) return;
  while (listing_next(&names, &name)) {
    struct id below;
    struct state state;
    /* A kept name need not be looked up. */
    if (name.type != DT_DIR && name.type != DT_UNKNOWN && parent && find_entry(s, parent, name.name)) {
      search->seen++;
      continue;
    }
    if (look(fd, name.name, 0, &below, &state)) continue;
    if (++search->seen > MAX_SEEN || below.dev != search->top.dev || same_id(&below, &s->guarded)) continue;
    const int is_newer = moment(state.ctime, state.ctime_ns) > s->started;
    const int lasts = S_ISREG(state.mode) || S_ISLNK(state.mode) || S_ISDIR(state.mode);
    const int is_news = lasts && is_newer && !is_known(s, parent, name.name, &below);
    if (is_news || S_ISDIR(state.mode)) snprintf(full, sizeof full, "%s/%s", path, name.name);
    if (is_news) store_note(s, "unkept", full), s->unkept++;
    if (!S_ISDIR(state.mode)) continue;
    const int is_deep = depth > MAX_SEARCH_DEPTH;
    const int deeper = is_deep ? -1
        : openat(fd, name.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (deeper >= 0) search_directory(search, deeper, &below, depth + 1, full);
    else if (is_deep || is_newer) store_note(s, "unchecked", full); /* the action may have closed it */
  }
  listing_close(&names);
}

/* Reports what changed below `tree` since the action began, though no answered call explains it. */
void scan_unkept(struct store *s, const char *tree) {
  struct search search = {.store = s};
  struct state state;
  const int fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  if (look(fd, "", 0, &search.top, &state)) close(fd);
  else search_directory(&search, fd, &search.top, 0, tree);
  if (search.seen > MAX_SEEN) store_note(s, "unchecked", tree);
}

/* 1 + how many names a directory holds; 0: unknown. */
static uint32_t names_in(int directory) {
  uint32_t count = 1;
  struct listing names;
  struct listed name;
  if (listing_open(&names, openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))) return 0;
  while (listing_next(&names, &name)) count++;
  const int failed = names.filled < 0;
  listing_close(&names);
  return failed ? 0 : count;
}

void count_names(struct store *s, uint32_t node, int directory) {
  struct node *n = &s->nodes[node];
  struct id id;
  struct state now;
  if (!s->listens || !s->tree.ino || !is_of_tree(s, node) || look(directory, "", 0, &id, &now)) return;
  n->names = names_in(directory);
  /* If a kept call set its time, that call explains the change. */
  if (id.born > s->started || n->flags & META || (now.mtime >= 0 && moment(now.mtime, now.mtime_ns) <= s->started))
    return;
  if (now.mtime >= 0 && moment(now.ctime, now.ctime_ns) > s->started) note_unkept(s, n->parent, n->name);
}

/* A removed name leaves no time of its own behind if other names of its directory changed too, so names are counted. */
static void tell_missing(struct store *s) {
  uint32_t *gone = arena(sizeof *gone * (s->node_count + 1ull)), *come = arena(sizeof *come * (s->node_count + 1ull));
  if (!gone || !come) return;
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    const struct entry *e = &s->entries[i];
    int is_there = s->nodes[e->parent].at_name && e->now.ino;
    gone[e->parent] += e->node && !is_there;
    come[e->parent] += !e->node && is_there;
  }
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (!n->names || n->flags & CLOSED) continue;
    int fd = n->at_name ? open_node(s, i) : -1;
    uint32_t now = !n->at_name ? 1 : fd < 0 ? 0 : names_in(fd);
    if (now && now < n->names - gone[i] + come[i])
      note_unkept(s, n->at_name ? n->at_parent : n->parent, n->at_name ? n->at_name : n->name);
  }
}

/* The file existed before, and nothing is kept of its content. */
static int is_unkept(const struct store *s, const struct node *n) {
  return S_ISREG(n->was.mode) && !(n->flags & (COPIED | LEFT_OUT)) && n->id.born <= s->started;
}

/* The file was written to, though no call that opened it for writing was answered. */
static int was_written(const struct node *n) {
  if (n->now.size != n->was.size) return 1;
  return !(n->flags & TIMED) && (n->now.mtime != n->was.mtime || n->now.mtime_ns != n->was.mtime_ns);
}

static int stands_in_tree(const struct store *s, uint32_t node) {
  for (; node; node = s->nodes[node].at_parent)
    if (same_id(&s->nodes[node].is, &s->tree)) return 1;
  return 0;
}

/* Searches directories that were moved out of the tree as a whole. */
static void search_moved(struct store *s) {
  char path[2048];
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (!S_ISDIR(n->was.mode) || !n->at_name || n->at_parent == n->parent || !is_of_tree(s, n->parent) ||
        stands_in_tree(s, i))
      continue;
    struct search search = {.store = s, .top = n->is};
    const int fd = open_node(s, i), list = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    path_of(s, n->at_parent, n->at_name, path, sizeof path);
    if (list < 0) store_note(s, "unchecked", path);
    else search_directory(&search, list, &n->is, 0, path);
  }
}

/* Reports names that are missing though no call removed them, and changed content of which nothing is kept. */
static void tell_escaped(struct store *s) {
  if (!s->listens || !s->tree.ino) return;
  tell_missing(s);
  search_moved(s);
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (n->at_name && is_unkept(s, n) && was_written(n) && (is_of_tree(s, n->at_parent) || is_of_tree(s, n->parent)))
      note_unkept(s, n->at_parent, n->at_name);
  }
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    const struct entry *e = &s->entries[i];
    const struct node *n = &s->nodes[e->node];
    /* The action only moved the file, but the file no longer exists. */
    if (e->node && !n->at_name && !n->link && is_unkept(s, n) && !(s->nodes[e->parent].flags & CLOSED) &&
        is_of_tree(s, e->parent))
      note_unkept(s, e->parent, e->name);
  }
}

static int is_sought(const struct store *s, uint32_t node) {
  const struct node *n = &s->nodes[node];
  return node && S_ISREG(n->was.mode) && n->flags & (COPIED | META) && n->was.links > 1 && n->name &&
      n->id.born <= s->started;
}

static void note_name(struct store *s, int directory, const char *name) {
  struct id id;
  if (look(directory, name, 0, &id, NULL)) return;
  const uint32_t n = find_node(s, &id);
  if (!is_sought(s, n)) return;
  const int outside = s->outside_count ? outside_of(s, directory) : -1;
  const uint32_t parent = s->outside_count && outside < 0 ? 0 : keep_directory(s, outside >= 0 ? outside : directory);
  if (outside >= 0) close(outside);
  if (!parent || (s->nodes[n].parent == parent && !strcmp(s->nodes[n].name, name))) return;
  store_write(s, R_ALSO, 0, &id, &s->nodes[parent].id, NULL, name, (uint32_t)strlen(name));
}

/* Takes over the descriptor. Compares inode numbers from the directory itself, without a look at each file. */
static void seek_names(struct store *s, int fd, const uint64_t *sought, uint32_t mask, uint32_t *seen, int depth) {
  struct listing names;
  struct listed name;
  if (listing_open(&names, fd)) return;
  while (++*seen < MAX_SEEN && listing_next(&names, &name)) {
    if (name.type == DT_DIR) {
      if (depth < MAX_SEARCH_DEPTH)
        seek_names(s, openat(fd, name.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), sought,
            mask, seen, depth + 1);
      continue;
    }
    uint32_t slot = (uint32_t)name.ino & mask;
    while (sought[slot] && sought[slot] != name.ino) slot = (slot + 1) & mask;
    if (sought[slot]) note_name(s, fd, name.name);
  }
  listing_close(&names);
}

void note_other_names(struct store *s, const char *tree) {
  uint32_t many = 0, size = 64, seen = 0;
  for (uint32_t i = 1; i <= s->node_count; i++) many += is_sought(s, i) != 0;
  while (size < 2 * many) size *= 2;
  uint64_t *sought = many ? arena(sizeof *sought * size) : NULL;
  if (!sought) return;
  for (uint32_t i = 1; i <= s->node_count; i++) {
    uint32_t slot = (uint32_t)s->nodes[i].id.ino & (size - 1);
    if (!is_sought(s, i)) continue;
    while (sought[slot] && sought[slot] != s->nodes[i].id.ino) slot = (slot + 1) & (size - 1);
    sought[slot] = s->nodes[i].id.ino;
  }
  seek_names(s, open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC), sought, size - 1, &seen, 0);
}

/* Drops links for names that still exist, and for inodes that have another name. */
static int drop_needless_links(struct store *s) {
  char number[12];
  int dropped = 0;
  for (uint32_t i = 1; i <= s->node_count; i++)
    if (s->nodes[i].link && s->nodes[i].at_name)
      dropped |= syscall(SYS_unlinkat, s->links, decimal(s->nodes[i].link, number), 0) == 0;
  return dropped;
}

/* Writes down how everything is when the last process has ended. An undo finds what someone else changed after that. */
static int write_end(struct store *s) {
  uint32_t created = 0, deleted = 0, changed = 0, moved = 0, touched = 0;
  char line[200];
  locate(s);
  if (!s->plans && drop_needless_links(s)) locate(s); /* that changed times */
  tell_escaped(s);
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    struct entry *e = &s->entries[i];
    const struct id nothing = {0, 0, 0}, *now = s->nodes[e->parent].at_name ? &e->now : &nothing;
    const struct node *n = &s->nodes[e->node];
    if (s->nodes[e->parent].flags & CLOSED) continue; /* nobody else can read it either until it is opened */
    e->end = e->flags & LATE ? nothing : *now;
    e->end_state = e->now_state;
    e->flags |= FINAL;
    if (store_write(s, R_END_NAME, 0, &s->nodes[e->parent].id, &e->end, &e->end_state, e->name,
        (uint32_t)strlen(e->name)))
      return -1;
    touched += !same_id(now, &n->id) && (now->ino || e->node);
    uint32_t known = now->ino ? node_of(s, now) : 0;
    if (!e->node) created += now->ino && (!known || s->nodes[known].id.born > s->started);
    else if (!now->ino) {
      if (n->at_name && !(s->nodes[n->at_parent].flags & IS_VAULT)) moved++;
      else deleted++;
    } else changed += !same_id(now, &n->id) && !S_ISDIR(n->was.mode);
  }
  for (uint32_t i = 1; i <= s->node_count; i++) {
    struct node *n = &s->nodes[i];
    struct id id;
    struct state state;
    char number[12];
    if (!(n->flags & (COPIED | META | TOUCHED | LINKED)) && !n->link) continue;
    const char *name = n->at_name;
    if (name) state = n->now;
    else if (!n->link || look(s->links, name = decimal(n->link, number), 0, &id, &state) || !same_id(&id, &n->id))
      continue;
    const int is_dir = S_ISDIR(state.mode);
    n->end = n->flags & LATE ? (struct state){0} : state;
    if (is_dir) {
      n->end.mtime = state.mtime;
      n->end.mtime_ns = n->flags & LATE_TIME ? UINT32_MAX : state.mtime_ns;
    }
    n->flags |= FINAL;
    if (store_write(s, R_END_NODE, 0, &n->id, NULL, &n->end, NULL, 0)) return -1;
    if (n->attributes && (!is_dir || n->flags & META)) {
      const int fd = n->at_name ? open_node(s, is_dir ? i : n->at_parent) : s->links;
      if (end_attributes(s, n, fd, is_dir ? "" : name)) return -1;
    }
    touched += n->at_name && n->flags & (COPIED | META) && !same_time(&state, &n->was);
    if (n->at_name && n->flags & (COPIED | META) && !S_ISDIR(state.mode) && !same_time(&state, &n->was) &&
        (state.size != n->was.size || state.mtime != n->was.mtime || state.mtime_ns != n->was.mtime_ns ||
         state.mode != n->was.mode))
      changed++;
  }
  if (s->plans) return 0;
  int fd = openat(s->vault, "summary", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  int n = snprintf(line, sizeof line,
      "created %llu deleted %llu changed %llu moved %llu bytes %llu refused %llu unkept %llu touched %llu\n",
                   (unsigned long long)created, (unsigned long long)(deleted + s->inside), (unsigned long long)changed,
                   (unsigned long long)moved, (unsigned long long)s->used, (unsigned long long)s->refused,
                   (unsigned long long)s->unkept, (unsigned long long)touched);
  int failed = write(fd, line, (size_t)n) != n;
  close(fd);
  return failed ? -1 : store_write(s, R_END, 0, NULL, NULL, NULL, NULL, 0);
}

int store_finish(struct store *s) {
  s->gathers = 1;
  int failed = write_end(s) || store_flush(s);
  s->gathers = 0;
  return failed ? -1 : 0;
}

/* Each record is written before its call goes on. A change later than any call takes may be someone else's. */
int is_late_time(const struct store *s, int64_t seconds, uint32_t ns) {
  return moment(seconds, ns) > s->last + CALL_NANOSECONDS;
}

int is_late(const struct store *s, const struct state *state) {
  return !S_ISDIR(state->mode) && is_late_time(s, state->ctime, state->ctime_ns);
}

/* Whether the file was written to after the apply began. A time of writing that is later than the time of change was
 * set by the command that was tried. */
static int is_written_since(const struct store *s, const struct state *state) {
  const uint64_t written = moment(state->mtime, state->mtime_ns);
  return s->applies && S_ISREG(state->mode) && written >= s->applies &&
      written <= moment(state->ctime, state->ctime_ns);
}

int store_finish_apply(struct store *s) {
  locate(s);
  for (uint32_t i = 1; i <= s->entry_count; i++)
    if (s->entries[i].now.ino && is_written_since(s, &s->entries[i].now_state)) s->entries[i].flags |= LATE;
  for (uint32_t i = 1; i <= s->node_count; i++)
    if (s->nodes[i].at_name && is_written_since(s, &s->nodes[i].now)) s->nodes[i].flags |= LATE;
  return store_finish(s);
}

int store_finish_cut(struct store *s) {
  struct id id;
  struct state state;
  char number[12];
  const struct id last = {0, 0, s->last};
  count_parts(s);
  locate(s);
  /* Writes below change the journal's time. If they are cut off too, the next attempt still needs the old one. */
  if (store_write(s, R_LAST, 0, &last, NULL, NULL, NULL, 0)) return -1;
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    struct entry *e = &s->entries[i];
    if (e->now.ino && is_late(s, &e->now_state)) e->flags |= LATE;
  }
  for (uint32_t i = 1; i <= s->node_count; i++) {
    struct node *n = &s->nodes[i];
    if (n->at_name ? is_late(s, &n->now) : n->link && !look(s->links, decimal(n->link, number), 0, &id, &state) &&
        is_late(s, &state))
      n->flags |= LATE;
  }
  return store_finish_apply(s);
}
