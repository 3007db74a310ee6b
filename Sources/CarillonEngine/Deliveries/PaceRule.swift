package import CarillonModel
package import CarillonOperatorModel

/// How much of a Wave may be read at once, and when more.
///
/// It has no state: the Wave's stored cursor and next time suffice, so that several nodes share the rate. A late read
/// does not catch up.
package struct PaceRule: Hashable, Sendable {
    /// How much may be read.
    package struct Step: Hashable, Sendable {
        /// Maximum number of Devices.
        package var limit: Int
        /// The last Device number.
        package var through: DeviceNumber

        package init(limit: Int, through: DeviceNumber) {
            self.limit = limit
            self.through = through
        }
    }

    private let pace: Pace?

    package init(_ pace: Pace?) { self.pace = pace }

    /// Returns how much may be read now: about a second's worth.
    ///
    /// - Parameters:
    ///   - wave: The Wave with its progress.
    ///   - limit: The maximum number of Devices in any case.
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

    /// Returns when more may be read.
    ///
    /// - Parameters:
    ///   - count: The number of Devices read.
    ///   - through: The last Device number read.
    ///   - wave: The Wave with its progress before.
    ///   - now: The wall clock.
    /// - Returns: The time; 0 for at once, independent of the wall clock.
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
