// malloccount: counts how often a program asks for memory.
//
//     LD_PRELOAD=malloccount.so MALLOCCOUNT=FILE program …
//
// Writes the number of calls of malloc, calloc, realloc, aligned_alloc, posix_memalign and memalign into the file when
// the program ends.

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong calls;

static void count(void) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12; // ENOMEM
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("MALLOCCOUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%lu\n", atomic_load(&calls));
    fclose(file);
}
