package import CarillonModel
package import CarillonOperatorModel

/// How long sending takes, and how many opens it brings at once.
package struct PaceForecast: Hashable, Sendable {
    /// The part of the Devices that open a notification soon, in percent, and how soon that is, in seconds.
    package static let opening = (percent: 5, within: 10)

    /// From the first notification of an Occurrence until its last one, in seconds; 0 without a pace.
    package let seconds: Int
    /// From the beginning of the first group until that of the last one, in seconds; 0 without groups.
    package let groups: Int
    /// The opens in a second when ``opening`` holds, rounded up.
    package let opensPerSecond: Int

    /// Computes it.
    ///
    /// - Parameters:
    ///   - pace: The pace; `nil` for as fast as possible.
    ///   - devices: The number of Devices.
    package init(_ pace: Pace?, devices: Int) {
        let devices = max(0, devices)
        let soon: Int
        switch pace {
        case .perMinute(let number):
            // The last minute is begun only when there are Devices for it.
            (seconds, groups) = (60 * ((devices + number - 1) / max(1, number)), 0)
            soon = min(devices, number * Self.opening.within / 60 + 1)
        case .over(let period):
            (seconds, groups) = (period, 0)
            soon = min(devices, devices * Self.opening.within / max(1, period) + 1)
        case .groups(let count, let every):
            (seconds, groups) = (0, (count - 1) * every)
            soon = (devices + count - 1) / max(1, count)
        case nil:
            (seconds, groups) = (0, 0)
            soon = devices
        }
        let whole = 100 * Self.opening.within
        opensPerSecond = (soon * Self.opening.percent + whole - 1) / whole
    }

    /// Whether notifications expire before the last one is sent.
    ///
    /// Each group has a validity of its own.
    package func exceeds(validFor: Int?) -> Bool { validFor.map { $0 < seconds } ?? false }

    /// When the last notification is sent.
    package func end(from first: Timestamp) -> Timestamp { first.advanced(by: .seconds(seconds + groups)) }
}
