/* Extended attributes, access lists among them: what was there before a change, and how it comes back. */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* The kernel reads an attribute through a descriptor of ours only where the way is followed. */
static int path_to(int directory, const char *name, char to[40 + NAME_BYTES]) {
  snprintf(to, 40 + NAME_BYTES, *name ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", directory, name);
  return !*name;
}

enum { NONE_TOLD = -2 };

/* All that can be read, as name, size, value each. Returns how many bytes; -1 with errno; NONE_TOLD: nobody tells of any. */
static long read_attributes(struct store *s, int directory, const char *name, char *blob, uint64_t most) {
  static char list[1 << 16];
  char path[40 + NAME_BYTES];
  int follow = path_to(directory, name, path);
  long listed = syscall(follow ? SYS_listxattr : SYS_llistxattr, path, list, sizeof list);
  if (listed < 0) return errno == EOPNOTSUPP || errno == ENOENT ? NONE_TOLD : -1;
  uint32_t size = 0;
  for (const char *item = list; item < list + listed; item += strlen(item) + 1) {
    uint32_t length = (uint32_t)strlen(item) + 1;
    if (size + length + 4 > most) return errno = E2BIG, -1;
    memcpy(blob + size, item, length);
    char *value_at = blob + size + length + 4;
    const uint64_t room = most - size - length - 4;
    long got = s->is_mapped && is_access_list(item) ? value_outside(directory, name, item, value_at, room)
                                                    : syscall(follow ? SYS_getxattr : SYS_lgetxattr, path, item, value_at, room);
    if (got < 0 && errno == ERANGE) return errno = E2BIG, -1;
    if (got < 0) continue; /* not ours to read, so not ours to change */
    uint32_t value = (uint32_t)got;
    memcpy(blob + size + length, &value, 4);
    size += length + 4 + value;
  }
  return size;
}

int same_text(const char *a, uint32_t size, const char *b, uint32_t other) {
  uint32_t i = 0;
  while (size == other && i < size && a[i] == b[i]) i++;
  return size == other && i == size;
}

/* `even_none`: one is about to be set, so that having none is worth a record. Many calls change some besides what they are
 * called for: a mode its access list, a write or an owner the capabilities. */
int keep_attributes(struct store *s, uint32_t n, int directory, const char *name, int even_none) {
  static char blob[MAX_TEXT];
  if (s->nodes[n].attributes) return 0;
  long size = read_attributes(s, directory, name, blob, sizeof blob);
  if (size == NONE_TOLD) return 0;
  if (size < 0) return even_none || errno == E2BIG ? -1 : 0;
  if (!size && !even_none) return 0;
  if (store_write(s, R_ATTRIBUTES, 0, &s->nodes[n].id, NULL, NULL, blob, (uint32_t)size)) return -1;
  s->nodes[n].attributes = keep_text(s, blob, (uint32_t)size);
  s->nodes[n].attributes_size = (uint32_t)size;
  return s->nodes[n].attributes ? 0 : -1;
}

int end_attributes(struct store *s, struct node *n, int directory, const char *name) {
  static char blob[MAX_TEXT];
  const long size = read_attributes(s, directory, name, blob, sizeof blob);
  n->end_attributes = n->attributes;
  n->end_attributes_size = n->attributes_size;
  if (size < 0 || same_text(blob, (uint32_t)size, n->attributes, n->attributes_size)) return 0;
  n->end_attributes = keep_text(s, blob, (uint32_t)size);
  n->end_attributes_size = (uint32_t)size;
  return n->end_attributes ? store_write(s, R_END_ATTRIBUTES, 0, &n->id, NULL, NULL, blob, (uint32_t)size) : -1;
}

/* One of them, with its value. */
static int is_among(const char *item, const char *from, const char *end) {
  uint32_t size, other;
  memcpy(&size, item + strlen(item) + 1, 4);
  for (const char *at = from; at < end; at += strlen(at) + 5 + other) {
    memcpy(&other, at + strlen(at) + 1, 4);
    if (strcmp(at, item) || size != other) continue;
    uint32_t same = 0;
    while (same < size && at[strlen(at) + 5 + same] == item[strlen(item) + 5 + same]) same++;
    if (same == size) return 1;
  }
  return 0;
}

static int are_among(const char *these, uint64_t size, const char *those, uint64_t other_size) {
  uint32_t value;
  for (const char *at = these; at < these + size; at += strlen(at) + 5 + value) {
    memcpy(&value, at + strlen(at) + 1, 4);
    if (!is_among(at, those, those + other_size)) return 0;
  }
  return 1;
}

int attributes_differ(struct store *s, int directory, const char *name, const char *kept, uint32_t kept_size) {
  static char blob[MAX_TEXT];
  long size = read_attributes(s, directory, name, blob, sizeof blob);
  if (size == NONE_TOLD) return 0;
  return size < 0 || !are_among(blob, (uint64_t)size, kept, kept_size) || !are_among(kept, kept_size, blob, (uint64_t)size);
}

static int had(const struct node *n, const char *item) {
  return n && (is_among(item, n->attributes, n->attributes + n->attributes_size) || is_among(item, n->end_attributes, n->end_attributes + n->end_attributes_size));
}

int attributes_beyond(struct store *s, int directory, const char *name, const struct node *n, const struct node *other) {
  static char blob[MAX_TEXT];
  uint32_t value;
  const long now = read_attributes(s, directory, name, blob, sizeof blob);
  for (const char *at = blob; now > 0 && at < blob + now; at += strlen(at) + 5 + value) {
    memcpy(&value, at + strlen(at) + 1, 4);
    if (!had(n, at) && !had(other, at)) return 1;
  }
  return now < 0 && now != NONE_TOLD;
}

/* Exactly the extended attributes that were there. What the system keeps for itself may refuse and stays. */
int apply_attributes(int directory, const char *name, const struct node *n) {
  static char list[1 << 16];
  char path[40 + NAME_BYTES];
  int why = 0, listless = 0;
  if (!n->attributes) return 0;
  int follow = path_to(directory, name, path);
  const char *end = n->attributes + n->attributes_size;
  long listed = syscall(follow ? SYS_listxattr : SYS_llistxattr, path, list, sizeof list);
  for (const char *item = list; item < list + listed; item += strlen(item) + 1) {
    int was = 0;
    for (const char *at = n->attributes; at < end && !was;) {
      uint32_t size;
      memcpy(&size, at + strlen(at) + 1, 4);
      was = !strcmp(at, item);
      at += strlen(at) + 5 + size;
    }
    if (!was && syscall(follow ? SYS_removexattr : SYS_lremovexattr, path, item) && strncmp(item, "security.", 9)) why = errno;
  }
  for (const char *at = n->attributes; at < end;) {
    uint32_t size;
    const char *value = at + strlen(at) + 5;
    memcpy(&size, at + strlen(at) + 1, 4);
    if (syscall(follow ? SYS_setxattr : SYS_lsetxattr, path, at, value, size, 0) && strncmp(at, "security.", 9)) {
      why = errno;
      listless |= !strcmp(at, "system.posix_acl_access");
    }
    at = value + size;
  }
  return why ? errno = why, listless ? WITHOUT_LIST : -1 : 0;
}

uint32_t mode_without_list(const struct node *n) {
  enum { HEAD = 4, ENTRY = 8, OF_GROUP = 4 };
  const char *end = n->attributes + n->attributes_size;
  for (const char *at = n->attributes; at < end;) {
    uint32_t size;
    const char *value = at + strlen(at) + 5;
    memcpy(&size, at + strlen(at) + 1, 4);
    for (uint32_t i = HEAD; !strcmp(at, "system.posix_acl_access") && i + ENTRY <= size; i += ENTRY) {
      uint16_t tag, rights;
      memcpy(&tag, value + i, 2);
      memcpy(&rights, value + i + 2, 2);
      if (tag == OF_GROUP) return n->was.mode & ~(070u & ~((uint32_t)rights << 3));
    }
    at = value + size;
  }
  return n->was.mode;
}

/* What has just been made took the access list over that its directory gives to new files. */
void drop_inherited(int directory, const char *name) {
  char path[40 + NAME_BYTES];
  path_to(directory, name, path);
  syscall(SYS_lremovexattr, path, "system.posix_acl_access");
  syscall(SYS_lremovexattr, path, "system.posix_acl_default");
}
