/* The network of a session: a loopback that its commands in Project mode share. A child of the program holds it. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef CLONE_NEWUSER
#define CLONE_NEWUSER 0x10000000
#endif

static int put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = write(fd, text, strlen(text));
  close_quietly(fd);
  return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* The user and group keep their numbers. No other owner exists inside. */
int map_ids(uid_t uid, gid_t gid) {
  char line[48];
  if (put("/proc/self/setgroups", "deny") && errno != ENOENT) return -1;
  snprintf(line, sizeof line, "%d %d 1", (int)uid, (int)uid);
  if (put("/proc/self/uid_map", line)) return -1;
  snprintf(line, sizeof line, "%d %d 1", (int)gid, (int)gid);
  return put("/proc/self/gid_map", line);
}

/* Such a network is only a loopback, which is brought up while that is still allowed. */
int loopback_up(void) {
  struct {
    char name[16];
    short flags;
    char rest[22];
  } request = {.name = "lo"};
  int fd = (int)syscall(SYS_socket, 2 /* AF_INET */, 2 /* SOCK_DGRAM */ | 02000000 /* SOCK_CLOEXEC */, 0);
  if (fd < 0) return -1;
  int failed = syscall(SYS_ioctl, fd, 0x8913 /* SIOCGIFFLAGS */, &request) != 0;
  request.flags |= 1; /* IFF_UP */
  failed = failed || syscall(SYS_ioctl, fd, 0x8914 /* SIOCSIFFLAGS */, &request) != 0;
  close(fd);
  return failed ? -1 : 0;
}

/* Node takes a socket from a child in this form. Standard input is the channel to it. */
static int hand_over(int socket, const char *type, int id) {
  char text[80];
  struct iovec line = {text,
      (size_t)snprintf(text, sizeof text, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.%s\",\"msg\":%d}\n", type, id)};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {.bytes = {0}};
  struct msghdr message = {.msg_iov = &line, .msg_iovlen = 1, .msg_control = &control,
      .msg_controllen = sizeof control.bytes};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(head), &socket, sizeof socket);
  return syscall(SYS_sendmsg, 0, &message, 0) == (long)line.iov_len ? 0 : -1;
}

/* What the program answers on in this network. */
static int proxy_socket(void) {
  struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || syscall(SYS_bind, fd, &loopback, sizeof loopback) || syscall(SYS_listen, fd, 128)) return -1;
  return fd;
}

/* A connection to a port of this loopback. */
static int connect_inside(uint64_t port, int six) {
  const struct timeval longest = {.tv_sec = 1};
  const struct sockaddr_in v4 = {.sin_family = AF_INET,
      .sin_port = htons((uint16_t)port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
      .sin6_port = htons((uint16_t)port),
      .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  int fd = (int)syscall(SYS_socket, six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  /* A server that accepts nothing must not hold up the other connections. */
  if (!syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest) &&
      !syscall(SYS_connect, fd, six ? (const void *)&v6 : &v4, six ? sizeof v6 : sizeof v4) &&
      !fcntl(fd, F_SETFL, O_NONBLOCK))
    return fd;
  close(fd);
  return -1;
}

/* `[ID,PORT,FAMILY]`: the program wants a connection. Its other lines acknowledge sockets. */
static int take_line(const char *line) {
  if (*line != '[') return 0;
  const char *port = strchr(line, ','), *family = port ? strchr(port + 1, ',') : NULL;
  if (!family) return 0;
  const int id = (int)to_number(line + 1), fd = connect_inside(to_number(port + 1), family[1] == '6');
  if (fd < 0) return dprintf(0, "-%d\n", id) > 0 ? 0 : -1;
  int failed = hand_over(fd, "Socket", id);
  close(fd);
  return failed;
}

/* Answers the program until its input ends. */
static int serve_connections(void) {
  char line[64], byte;
  uint64_t used = 0;
  for (ssize_t got; (got = read(0, &byte, 1)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got < 0) continue;
    if (byte != '\n') {
      /* No line of ours is longer. */
      if (used < sizeof line - 1) line[used++] = byte;
      continue;
    }
    line[used] = 0;
    used = 0;
    if (take_line(line)) return EXIT_SETUP;
  }
  return 0;
}

/* Holds a network until its input ends or the program dies. Once it can be joined, the program gets its socket
   there. */
int hold_network(pid_t program) {
  const int uid = (int)geteuid(), gid = (int)syscall(SYS_getegid);
  /* Root needs no user namespace, unless it is root only in a container. */
  if ((uid || syscall(SYS_unshare, CLONE_NEWNET)) &&
      (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNET) || map_ids((uid_t)uid, (gid_t)gid)))
    return EXIT_SETUP;
  if (loopback_up() || prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != program) return EXIT_SETUP;
  int proxy = proxy_socket();
  if (proxy < 0 || hand_over(proxy, "Server", 0)) return EXIT_SETUP;
  close(proxy);
  return serve_connections();
}

static int differs(int fd, const char *own) {
  struct id id, ours;
  struct state state;
  if (look(fd, "", 0, &id, &state) || look(AT_FDCWD, own, 1, &ours, &state)) return -1;
  return id.ino != ours.ino;
}

/* The number may have been given to another process. So the holder is taken only as a child of the program, and its
 * network only where it is not the program's own. */
int open_network(pid_t holder, pid_t program, struct network *network) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d", holder);
  int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  network->net = openat(directory, "ns/net", O_RDONLY | O_CLOEXEC);
  network->user = openat(directory, "ns/user", O_RDONLY | O_CLOEXEC);
  int other_user = differs(network->user, "/proc/self/ns/user");
  if (other_user == 0) {
    close(network->user);
    network->user = -1;
  }
  const int fits = program > 0 && parent_in(directory) == program && other_user >= 0 &&
      differs(network->net, "/proc/self/ns/net") == 1;
  close(directory);
  if (fits) return 0;
  close(network->net);
  close(network->user);
  return -1;
}

int join_network(const struct network *network) {
  if (network->user >= 0 && syscall(SYS_setns, network->user, CLONE_NEWUSER)) return -1;
  return (int)syscall(SYS_setns, network->net, CLONE_NEWNET);
}

/* The proxy's socket in this network, from the variable that names it. */
static int connect_proxy(void) {
  const char *url = getenv("http_proxy"), *port = url ? strrchr(url, ':') : NULL;
  struct sockaddr_in proxy = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (!port) return errno = EINVAL, -1;
  proxy.sin_port = htons((uint16_t)to_number(port + 1));
  int fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd < 0 || syscall(SYS_connect, fd, &proxy, sizeof proxy) ? -1 : fd;
}

static int write_all(int fd, const char *from, ssize_t size) {
  for (ssize_t put; size > 0; from += put, size -= put) {
    put = write(fd, from, (size_t)size);
    if (put < 0 && errno == EINTR) put = 0;
    if (put < 0) return -1;
  }
  return 0;
}

/* Reads the head of the proxy's answer byte by byte, since what follows it belongs to the other side. */
static int is_refused(int proxy) {
  char head[1024];
  uint64_t used = 0, line_end = 0;
  while (used < sizeof head - 1 && read(proxy, head + used, 1) == 1) {
    if (head[used++] != '\n') continue;
    if (used - line_end <= 2) break;
    line_end = used;
  }
  head[used] = 0;
  if (!strncmp(head, "HTTP/1.1 200 ", 13)) return 0;
  for (ssize_t got; (got = read(proxy, head, sizeof head)) > 0;) write_all(2, head, got);
  return 1;
}

/* A tunnel through the proxy of this network, on the standard streams: ssh's ProxyCommand. */
int connect_through(const char *host, const char *port) {
  static char buffer[1 << 16];
  int proxy = connect_proxy();
  if (proxy < 0) return dprintf(2, "aish-tui: no network: %s\n", strerror(errno)), 1;
  const char *open = strchr(host, ':') ? "[" : "", *close = *open ? "]" : "";
  dprintf(proxy, "CONNECT %s%s%s:%s HTTP/1.1\r\nHost: %s%s%s:%s\r\n\r\n", open, host, close, port, open, host, close,
      port);
  if (is_refused(proxy)) return 1;
  struct pollfd ends[] = {{0, POLLIN, 0}, {proxy, POLLIN, 0}};
  for (;;) {
    if (poll(ends, 2, -1) < 0 && errno != EINTR) return 1;
    for (int i = 0; i < 2; i++) {
      if (!ends[i].revents) continue;
      const ssize_t got = read(ends[i].fd, buffer, sizeof buffer);
      if (got > 0 && write_all(i ? 1 : proxy, buffer, got)) return 1;
      if (got > 0) continue;
      if (i) return got < 0;
      ends[0].fd = -1;
      syscall(SYS_shutdown, proxy, 1 /* SHUT_WR */);
    }
  }
}
