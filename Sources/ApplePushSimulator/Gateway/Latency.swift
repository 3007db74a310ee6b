import Foundation

/// How late answers are, as a distribution: a new span is drawn for each request, so that answers overtake others.
package enum Latency: Hashable, Sendable {
    /// Always the same.
    case constant(Duration)
    /// Anything from one span through another, all alike.
    case uniform(Duration, Duration)
    /// Gauss's signal; what would be below zero is zero.
    case normal(mean: Duration, deviation: Duration)
    /// A log-normal distribution: most answers come soon, and a few very late. Half come within the median, and 99 of
    /// 100 within the other span.
    case longTailed(median: Duration, percentile99: Duration)

    /// Longer spans are cut to this one, ten minutes, whatever the random number says.
    package static let longest = Duration.seconds(600)

    package static func milliseconds(_ count: some BinaryInteger) -> Latency {
        .constant(.milliseconds(count))
    }
}

extension Latency {
    /// Draws one span: at least zero, at most ``longest``.
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

    /// The deviation of the logarithm that puts the 99th percentile where it belongs.
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
