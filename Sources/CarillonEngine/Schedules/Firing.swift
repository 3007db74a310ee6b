package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// One time at which a Campaign is sent: it becomes an Occurrence, once, whichever node begins it.
package struct Firing: Hashable, Sendable {
    /// The scheduled local time in minutes since 1970; 0 without a schedule.
    package var slot: Int64
    /// The index of its group, from 0.
    package var part: Int64
    /// When it is due; for a Campaign in local time, when it is due in the first zone.
    package var dueAt: Timestamp

    package init(slot: Int64, part: Int64 = 0, dueAt: Timestamp) {
        self.slot = slot
        self.part = part
        self.dueAt = dueAt
    }

    /// The scheduled local time; `nil` without a schedule.
    package var wall: WallTime? { slot == 0 ? nil : WallTime(minutes: Int(slot)) }
}

/// What to do at an instant with the firings that are due.
package struct FiringStep: Hashable, Sendable {
    /// Firings that no node began in time, and that a later one replaces.
    package var missed: [Firing] = []
    /// The firing to begin.
    package var begin: Firing?
    /// The first firing after those.
    package var next: Firing?
    /// The next firing, when it is too late to begin by itself.
    package var late: Firing?

    package init(missed: [Firing] = [], begin: Firing? = nil, next: Firing? = nil) {
        self.missed = missed
        self.begin = begin
        self.next = next
    }
}

/// A Campaign's firings, computed one after another from its request; only the next one is stored.
package struct FiringPlan: Sendable {
    /// The largest offset ahead of UTC, where a local time comes first.
    static let furthestAhead = Duration.seconds(14 * 3_600)
    /// The largest offset behind UTC, where it comes last.
    static let furthestBehind = Duration.seconds(12 * 3_600)

    /// The end of year 9999, after which no time is.
    private static let latest: Int64 = 253_402_300_799_999

    private let schedule: Schedule?
    private let clock: LocalClock
    private let pace: Pace?
    /// When the first firing is due without a schedule.
    private let start: Timestamp

    /// Creates a plan; `nil` when the schedule's time zone is unknown.
    ///
    /// - Parameters:
    ///   - schedule: The schedule, with its last day; `nil` for one firing at `start`.
    ///   - pace: The pace.
    ///   - start: When it is sent without a schedule.
    package init?(schedule: Schedule?, pace: Pace?, start: Timestamp) {
        guard let zone = TimeZone(identifier: schedule?.zone ?? "GMT") else { return nil }
        self.schedule = schedule
        clock = LocalClock(zone: zone)
        self.pace = pace
        self.start = start
    }

    /// Returns the first firing that still reaches a Device.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: `nil` when all times are over.
    package func first(at now: Timestamp) -> Firing? {
        guard let schedule else { return Firing(slot: 0, dueAt: start) }
        // What was due before yesterday is over in every zone.
        let instant = Timestamp(rawValue: min(max(0, now.rawValue), Self.latest))
        let yesterday = clock.day(at: instant).advanced(by: -2)
        var last: WallTime? = WallTime(minutes: yesterday.number * 1_440 - 1)
        while let wall = schedule.next(after: last) {
            let firing = firing(at: wall)
            if lastDue(of: firing) > now { return firing }
            last = wall
        }
        return nil
    }

    /// Returns the firing after another.
    package func next(after firing: Firing) -> Firing? {
        guard let schedule else {
            guard case .groups(let count, let every) = pace, firing.part + 1 < count else { return nil }
            let part = firing.part + 1
            let planned = start.advanced(by: .seconds(every) * Int(part))
            // After a pause, groups that were due meanwhile follow the one that was resumed.
            return Firing(slot: 0, part: part, dueAt: max(planned, firing.dueAt))
        }
        return schedule.next(after: WallTime(minutes: Int(firing.slot))).map(self.firing(at:))
    }

    /// Returns what to do at an instant.
    ///
    /// A due firing begins, late if need be. Of several due ones the last begins, and the others are missed. In local
    /// time a firing is missed once its time is over everywhere; groups are never missed. Without a schedule no later
    /// firing replaces one: beyond the maximum lateness it neither begins nor counts as missed, and an Operator has to
    /// decide.
    ///
    /// - Parameters:
    ///   - firing: The first firing that has not begun.
    ///   - now: The wall clock.
    ///   - lateness: The maximum lateness of a firing without a schedule; `nil` for no limit.
    /// - Returns: The step.
    package func step(from firing: Firing, at now: Timestamp, lateness: Duration? = nil) -> FiringStep {
        var step = FiringStep(next: firing)
        if schedule == nil, let lateness, firing.dueAt.advanced(by: lateness) < now {
            step.late = firing
            return step
        }
        while let due = step.next, due.dueAt <= now {
            let next = next(after: due)
            let isMissed = schedule != nil && (next.map { isOver(due, replacedBy: $0, at: now) } ?? false)
            step.next = next
            guard isMissed else {
                step.begin = due
                return step
            }
            step.missed.append(due)
        }
        return step
    }

    /// Returns firings that have not begun, from one on.
    package func planned(from firing: Firing?, limit: Int) -> [Firing] {
        var firings: [Firing] = []
        var next = firing
        while let firing = next, firings.count < limit {
            firings.append(firing)
            next = self.next(after: firing)
        }
        return firings
    }

    /// Returns when the last Device's turn comes.
    ///
    /// - Parameters:
    ///   - devices: Number of Devices, for a pace per minute; `nil` when it is not known.
    ///   - now: The wall clock.
    /// - Returns: `nil` when there is no end, when it is not known, or when all times are over.
    package func end(devices: Int?, from now: Timestamp) -> Timestamp? {
        guard schedule?.isEndless != true, var last = first(at: now) else { return nil }
        var count = 1
        while let next = next(after: last) {
            guard count < Schedule.maximumFiringCount else { return nil }
            last = next
            count += 1
        }
        let begin = max(lastDue(of: last), now)
        switch pace {
        case .over(let seconds): return begin.advanced(by: .seconds(seconds))
        case .perMinute(let number):
            return devices.map { begin.advanced(by: .seconds(($0 + number - 1) / number * 60)) }
        case .groups, nil: return begin
        }
    }

    // MARK: - Private

    private func firing(at wall: WallTime) -> Firing {
        let due =
            schedule?.isLocal == true
            ? Timestamp(rawValue: Int64(wall.minutes) * 60_000).advanced(by: .zero - Self.furthestAhead)
            : clock.instant(of: wall)
        return Firing(slot: Int64(wall.minutes), dueAt: due)
    }

    /// When it is due in the last zone.
    private func lastDue(of firing: Firing) -> Timestamp {
        guard schedule?.isLocal == true else { return firing.dueAt }
        let day = schedule?.passed == .nextDay ? Duration.seconds(86_400) : .zero
        return firing.dueAt.advanced(by: Self.furthestAhead + Self.furthestBehind + day)
    }

    private func isOver(_ due: Firing, replacedBy next: Firing, at now: Timestamp) -> Bool {
        schedule?.isLocal == true ? lastDue(of: due) <= now && next.dueAt <= now : next.dueAt <= now
    }
}

extension Schedule {
    /// Returns the first time after another; the very first after `nil`.
    ///
    /// A repeating schedule needs its first day.
    package func next(after last: WallTime?) -> WallTime? {
        if case .at(let times) = recurrence { return times.first { time in last.map { time > $0 } ?? true } }
        guard let from else { return nil }
        var day = max(from, last?.day ?? from)
        // Every recurrence has a day within two months.
        let end = min(until ?? day.advanced(by: 366), day.advanced(by: 366))
        while day <= end {
            if goesOut(on: day),
                let time = times.first(where: { time in
                    last.map { WallTime(day, time) > $0 } ?? true
                })
            {
                return WallTime(day, time)
            }
            day = day.advanced(by: 1)
        }
        return nil
    }

    /// Whether it repeats without a last day.
    var isEndless: Bool { if case .at = recurrence { false } else { until == nil } }

    private func goesOut(on day: CalendarDay) -> Bool {
        switch recurrence {
        case .at: false
        case .daily: true
        case .weekly(let days): days.contains(day.weekday)
        case .monthly(let days): days.contains(day.parts.day)
        }
    }
}
