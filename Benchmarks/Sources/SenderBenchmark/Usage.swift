#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What this process has used so far.
enum Usage {
    static var cpuSeconds: Double {
        let usage = resources()
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// The largest resident size there was.
    static var peakMiB: Double {
        #if canImport(Darwin)
        Double(resources().ru_maxrss) / 1_048_576
        #else
        Double(resources().ru_maxrss) / 1024
        #endif
    }

    private static func resources() -> rusage {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        #else
        // Glibc names the constant in an enumeration of its own; its value is 0 everywhere.
        getrusage(.init(0), &usage)
        #endif
        return usage
    }
}
