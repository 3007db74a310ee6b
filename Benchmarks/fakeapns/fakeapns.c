// fakeapns: the least that looks like APNs to a client, for measuring clients against each other.
//
//     fakeapns CERTIFICATE KEY STREAMS
//
// TLS 1.3 and HTTP/2 (libnghttp2, OpenSSL, epoll) on one thread, on a free port of the loopback, which it prints. It
// accepts each request that has a device token, a bearer token, a topic, an apns-id and a body, answers 200 with the
// apns-id, and counts. Anything else is answered 400. It prints a line of JSON when a connection ends, and ends itself
// with SIGTERM. It knows no limits and no faults: the simulator of Carillon does.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ID_LENGTH = 36, OUTPUT_SIZE = 65536, FRAME_ROOM = 16393 };

// What a request has shown so far; all of it makes it acceptable.
enum { HAS_PATH = 1, HAS_BEARER = 2, HAS_TOPIC = 4, HAS_ID = 8, HAS_BODY = 16, HAS_ALL = 31 };

struct request {
    char id[ID_LENGTH];
    unsigned has;
};

struct connection {
    int socket;
    SSL *tls;
    nghttp2_session *http2;
    int wants_to_write;
    unsigned long accepted, rejected, body_bytes;
    int32_t unreturned; // of the window
    size_t output_length, output_sent;
    uint8_t output[OUTPUT_SIZE];
};

static int epoll;
static uint32_t stream_limit;
static volatile sig_atomic_t is_stopped;

static int is(const uint8_t *name, size_t length, const char *expected) {
    return length == strlen(expected) && memcmp(name, expected, length) == 0;
}

// MARK: HTTP/2

static int request_begins(nghttp2_session *http2, const nghttp2_frame *frame, void *context) {
    (void)context;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    struct request *request = calloc(1, sizeof *request);
    if (!request) return NGHTTP2_ERR_CALLBACK_FAILURE;
    return nghttp2_session_set_stream_user_data(http2, frame->hd.stream_id, request);
}

static int header_came(nghttp2_session *http2, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                       const uint8_t *value, size_t value_length, uint8_t flags, void *context) {
    (void)flags, (void)context;
    struct request *request = nghttp2_session_get_stream_user_data(http2, frame->hd.stream_id);
    if (!request) return 0;
    if (is(name, name_length, ":path")) {
        if (value_length == 10 + 64 && memcmp(value, "/3/device/", 10) == 0) request->has |= HAS_PATH;
    } else if (is(name, name_length, "apns-id")) {
        if (value_length == ID_LENGTH) {
            memcpy(request->id, value, ID_LENGTH);
            request->has |= HAS_ID;
        }
    } else if (is(name, name_length, "authorization")) {
        if (value_length > 100 && memcmp(value, "bearer ", 7) == 0) request->has |= HAS_BEARER;
    } else if (is(name, name_length, "apns-topic")) {
        if (value_length > 0) request->has |= HAS_TOPIC;
    }
    return 0;
}

static int body_came(nghttp2_session *http2, uint8_t flags, int32_t stream, const uint8_t *data, size_t length,
                     void *context) {
    (void)flags, (void)data;
    struct request *request = nghttp2_session_get_stream_user_data(http2, stream);
    if (request && length > 0) request->has |= HAS_BODY;
    ((struct connection *)context)->body_bytes += length;
    ((struct connection *)context)->unreturned += (int32_t)length;
    return 0;
}

static int frame_came(nghttp2_session *http2, const nghttp2_frame *frame, void *context) {
    struct connection *connection = context;
    if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    struct request *request = nghttp2_session_get_stream_user_data(http2, frame->hd.stream_id);
    if (!request) return 0;
    int is_accepted = request->has == HAS_ALL;
    if (is_accepted) connection->accepted++; else connection->rejected++;
    const uint8_t constant = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
    nghttp2_nv headers[] = {
        {(uint8_t *)":status", (uint8_t *)(is_accepted ? "200" : "400"), 7, 3, constant},
        {(uint8_t *)"apns-id", (uint8_t *)request->id, 7, request->has & HAS_ID ? ID_LENGTH : 0,
         NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX},
    };
    return nghttp2_submit_response(http2, frame->hd.stream_id, headers, 2, NULL);
}

static int stream_closed(nghttp2_session *http2, int32_t stream, uint32_t code, void *context) {
    (void)code, (void)context;
    free(nghttp2_session_get_stream_user_data(http2, stream));
    return 0;
}

static nghttp2_session_callbacks *make_callbacks(void) {
    nghttp2_session_callbacks *callbacks;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) exit(1);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, request_begins);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header_came);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, body_came);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_came);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
    return callbacks;
}

// MARK: Bytes

static void watch(struct connection *connection, int operation, int wants_to_write) {
    struct epoll_event event = {.events = EPOLLIN | (wants_to_write ? EPOLLOUT : 0), .data.ptr = connection};
    epoll_ctl(epoll, operation, connection->socket, &event);
    connection->wants_to_write = wants_to_write;
}

static int would_block(struct connection *connection, int result) {
    int error = SSL_get_error(connection->tls, result);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

// Writes until there is nothing left or the socket is full; 0 when the connection is over.
static int write_out(struct connection *connection) {
    for (;;) {
        while (connection->output_sent < connection->output_length) {
            int written = SSL_write(connection->tls, connection->output + connection->output_sent,
                                    (int)(connection->output_length - connection->output_sent));
            if (written <= 0) {
                if (!would_block(connection, written)) return 0;
                if (!connection->wants_to_write) watch(connection, EPOLL_CTL_MOD, 1);
                return 1;
            }
            connection->output_sent += (size_t)written;
        }
        connection->output_length = connection->output_sent = 0;
        // One frame at a time is copied out, so that one TLS record carries many.
        while (connection->output_length < OUTPUT_SIZE - FRAME_ROOM) {
            const uint8_t *frame;
            ssize_t length = nghttp2_session_mem_send(connection->http2, &frame);
            if (length < 0) return 0;
            if (length == 0) break;
            memcpy(connection->output + connection->output_length, frame, (size_t)length);
            connection->output_length += (size_t)length;
        }
        if (connection->output_length == 0) break;
    }
    if (connection->wants_to_write) watch(connection, EPOLL_CTL_MOD, 0);
    return nghttp2_session_want_read(connection->http2) || nghttp2_session_want_write(connection->http2);
}

// Gives back as much of the window as was read; libnghttp2 would wait until half of it is gone, and a client that has
// used it up over a long way would then have half of it for each round trip.
static int return_window(struct connection *connection) {
    int32_t length = connection->unreturned;
    connection->unreturned = 0;
    return length == 0 || nghttp2_submit_window_update(connection->http2, NGHTTP2_FLAG_NONE, 0, length) == 0;
}

// Reads until the socket is empty; 0 when the connection is over.
static int read_in(struct connection *connection) {
    static uint8_t input[65536];
    for (;;) {
        int length = SSL_read(connection->tls, input, sizeof input);
        if (length <= 0) return would_block(connection, length) && return_window(connection);
        if (nghttp2_session_mem_recv(connection->http2, input, (size_t)length) < 0) return 0;
    }
}

static int shake_hands(struct connection *connection, nghttp2_session_callbacks *callbacks) {
    int result = SSL_accept(connection->tls);
    if (result <= 0) return would_block(connection, result);
    nghttp2_option *option;
    if (nghttp2_option_new(&option) != 0) return 0;
    nghttp2_option_set_no_auto_window_update(option, 1);
    result = nghttp2_session_server_new2(&connection->http2, callbacks, connection, option);
    nghttp2_option_del(option);
    if (result != 0) return 0;
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, stream_limit},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 8000},
    };
    return nghttp2_submit_settings(connection->http2, NGHTTP2_FLAG_NONE, settings, 2) == 0;
}

static void end(struct connection *connection) {
    if (connection->http2) {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        double cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
                     (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
        printf("{\"accepted\":%lu,\"rejected\":%lu,\"bodyBytes\":%lu,\"cpuSeconds\":%.3f}\n", connection->accepted,
               connection->rejected, connection->body_bytes, cpu);
        fflush(stdout);
        nghttp2_session_del(connection->http2);
    }
    SSL_free(connection->tls);
    close(connection->socket);
    free(connection);
}

// MARK: Connections

static int choose_protocol(SSL *tls, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                           unsigned offered_length, void *context) {
    (void)tls, (void)context;
    int result = nghttp2_select_next_protocol((unsigned char **)chosen, length, offered, offered_length);
    return result == 1 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static SSL_CTX *make_tls(const char *certificate, const char *key) {
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION);
    if (SSL_CTX_use_certificate_chain_file(tls, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1) {
        ERR_print_errors_fp(stderr);
        exit(1);
    }
    SSL_CTX_set_alpn_select_cb(tls, choose_protocol, NULL);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return tls;
}

static int listen_on_loopback(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 16) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        perror("fakeapns");
        exit(1);
    }
    printf("{\"port\":%d}\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void take(int listener, SSL_CTX *tls) {
    int one = 1;
    int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (socket < 0) return;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) exit(1);
    connection->socket = socket;
    connection->tls = SSL_new(tls);
    SSL_set_fd(connection->tls, socket);
    SSL_set_accept_state(connection->tls);
    watch(connection, EPOLL_CTL_ADD, 0);
}

static void stop(int signal) {
    (void)signal;
    is_stopped = 1;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: fakeapns CERTIFICATE KEY STREAMS\n");
        return 2;
    }
    stream_limit = (uint32_t)strtoul(arguments[3], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    SSL_CTX *tls = make_tls(arguments[1], arguments[2]);
    nghttp2_session_callbacks *callbacks = make_callbacks();
    int listener = listen_on_loopback();
    epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);

    while (!is_stopped) {
        struct epoll_event ready[64];
        int ready_count = epoll_wait(epoll, ready, 64, 1000);
        for (int index = 0; index < ready_count; index++) {
            struct connection *connection = ready[index].data.ptr;
            if (!connection) {
                take(listener, tls);
                continue;
            }
            int lives = connection->http2 || shake_hands(connection, callbacks);
            if (lives && connection->http2) lives = read_in(connection) && write_out(connection);
            if (!lives) end(connection);
        }
    }
    nghttp2_session_callbacks_del(callbacks);
    SSL_CTX_free(tls);
    return 0;
}
