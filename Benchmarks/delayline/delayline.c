// delayline: a long way to a server that is near.
//
//     delayline PORT MILLISECONDS
//
// Takes connections at a free port of the loopback, which it prints, and passes their bytes on to 127.0.0.1:PORT and
// back. Bytes that come back are held for so long, so that the round trip takes as long as if the server were far away;
// order and content stay, and no rate is imposed. Ends with SIGTERM.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 65536 };

struct chunk {
    struct chunk *next;
    uint64_t due;
    size_t length, sent;
    uint8_t bytes[];
};

// One end of a connection: what is read from `socket` waits in `first … last` until it is due at `peer`.
struct end {
    int socket;
    uint64_t delay;
    struct end *peer;
    struct chunk *first, *last;
    struct end *next; // of all ends that hold something back
    int is_listed, has_ended;
};

static int epoll, timer;
static uint64_t delay;
static struct end *holders;
static volatile sig_atomic_t is_stopped;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void watch(struct end *end, int operation, int wants_to_write) {
    struct epoll_event event = {.events = EPOLLIN | (wants_to_write ? EPOLLOUT : 0), .data.ptr = end};
    epoll_ctl(epoll, operation, end->socket, &event);
}

static void wake_at(uint64_t due) {
    struct itimerspec time = {.it_value = {(time_t)(due / 1000000000), (long)(due % 1000000000)}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

static struct end *make_end(int socket, uint64_t held) {
    struct end *end = calloc(1, sizeof *end);
    if (!end) exit(1);
    int one = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    end->socket = socket;
    end->delay = held;
    return end;
}

// Passes on what is due; the rest waits for the timer, or until the other socket takes more.
static void pass_on(struct end *end) {
    while (end->first && end->first->due <= now()) {
        struct chunk *chunk = end->first;
        ssize_t written = send(end->peer->socket, chunk->bytes + chunk->sent, chunk->length - chunk->sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
        if (written < 0) {
            watch(end->peer, EPOLL_CTL_MOD, 1);
            return;
        }
        chunk->sent += (size_t)written;
        if (chunk->sent < chunk->length) continue;
        end->first = chunk->next;
        if (!end->first) end->last = NULL;
        free(chunk);
    }
    if (!end->first && end->has_ended) shutdown(end->peer->socket, SHUT_WR);
}

static void read_in(struct end *end) {
    struct chunk *chunk = malloc(sizeof *chunk + READ_SIZE);
    if (!chunk) exit(1);
    ssize_t length = recv(end->socket, chunk->bytes, READ_SIZE, MSG_DONTWAIT);
    if (length <= 0) {
        free(chunk);
        if (length == 0) {
            end->has_ended = 1;
            epoll_ctl(epoll, EPOLL_CTL_DEL, end->socket, NULL);
            pass_on(end);
        }
        return;
    }
    chunk->next = NULL;
    chunk->due = now() + end->delay;
    chunk->length = (size_t)length;
    chunk->sent = 0;
    if (end->last) end->last->next = chunk; else end->first = chunk;
    end->last = chunk;
    if (end->delay && !end->is_listed) {
        end->is_listed = 1;
        end->next = holders;
        holders = end;
    }
    if (!end->delay) pass_on(end);
}

static void release(void) {
    uint64_t earliest = 0;
    for (struct end *end = holders; end; end = end->next) {
        pass_on(end);
        if (end->first && (!earliest || end->first->due < earliest)) earliest = end->first->due;
    }
    if (earliest) wake_at(earliest > now() ? earliest : now() + 100000);
}

static void take(int listener, uint16_t port) {
    int near = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (near < 0) return;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int far = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(far, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("delayline");
        exit(1);
    }
    struct end *client = make_end(near, 0), *server = make_end(far, delay);
    client->peer = server;
    server->peer = client;
    watch(client, EPOLL_CTL_ADD, 0);
    watch(server, EPOLL_CTL_ADD, 0);
}

static int listen_on_loopback(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        perror("delayline");
        exit(1);
    }
    printf("{\"port\":%d}\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void stop(int signal) {
    (void)signal;
    is_stopped = 1;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: delayline PORT MILLISECONDS\n");
        return 2;
    }
    uint16_t port = (uint16_t)atoi(arguments[1]);
    delay = strtoull(arguments[2], NULL, 10) * 1000000;
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    int listener = listen_on_loopback();
    epoll = epoll_create1(0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    static struct end door, clock;
    door.socket = listener;
    clock.socket = timer;
    watch(&door, EPOLL_CTL_ADD, 0);
    watch(&clock, EPOLL_CTL_ADD, 0);
    while (!is_stopped) {
        struct epoll_event ready[64];
        int ready_count = epoll_wait(epoll, ready, 64, 1000);
        for (int index = 0; index < ready_count; index++) {
            struct end *end = ready[index].data.ptr;
            uint64_t ticks;
            if (end == &door) {
                take(listener, port);
            } else if (end == &clock) {
                if (read(timer, &ticks, sizeof ticks) < 0) continue;
            } else {
                if (ready[index].events & EPOLLOUT) {
                    watch(end, EPOLL_CTL_MOD, 0);
                    pass_on(end->peer);
                }
                if (ready[index].events & (EPOLLIN | EPOLLHUP)) read_in(end);
            }
        }
        release();
    }
    return 0;
}
