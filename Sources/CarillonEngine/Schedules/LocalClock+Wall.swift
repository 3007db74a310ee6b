package import CarillonModel
package import CarillonOperatorModel

extension LocalClock {
    /// The local time that the clock shows at an instant.
    package func wall(at instant: Timestamp) -> WallTime {
        let second = instant.rawValue.flooredDivision(by: 1_000)
        return WallTime(minutes: Int((second + offset(second)).flooredDivision(by: 60)))
    }

    /// What a change of the clock does to a local time; `nil` when it occurs exactly once.
    package func change(at wall: WallTime) -> ClockChange? {
        let instant = instant(of: wall)
        let shown = self.wall(at: instant)
        guard shown == wall else { return ClockChange(kind: .gap, wall: wall, goesAt: shown) }
        // A clock that is set back shows the same hours again; no zone is set back by more than a day.
        let second = instant.rawValue / 1_000
        for hours in [Int64(3), 25] where offset(second + hours * 3_600) < offset(second) {
            let again = Timestamp(
                rawValue: 1_000 * (second + offset(second) - offset(second + hours * 3_600))
            )
            if self.wall(at: again) == wall { return ClockChange(kind: .fold, wall: wall, goesAt: wall) }
        }
        return nil
    }
}

/// A local time that a change of the clock skips or repeats.
package struct ClockChange: Hashable, Sendable {
    /// What the change does.
    package enum Kind: String, Hashable, Sendable {
        /// The time does not exist: it goes at the first one that does.
        case gap
        /// The time exists twice: it goes at the first.
        case fold
    }

    package var kind: Kind
    /// The local time that was asked for.
    package var wall: WallTime
    /// The local time at which it goes.
    package var goesAt: WallTime
}
