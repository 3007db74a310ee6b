import Foundation

/// A wall clock that is off; what measures spans of time is left alone.
///
/// A library of a few lines, loaded before the C library, because libfaketime moves timers of the monotonic clock too
/// (its `timerfd_settime` takes every absolute time for one of the wall clock).
struct SkewedClock {
    private let library: URL

    /// Makes the library.
    ///
    /// - Parameter folder: Where it is kept.
    /// - Throws: ``Shell/Failure``; or ``Shell/Missing`` when there is no C compiler, though Swift's toolchain has one.
    init(in folder: URL) throws {
        library = try PreloadedLibrary.make("skewed-clock", Self.source, in: folder)
    }

    /// What starts a program with a clock that is off by some seconds.
    func launcher(offset seconds: Int) -> [String] {
        guard seconds != 0 else { return [] }
        return ["/usr/bin/env", "LD_PRELOAD=" + library.path, "SKEWED_BY=\(seconds)"]
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>

        static int (*real)(clockid_t, struct timespec *);
        static long offset;

        __attribute__((constructor)) static void prepare(void) {
            const char *text = getenv("SKEWED_BY");
            offset = text ? atol(text) : 0;
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(clock, time);
            if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset;
            return result;
        }

        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            int result = clock_gettime(CLOCK_REALTIME, &now);
            (void)zone;
            if (!result) *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
            return result;
        }

        time_t time(time_t *result) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (result) *result = now.tv_sec;
            return now.tv_sec;
        }

        int timespec_get(struct timespec *now, int base) {
            return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, now) ? base : 0;
        }
        """
}
