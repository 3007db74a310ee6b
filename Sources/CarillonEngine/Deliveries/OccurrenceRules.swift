package import CarillonModel
package import CarillonOperatorModel

/// When an Occurrence's notifications may go out, beside its Wave's time; of most Occurrences nothing is said.
package struct OccurrenceRules: Hashable, Sendable {
    /// A time on the wall, in each Device's own time zone.
    package struct LocalTime: Hashable, Sendable {
        package var wall: WallTime
        /// The time zone of Devices that name none.
        package var zone: String
        /// Where it was over then, nothing goes out.
        package var acceptedAt: Timestamp

        package init(wall: WallTime, zone: String, acceptedAt: Timestamp) {
            self.wall = wall
            self.zone = zone
            self.acceptedAt = acceptedAt
        }
    }

    /// One of some groups of Devices.
    package struct Group: Hashable, Sendable {
        /// From 0.
        package var index: Int64
        package var count: Int64

        package init(index: Int64, count: Int64) {
            self.index = index
            self.count = count
        }

        /// Whether a Device belongs to it.
        package func has(_ device: Int64) -> Bool { device % count == index }
    }

    package var local: LocalTime?
    package var plannedAt = Timestamp(rawValue: 0)
    /// How long after its time it is worth something.
    package var validFor: Duration?
    package var pace: Pace?
    package var group: Group?
    package var nightPolicy = DelayPolicy.skip
    package var isTransactional = false
    /// What the App asks for.
    package var app = SendingRules()

    package init() {}

    /// Whether the zone of a Device matters, beside what the rules for ads ask.
    package var asksZone: Bool { local != nil || app.quietHours != nil }

    /// Whether a Device may have to wait for its own time.
    package var mayWait: Bool {
        local != nil || nightPolicy == .defer || app.quietHours?.policy == .defer
    }
}

extension OccurrenceFacts {
    /// The quiet hours that this asks; not a call, nothing silent, nothing that a person waits for.
    package var quietHours: QuietHours? { isExempt ? nil : rules.app.quietHours }

    /// The caps that this asks and counts for.
    package var frequencyCaps: [FrequencyCap] {
        isExempt ? [] : rules.app.frequencyCaps.filter { isAd || !$0.adsOnly }
    }

    /// For how long the same is not sent again.
    package var duplicateGuard: Duration? { rules.app.duplicateGuard.map { .seconds(60 * $0) } }

    /// Whether what is sent is remembered, for the App's next Campaigns.
    package var isRemembered: Bool { countsForCaps || rules.app.duplicateGuard != nil }

    /// How many of a hundred of the App's Users do not get it; 0 for what goes to everybody.
    package var controlGroup: Int { isExempt ? 0 : rules.app.controlGroup ?? 0 }

    /// Whether the App's rules ask who was sent what, or who somebody is.
    package var asksMemory: Bool { isRemembered || controlGroup > 0 }

    /// Whether it counts for caps.
    package var countsForCaps: Bool { !isExempt && !rules.app.frequencyCaps.isEmpty }

    /// How late it may go out to a Device, whose own time is the time of the Occurrence unless it is in local time.
    package func deadline(localTime: Timestamp?) -> Timestamp? {
        rules.validFor.map { (localTime ?? rules.plannedAt).advanced(by: $0) }
    }

    private var isExempt: Bool { rules.isTransactional || channel == .voip || message.silent }
}
