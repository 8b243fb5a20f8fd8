/* Places of keys and passwords: no copy of them is kept, unless the user wants it. */
#include "store.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Directories all of whose files are meant, and single files. */
static const char *const directories[] = {"/.ssh", "/.gnupg", "/.aws", "/.azure", "/.password-store", "/.local/share/keyrings", "/.config/gcloud"};
static const char *const single[] = {"/.netrc", "/.pgpass", "/.my.cnf", "/.git-credentials", "/.config/git/credentials", "/.vault-token", "/.pypirc",
                                     "/.kube/config", "/.docker/config.json", "/.config/gh/hosts.yml", "/.cargo/credentials", "/.cargo/credentials.toml"};
/* Of ssh, what holds no secret. */
static const char *const open_ones[] = {"known_hosts", "known_hosts.old", "config", "authorized_keys"};

static int ends_with(const char *path, uint64_t length, const char *end) {
  uint64_t n = strlen(end);
  return length >= n && !strncmp(path + length - n, end, n);
}

int holds_credentials(int directory, const char *name) {
  char link[40], path[4096 + NAME_BYTES];
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4095);
  if (n <= 0) return 0;
  path[n] = 0;
  if (*name) snprintf(path + n, sizeof path - (uint64_t)n, "/%s", name);
  uint64_t length = strlen(path);
  const char *last = strrchr(path, '/');
  for (uint64_t i = 0; i < sizeof single / sizeof *single; i++)
    if (ends_with(path, length, single[i])) return 1;
  if (!last || ends_with(path, length, ".pub")) return 0;
  for (uint64_t i = 0; i < sizeof open_ones / sizeof *open_ones; i++)
    if (!strcmp(last + 1, open_ones[i]) && ends_with(path, (uint64_t)(last - path), "/.ssh")) return 0;
  for (uint64_t cut = (uint64_t)(last - path); cut; cut--)
    if (path[cut] == '/')
      for (uint64_t i = 0; i < sizeof directories / sizeof *directories; i++)
        if (ends_with(path, cut, directories[i])) return 1;
  return 0;
}
