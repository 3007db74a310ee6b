package import CarillonModel
package import CarillonOperatorModel

/// How much of a Wave may be read at once, and when more.
///
/// It remembers nothing: the Wave's cursor and its next time, which the store keeps, say all, so that several nodes keep
/// the rate together. Who comes late does not catch up.
package struct PaceRule: Hashable, Sendable {
    /// How much may be read.
    package struct Step: Hashable, Sendable {
        /// How many Devices at most.
        package var limit: Int
        /// Up to which number.
        package var through: DeviceNumber

        package init(limit: Int, through: DeviceNumber) {
            self.limit = limit
            self.through = through
        }
    }

    private let pace: Pace?

    package init(_ pace: Pace?) { self.pace = pace }

    /// How much may be read now: about a second's worth.
    ///
    /// - Parameters:
    ///   - wave: How far it has come.
    ///   - limit: The most Devices in any case.
    /// - Returns: The step.
    package func step(of wave: OpenWave, limit: Int) -> Step {
        switch pace {
        case .perMinute(let number):
            return Step(limit: min(limit, max(1, number / 60)), through: wave.lastDevice)
        case .over(let seconds):
            let stride = max(1, wave.lastDevice.rawValue / Int64(seconds))
            let through = min(wave.lastDevice.rawValue, wave.cursor.rawValue + stride)
            return Step(limit: limit, through: DeviceNumber(rawValue: through))
        case .groups, nil:
            return Step(limit: limit, through: wave.lastDevice)
        }
    }

    /// When more may be read.
    ///
    /// - Parameters:
    ///   - count: How many Devices were read.
    ///   - through: Up to which number.
    ///   - wave: How far it had come before.
    ///   - now: The wall clock.
    /// - Returns: 0 for at once, whatever becomes of the wall clock.
    package func next(
        count: Int,
        through: DeviceNumber,
        of wave: OpenWave,
        at now: Timestamp
    ) -> Timestamp {
        let start = max(now, wave.readAt ?? now)
        switch pace {
        case .perMinute(let number):
            return start.advanced(by: .nanoseconds(Int64(count) * 60_000_000_000 / Int64(number)))
        case .over(let seconds):
            let share = Double(through.rawValue - wave.cursor.rawValue) / Double(max(1, wave.lastDevice.rawValue))
            return start.advanced(by: .seconds(Double(seconds) * share))
        case .groups, nil:
            return Timestamp(rawValue: 0)
        }
    }
}
