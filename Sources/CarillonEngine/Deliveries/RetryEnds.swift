package import CarillonModel
import CarillonOperatorModel

/// Until when failed attempts are repeated, where not every Device gets its first one at the start of the Occurrence.
///
/// A Device whose own time comes hours later, or that waits for the morning, is tried again for as long as one that was
/// first. It follows from the Device's zone, so that nothing is kept of it.
package struct RetryEnds: Sendable {
    private let usual: Timestamp
    /// By number of zone; empty where the usual end counts for all.
    private var ends: [Timestamp] = []

    /// The ends of a chunk's Devices.
    package init(_ recipients: Recipients, of facts: OccurrenceFacts, zones: ZoneNights) {
        usual = facts.retryUntil
        guard facts.rules.mayWait else { return }
        let time = facts.startedAt.duration(to: facts.retryUntil)
        ends = recipients.zoneNames.texts.map { zone in
            max(facts.retryUntil, facts.lastFirstAttempt(in: zone, zones).advanced(by: time))
        }
    }

    /// The end for one of the chunk's rows.
    package func end(_ row: Int, of recipients: Recipients) -> Timestamp {
        ends.isEmpty ? usual : ends[Int(recipients.zones[row])]
    }
}

extension OccurrenceFacts {
    /// When a Device of a zone gets it at the latest, if nothing is in the way but its own time, night and quiet hours.
    fileprivate func lastFirstAttempt(in zone: String?, _ zones: ZoneNights) -> Timestamp {
        let local = rules.local.flatMap { zones.instant(of: $0.wall, zone: zone, or: $0.zone) }
        var time = max(local ?? startedAt, startedAt)
        // One may end inside the other.
        for _ in 0..<2 {
            if rules.nightPolicy == .defer, isAd, let night = zones.night(in: zone, at: time), night.isNow {
                time = max(time, night.end)
            }
            if let hours = quietHours, hours.policy == .defer,
                let position = zones.position(
                    of: time,
                    in: DayWindow(start: hours.from, end: hours.to),
                    zone: zone,
                    or: hours.zone
                ), position.isInside
            {
                time = max(time, position.end)
            }
        }
        return time
    }
}
