/// How many requests callers may send; the defaults are far above ordinary use.
package struct RequestLimits: Hashable, Sendable {
    /// Requests a second with one API key; unlimited when `nil`, as are all of these.
    package var apiKey: Double? = 2_000
    /// Requests a second with one App key, which all phones of an App share.
    package var appKey: Double? = 10_000
    /// Requests a second of one Device.
    package var device: Double? = 20
    /// Requests a second of one address with a wrong key.
    package var unknownKey: Double? = 10
    /// Concurrent exports, estimates, dry runs and Campaigns of more than 2 MiB of one App; four times as many in all.
    package var costly: Int? = 4

    /// How many times as many keys are compared for an address as it may send wrong ones, and how many at least at once.
    static let comparedKeys = 100.0
    static let leastComparedKeys = 10.0
    /// The burst, in seconds of the rate.
    package static let burstSeconds = 5.0

    package init() {}
}
