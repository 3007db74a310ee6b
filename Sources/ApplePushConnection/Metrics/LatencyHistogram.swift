/// APNs' latency in buckets: from writing a request to reading its answer.
public struct LatencyHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets in seconds, inclusive; one more bucket counts longer times.
    public static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// Number of answers in each bucket, one more than there are ``bounds``.
    public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    private var ticks: UInt64 = 0

    /// Creates an empty histogram.
    public init() {}

    /// Number of answers.
    public var total: Int { counts.reduce(0, +) }

    /// The sum of all latencies, in seconds.
    public var seconds: Double { Double(ticks) * 1.024e-6 }

    /// Adds another histogram's counts.
    public static func += (sum: inout LatencyHistogram, other: LatencyHistogram) {
        for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
        sum.ticks += other.ticks
    }

    /// Counts an answer that took so many units of 1,024 nanoseconds.
    @inline(__always)
    mutating func count(_ units: UInt32) {
        counts[Self.index(of: units)] += 1
        ticks += UInt64(units)
    }

    /// The bucket of a duration: comparisons with constants, because it runs for each answer.
    @inline(__always)
    private static func index(of units: UInt32) -> Int {
        switch units {
        case ...976: 0
        case ...2_441: 1
        case ...4_882: 2
        case ...9_765: 3
        case ...24_414: 4
        case ...48_828: 5
        case ...97_656: 6
        case ...244_140: 7
        case ...488_281: 8
        case ...976_562: 9
        case ...2_441_406: 10
        case ...4_882_812: 11
        case ...9_765_625: 12
        default: 13
        }
    }
}
