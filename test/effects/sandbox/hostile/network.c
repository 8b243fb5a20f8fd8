/* Reaching anything by a socket, or by what stands in for one. The test listens at every end named here. */
#include "hostile.h"

#include <arpa/inet.h>
#include <linux/if_alg.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static struct sockaddr_in to(const char *port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)number(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}
static long tcp(int protocol) {
  struct sockaddr_in a = to("T_TCP");
  int fd = socket(AF_INET, SOCK_STREAM, protocol);
  return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&a, sizeof a);
}
static long tcp_connect(void) { return tcp(0); }
static long mptcp_connect(void) { return tcp(IPPROTO_MPTCP); }
static long fast_open(void) {
  struct sockaddr_in a = to("T_TCP");
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? -1 : sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&a, sizeof a);
}
static long tcp6(void) {
  int fd = socket(AF_INET6, SOCK_STREAM, 0);
  struct sockaddr_in6 a = {.sin6_family = AF_INET6};
  return fd < 0 ? -1 : bind(fd, (struct sockaddr *)&a, sizeof a);
}
static long tcp_listen(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET};
  return fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) ? -1 : listen(fd, 1);
}
static long udp_send(void) {
  struct sockaddr_in a = to("T_UDP");
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  return fd < 0 ? -1 : sendto(fd, "x", 1, 0, (struct sockaddr *)&a, sizeof a);
}
static long udp_bind(void) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET};
  return fd < 0 ? -1 : bind(fd, (struct sockaddr *)&a, sizeof a);
}
static long udp_inherited(void) {
  struct sockaddr_in a = to("T_UDP");
  return sendto(5, "x", 1, 0, (struct sockaddr *)&a, sizeof a);
}
static long udplite(void) { return socket(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE); }
static long sctp(void) { return socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP); }
static long raw_icmp(void) { return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static long ping(void) { return socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP); }
static long packet(void) { return socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)); }
static long netlink(int family) {
  struct sockaddr_nl a = {.nl_family = AF_NETLINK};
  int fd = socket(AF_NETLINK, SOCK_RAW, family);
  return fd < 0 ? -1 : bind(fd, (struct sockaddr *)&a, sizeof a);
}
static long netlink_route(void) { return netlink(NETLINK_ROUTE); }
static long netlink_uevent(void) { return netlink(NETLINK_KOBJECT_UEVENT); }
static long netlink_diag(void) { return netlink(NETLINK_SOCK_DIAG); }
static long netlink_generic(void) { return netlink(NETLINK_GENERIC); }
static long vsock(void) { return socket(AF_VSOCK, SOCK_STREAM, 0); }
static long crypto(void) { return socket(AF_ALG, SOCK_SEQPACKET, 0); }
static long key_family(void) { return socket(15 /* AF_KEY */, SOCK_RAW, 2); }
static long xdp(void) { return socket(44 /* AF_XDP */, SOCK_RAW, 0); }

static socklen_t unix_address(struct sockaddr_un *a, const char *name, int abstract) {
  memset(a, 0, sizeof *a);
  a->sun_family = AF_UNIX;
  snprintf(a->sun_path + abstract, sizeof a->sun_path - 1, "%s", name);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)abstract + strlen(name));
}
static long unix_connect(const char *name, int abstract) {
  struct sockaddr_un a;
  socklen_t n = unix_address(&a, name, abstract);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&a, n);
}
static long unix_stream(void) { return unix_connect("stream.sock", 0); }
static long unix_abstract(void) { return unix_connect(given("T_ABSTRACT"), 1); }
static long unix_bind(const char *name, int abstract) {
  struct sockaddr_un a;
  socklen_t n = unix_address(&a, name, abstract);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return fd < 0 ? -1 : bind(fd, (struct sockaddr *)&a, n);
}
static long unix_bind_outside(void) {
  long r = unix_bind("new.sock", 0);
  if (r == 0) unlink("new.sock");
  return r;
}
static long unix_bind_abstract(void) { return unix_bind("aish-hostile-bound", 1); }
/* A pair of datagram sockets is connected, and yet each may send to any named socket. */
static long pair_sends_to(int type, const char *name) {
  struct sockaddr_un a;
  int pair[2];
  socklen_t n = unix_address(&a, name, 0);
  return socketpair(AF_UNIX, type, 0, pair) ? -1 : sendto(pair[0], "x", 1, 0, (struct sockaddr *)&a, n);
}
static long pair_datagram(void) { return pair_sends_to(SOCK_DGRAM, "dgram.sock"); }
static long pair_raw(void) { return pair_sends_to(SOCK_RAW, "dgram.sock"); }
static long unix_datagram(void) {
  struct sockaddr_un a;
  socklen_t n = unix_address(&a, "dgram.sock", 0);
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  return fd < 0 ? -1 : sendto(fd, "x", 1, 0, (struct sockaddr *)&a, n);
}
static long tipc_pair(void) {
  int pair[2];
  return socketpair(30 /* AF_TIPC */, SOCK_STREAM, 0, pair);
}
static long uring(void) {
  char parameters[256] = {0};
  return syscall(SYS_io_uring_setup, 4, parameters);
}

const struct operation network[] = {
    {"TCP connect", tcp_connect},
    {"TCP Fast Open", fast_open},
    {"MPTCP connect", mptcp_connect},
    {"TCP over IPv6", tcp6},
    {"TCP listen", tcp_listen},
    {"UDP send", udp_send},
    {"UDP bind", udp_bind},
    {"UDP by an inherited socket", udp_inherited},
    {"UDP-Lite", udplite},
    {"SCTP", sctp},
    {"raw ICMP", raw_icmp},
    {"ping socket", ping},
    {"packet socket", packet},
    {"netlink: routes", netlink_route},
    {"netlink: device events", netlink_uevent},
    {"netlink: sockets", netlink_diag},
    {"netlink: generic", netlink_generic},
    {"vsock", vsock},
    {"kernel crypto socket", crypto},
    {"key management socket", key_family},
    {"XDP socket", xdp},
    {"Unix socket: connect by name", unix_stream},
    {"Unix socket: datagram by name", unix_datagram},
    {"Unix socket: connect to an abstract name", unix_abstract},
    {"Unix socket: bind outside", unix_bind_outside},
    {"Unix socket: bind an abstract name", unix_bind_abstract},
    {"datagram pair sends to a named socket", pair_datagram},
    {"raw Unix pair sends to a named socket", pair_raw},
    {"TIPC pair", tipc_pair},
    {"io_uring", uring},
    {NULL, NULL},
};
