import CarillonModel
import CarillonOperatorModel
import Foundation

extension Campaigns {
    /// How many days ahead a Campaign may be scheduled, including the whole last day.
    static let longestPlan = 60

    // MARK: - Checking

    /// How many days ahead a recurrence may begin.
    static let furthestBegin = 366

    /// How long ago a time may be that means now: clocks differ, and requests take time.
    static let clockTolerance = Duration.seconds(300)

    /// Checks a Campaign's times, and sets the first day of a repeating schedule.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - now: The wall clock.
    ///   - sendsLate: Whether a past `sendAt` means now, however long ago it is.
    /// - Throws: ``EngineError/invalid(_:)`` or ``EngineError/invalidFields(_:)``.
    func resolveTimes(_ campaign: inout Campaign, at now: Timestamp, sendsLate: Bool) throws(EngineError) {
        let problems = timeProblems(resolving: &campaign, at: now, sendsLate: sendsLate)
        guard problems.isEmpty else { throw .problems(problems) }
    }

    /// Does the same, and returns all problems.
    func timeProblems(resolving campaign: inout Campaign, at now: Timestamp, sendsLate: Bool) -> [FieldError] {
        var problems: [FieldError] = []
        if let sendAt = campaign.sendAt {
            if sendAt > now.advanced(by: Self.longestWait) {
                problems.append(FieldError(field: "sendAt", problem: "must be at most 60 days ahead"))
            } else if !sendsLate, sendAt < now.advanced(by: .zero - Self.clockTolerance) {
                let problem = "must not be past: leave it out to send now, or set sendsLate"
                problems.append(FieldError(field: "sendAt", problem: problem))
            }
        }
        guard var schedule = campaign.schedule else { return problems }
        if let problem = Self.problem(of: campaign.pace, with: schedule) { problems.append(problem) }
        guard zones.isZone(schedule.zone), let clock = LocalClock(named: schedule.zone) else {
            return problems + [FieldError(field: "schedule.zone", problem: "must be an IANA time zone")]
        }
        if let problem = Self.problem(resolving: &schedule, today: clock.day(at: now)) { problems.append(problem) }
        campaign.schedule = schedule
        if problems.isEmpty, FiringPlan(campaign, acceptedAt: now)?.first(at: now) == nil {
            problems.append(FieldError(field: "schedule", problem: "must have a time that is still to come"))
        }
        return problems
    }

    private static func problem(of pace: Pace?, with schedule: Schedule) -> FieldError? {
        switch pace {
        case .groups: FieldError(field: "pace.groups", problem: "must be missing: there is a schedule")
        case .over where schedule.isLocal:
            FieldError(field: "pace.over", problem: "must be missing: each Device has its own time")
        case .over, .perMinute, nil: nil
        }
    }

    /// Checks a schedule's days, and sets the first one of a repeating schedule.
    private static func problem(resolving schedule: inout Schedule, today: CalendarDay) -> FieldError? {
        if case .at(let times) = schedule.recurrence {
            let last = today.advanced(by: longestPlan)
            guard times.contains(where: { $0.day > last }) else { return nil }
            return FieldError(field: "schedule.at", problem: "must be at most \(longestPlan) days ahead")
        }
        if let from = schedule.from, from > today.advanced(by: furthestBegin) {
            return FieldError(field: "schedule.from", problem: "must be at most \(furthestBegin) days ahead")
        }
        // Days that are over in every zone need not be looked at.
        schedule.from = max(schedule.from ?? today, today.advanced(by: -2))
        return nil
    }

    /// Returns how a Campaign begins when it is accepted or sent now.
    func launch(_ campaign: Campaign, at now: Timestamp) -> Launch {
        guard let plan = FiringPlan(campaign, acceptedAt: now), let first = plan.first(at: now) else {
            return Launch(occurrence: nil, next: nil)
        }
        guard campaign.schedule == nil, first.dueAt <= now else { return Launch(occurrence: nil, next: first) }
        return Launch(occurrence: ids.next(), next: plan.next(after: first))
    }
}

extension LocalClock {
    /// The clock of an IANA time zone; `nil` when the name is unknown.
    package init?(named name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.init(zone: zone)
    }
}

extension EngineError {
    static func wrong(_ field: String, _ problem: String) -> EngineError {
        .invalid(FieldError(field: field, problem: problem))
    }
}
