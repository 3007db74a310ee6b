package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// What the time of a Campaign means for the Devices it reaches, computed as the dispatcher computes it.
package struct TimeForecast: Hashable, Sendable {
    /// A time zone of the reach.
    package struct Zone: Hashable, Sendable {
        /// The zone; `nil` for Devices that report none.
        package var name: String?
        package var devices: Int
        /// When its Devices get it.
        package var instant: Timestamp
        /// What its clock shows then.
        package var wall: WallTime
        /// What a change of the clock does to the local time that was asked for.
        package var change: ClockChange?
        /// Whether the local time is over there.
        package var isPassed: Bool
        /// Whether it is night there, from 21:00 until 08:00.
        package var isNight: Bool
    }

    /// The number of zones of a table.
    package static let shown = 6

    /// All zones, those with the most Devices first.
    package var zones: [Zone]
    /// Whether each Device gets it at its own local time.
    package var isLocal: Bool
    /// What a change of the clock does to the time in the schedule's own zone.
    package var change: ClockChange?
    /// The zone of ``change``.
    package var scheduleZone: String?

    /// When the first Devices get it; `nil` when all times are over, or there is no reach.
    package var first: Timestamp? { reached.map(\.instant).min() }
    /// When the last zone's turn comes.
    package var last: Timestamp? { reached.map(\.instant).max() }
    /// The zones in which the local time is over.
    package var passed: [Zone] { zones.filter(\.isPassed) }
    /// The zones with the most Devices.
    package var largest: ArraySlice<Zone> { zones.prefix(Self.shown) }
    /// The zones whose clocks are changed at that time.
    package var changes: [Zone] { zones.filter { $0.change != nil } }
    /// The Devices in whose zone it is night then.
    package var nightDevices: Int { zones.filter(\.isNight).reduce(0) { $0 + $1.devices } }

    /// The zones whose Devices get it: without those that are skipped.
    private var reached: [Zone] { zones.filter { !$0.isPassed || movesPassed } }
    private var movesPassed: Bool

    /// Computes it; `nil` when all times are over, or the schedule's zone is unknown.
    ///
    /// - Parameters:
    ///   - schedule: The Campaign's schedule, of whose times the next one counts.
    ///   - sendAt: When it is sent without one; now when `nil`.
    ///   - devices: Its reach by time zone; the empty name for Devices without one.
    ///   - now: The wall clock.
    ///   - nights: Looks up zones.
    package init?(
        schedule: Schedule?,
        sendAt: Timestamp?,
        devices: [String: Int],
        at now: Timestamp,
        _ nights: ZoneNights = ZoneNights()
    ) {
        var schedule = schedule
        schedule?.begin(at: now)
        let start = sendAt.map { max($0, now) } ?? now
        guard let first = FiringPlan(schedule: schedule, pace: nil, start: start)?.first(at: now) else { return nil }
        let local = schedule.flatMap { OccurrenceRules.LocalTime($0, first, acceptedAt: now) }
        isLocal = local != nil
        movesPassed = schedule?.passed == .nextDay
        let usual = max(first.dueAt, now)
        zones = devices.filter { $0.value > 0 }.map { name, count in
            Self.zone(name, count, local, usual, schedule?.zone, now, nights)
        }
        .sorted { ($1.devices, $0.name ?? "") < ($0.devices, $1.name ?? "") }
        if let schedule, local == nil, let wall = first.wall {
            (change, scheduleZone) = (LocalClock(named: schedule.zone)?.change(at: wall), schedule.zone)
        }
    }

    private static func zone(
        _ name: String,
        _ devices: Int,
        _ local: OccurrenceRules.LocalTime?,
        _ usual: Timestamp,
        _ fallback: String?,
        _ now: Timestamp,
        _ nights: ZoneNights
    ) -> Zone {
        let name: String? = nights.isZone(name) ? name : nil
        let clock = LocalClock(named: name ?? fallback ?? "GMT")
        let instant = local.flatMap { $0.instant(in: name, nights) } ?? usual
        let asked = local.flatMap { nights.instant(of: $0.wall, zone: name, or: $0.zone) }
        let wall = clock?.wall(at: instant) ?? WallTime(minutes: 0)
        return Zone(
            name: name,
            devices: devices,
            instant: instant,
            wall: wall,
            change: local.flatMap { local in
                // A day later the clock may be changed as well.
                let moves = asked.map { $0 < now && local.movesPassed } ?? false
                return clock?.change(at: WallTime(minutes: local.wall.minutes + (moves ? 1_440 : 0)))
            },
            isPassed: asked.map { $0 < now } ?? false,
            isNight: nights.night(in: name ?? fallback, at: instant)?.isNow ?? false
        )
    }
}

extension OccurrenceRules.LocalTime {
    /// Creates the local time of a firing; `nil` when the schedule has one zone for all.
    fileprivate init?(_ schedule: Schedule, _ firing: Firing, acceptedAt: Timestamp) {
        guard schedule.isLocal, let wall = firing.wall else { return nil }
        self.init(
            wall: wall,
            zone: schedule.zone,
            acceptedAt: acceptedAt,
            movesPassed: schedule.passed == .nextDay
        )
    }
}

extension Schedule {
    /// Sets the first day of a repeating schedule that has none, as accepting does.
    fileprivate mutating func begin(at now: Timestamp) {
        if case .at = recurrence { return }
        guard let clock = LocalClock(named: zone) else { return }
        from = from ?? clock.day(at: now).advanced(by: -2)
    }
}
