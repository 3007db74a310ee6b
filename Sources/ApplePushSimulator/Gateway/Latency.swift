import Foundation

/// How late responses are, as a distribution: each request draws a new duration, so that responses overtake others.
package enum Latency: Hashable, Sendable {
    /// Constant.
    case constant(Duration)
    /// Uniform between two durations.
    case uniform(Duration, Duration)
    /// A normal distribution; negative values become zero.
    case normal(mean: Duration, deviation: Duration)
    /// A log-normal distribution: most responses are early, and a few very late. Half come within the median, and 99 of
    /// 100 within the other duration.
    case longTailed(median: Duration, percentile99: Duration)

    /// Longer durations are cut to this one, ten minutes.
    package static let longest = Duration.seconds(600)

    package static func milliseconds(_ count: some BinaryInteger) -> Latency {
        .constant(.milliseconds(count))
    }
}

extension Latency {
    /// Draws a duration: at least zero, at most ``longest``.
    func draw(using random: inout SplitMix64) -> Duration {
        let span =
            switch self {
            case .constant(let span): span
            case .uniform(let shortest, let longest): shortest + (longest - shortest) * random.nextFraction()
            case .normal(let mean, let deviation): mean + deviation * random.nextNormal()
            case .longTailed(let median, let percentile99):
                median * exp(Self.spread(median, percentile99) * random.nextNormal())
            }
        return min(max(span, .zero), Self.longest)
    }

    /// The deviation of the logarithm for the given 99th percentile.
    private static func spread(_ median: Duration, _ percentile99: Duration) -> Double {
        guard median > .zero, percentile99 > median else { return 0 }
        return log(percentile99 / median) / Self.normalPercentile99
    }

    /// 99 of 100 draws of a normal distribution lie below the mean and this many deviations.
    private static let normalPercentile99 = 2.326_347_874_040_841
}

extension SplitMix64 {
    /// Of a normal distribution about 0 with deviation 1 (Box and Muller, 1958).
    mutating func nextNormal() -> Double {
        let radius = (-2 * log(1 - nextFraction())).squareRoot()
        return radius * cos(2 * .pi * nextFraction())
    }
}
