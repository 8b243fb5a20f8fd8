/* Files of keys and passwords: no copy of them is kept, unless the user wants it. */
#include "store.h"

#include "knowledge.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the notation of src/knowledge/patterns.ts; a name, and the end of a path or a whole one. */
static const char *const names[] = {CREDENTIAL_NAMES};
static const char *const places[] = {CREDENTIAL_PLACES};
static const char *const harmless[] = {NO_CREDENTIALS};

/* A slash at the end of a pattern stands for all that is below. Only the last star is tried again: none reaches over a slash. */
static int matches(const char *pattern, const char *text) {
  const char *star = NULL, *from = NULL;
  while (*pattern || *text) {
    if (*pattern == '/' && !pattern[1] && *text == '/') return text[1] != 0;
    if (*pattern == '*') star = ++pattern, from = text;
    else if (*text && (*pattern == *text || (*pattern == '?' && *text != '/'))) pattern++, text++;
    else if (star && *from && *from != '/' && *from != ':') pattern = star, text = ++from;
    else return 0;
  }
  return 1;
}

static int is_among(const char *const *patterns, const char *text) {
  for (; *patterns; patterns++)
    if ((**patterns == '*' || **patterns == *text) && matches(*patterns, text)) return 1;
  return 0;
}

/* From each name of the path on, and the path as a whole. */
static int is_placed(const char *const *patterns, const char *path) {
  int found = is_among(patterns, path);
  for (; *path && !found; path++)
    if (*path == '/') found = is_among(patterns, path + 1);
  return found;
}

int holds_credentials(int directory, const char *name) {
  char link[40], path[4096 + NAME_BYTES];
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4095);
  if (n <= 0) return 0;
  path[n] = 0;
  if (*name) snprintf(path + n, sizeof path - (uint64_t)n, "/%s", name);
  const char *last = strrchr(path, '/');
  return last && (is_among(names, last + 1) || is_placed(places, path)) && !is_placed(harmless, path);
}
