/// How many requests callers may send; the defaults are far above what honest ones need.
package struct RequestLimits: Hashable, Sendable {
    /// Of one API key, in a second; `nil` does not bound them, as everywhere here.
    package var apiKey: Double? = 2_000
    /// With one App key, which all phones of an App have, in a second.
    package var appKey: Double? = 10_000
    /// Of one Device, in a second.
    package var device: Double? = 20
    /// Of one address with a wrong key, in a second.
    package var unknownKey: Double? = 10
    /// Exports, estimates and dry runs of one App that run at once; of the node four times as many.
    package var costly: Int? = 4

    /// How many seconds' worth may come at once.
    package static let burstSeconds = 5.0

    package init() {}
}
