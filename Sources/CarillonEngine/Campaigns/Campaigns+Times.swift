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
    /// - Throws: ``EngineError/invalid(_:)`` with the first problem.
    func resolveTimes(_ campaign: inout Campaign, at now: Timestamp, sendsLate: Bool) throws(EngineError) {
        if let sendAt = campaign.sendAt {
            guard sendAt <= now.advanced(by: Self.longestWait) else {
                throw .wrong("sendAt", "must be at most 60 days ahead")
            }
            guard sendsLate || sendAt >= now.advanced(by: .zero - Self.clockTolerance) else {
                throw .wrong("sendAt", "must not be past: leave it out to send now, or set sendsLate")
            }
        }
        guard var schedule = campaign.schedule else { return }
        switch campaign.pace {
        case .groups: throw .wrong("pace.groups", "must be missing: there is a schedule")
        case .over where schedule.isLocal:
            throw .wrong("pace.over", "must be missing: each Device has its own time")
        case .over, .perMinute, nil: break
        }
        guard zones.isZone(schedule.zone), let clock = LocalClock(named: schedule.zone) else {
            throw .wrong("schedule.zone", "must be an IANA time zone")
        }
        let today = clock.day(at: now)
        let last = today.advanced(by: Self.longestPlan)
        if case .at(let times) = schedule.recurrence {
            guard times.allSatisfy({ $0.day <= last }) else {
                throw .wrong("schedule.at", "must be at most 60 days ahead")
            }
        } else {
            guard schedule.from.map({ $0 <= today.advanced(by: Self.furthestBegin) }) ?? true else {
                throw .wrong("schedule.from", "must be at most \(Self.furthestBegin) days ahead")
            }
            // Days that are over in every zone need not be looked at.
            schedule.from = max(schedule.from ?? today, today.advanced(by: -2))
        }
        campaign.schedule = schedule
        guard FiringPlan(campaign, acceptedAt: now)?.first(at: now) != nil else {
            throw .wrong("schedule", "must have a time that is still to come")
        }
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
    init?(named name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.init(zone: zone)
    }
}

extension EngineError {
    static func wrong(_ field: String, _ problem: String) -> EngineError {
        .invalid(FieldError(field: field, problem: problem))
    }
}
