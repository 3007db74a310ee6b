package import CarillonModel
package import CarillonOperatorModel

/// When an Occurrence's notifications may be sent, besides its Wave's time; most Occurrences have no such rules.
package struct OccurrenceRules: Hashable, Sendable {
    /// A local time, in each Device's own time zone.
    package struct LocalTime: Hashable, Sendable {
        package var wall: WallTime
        /// The time zone of Devices without one.
        package var zone: String
        /// Zones in which the local time was over by then get nothing.
        package var acceptedAt: Timestamp
        /// Whether those zones get it a day later instead.
        package var movesPassed: Bool

        package init(wall: WallTime, zone: String, acceptedAt: Timestamp, movesPassed: Bool = false) {
            self.wall = wall
            self.zone = zone
            self.acceptedAt = acceptedAt
            self.movesPassed = movesPassed
        }

        /// Returns when Devices of a zone get it, if they do.
        package func instant(in name: String?, _ zones: ZoneNights) -> Timestamp? {
            guard let due = zones.instant(of: wall, zone: name, or: zone) else { return nil }
            guard movesPassed, due < acceptedAt else { return due }
            return zones.instant(of: WallTime(minutes: wall.minutes + 1_440), zone: name, or: zone)
        }
    }

    /// One of several groups of Devices.
    package struct Group: Hashable, Sendable {
        /// From 0.
        package var index: Int64
        package var count: Int64

        package init(index: Int64, count: Int64) {
            self.index = index
            self.count = count
        }

        /// Returns whether a Device belongs to it.
        package func has(_ device: Int64) -> Bool { device % count == index }
    }

    package var local: LocalTime?
    package var plannedAt = Timestamp(rawValue: 0)
    /// How long after its time it may still be sent.
    package var validFor: Duration?
    package var group: Group?
    package var nightPolicy = DelayPolicy.skip
    package var isTransactional = false
    /// The App's rules.
    package var app = SendingRules()

    package init() {}

    /// Whether the zone of a Device matters, besides the rules for ads.
    package var asksZone: Bool { local != nil || app.quietHours != nil }

    /// Whether a Device may have to wait for its own time.
    package var mayWait: Bool {
        local != nil || nightPolicy == .defer || app.quietHours?.policy == .defer
    }
}

extension OccurrenceFacts {
    /// The quiet hours that apply; none for calls, silent messages and those that a person waits for.
    package var quietHours: QuietHours? { isExempt ? nil : rules.app.quietHours }

    /// The frequency caps that apply to it and count it.
    package var frequencyCaps: [FrequencyCap] {
        isExempt ? [] : rules.app.frequencyCaps.filter { isAd || !$0.adsOnly }
    }

    /// The time during which the same message is not sent again.
    package var duplicateGuard: Duration? { rules.app.duplicateGuard.map { .seconds(60 * $0) } }

    /// Whether sends are recorded, for the App's next Campaigns.
    package var isRemembered: Bool { countsForCaps || rules.app.duplicateGuard != nil }

    /// The percentage of the App's Users who do not get it; 0 when it goes to everybody.
    package var controlGroup: Int { isExempt ? 0 : rules.app.controlGroup ?? 0 }

    /// Whether the App's rules need recent sends, or a Device's User.
    package var asksMemory: Bool { isRemembered || controlGroup > 0 }

    /// What its notifications do to the counts of Devices' icons; `nil` when they leave them as they are.
    ///
    /// A number that is set counts only where a count is kept for any Device: an App that never adds to numbers does not
    /// pay for the writing.
    var countedBadge: Badge? {
        switch message.badge {
        case _ where channel == .voip: nil
        case .increment: message.badge
        case .count: countsBadges ? message.badge : nil
        case nil: nil
        }
    }

    /// Whether it counts for frequency caps.
    package var countsForCaps: Bool { !isExempt && !rules.app.frequencyCaps.isEmpty }

    /// The latest time to send to a Device, counted from its local time, or from the Occurrence's time.
    package func deadline(localTime: Timestamp?) -> Timestamp? {
        rules.validFor.map { (localTime ?? rules.plannedAt).advanced(by: $0) }
    }

    private var isExempt: Bool { rules.isTransactional || channel == .voip || message.silent }
}
