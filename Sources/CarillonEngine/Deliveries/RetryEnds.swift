package import CarillonModel
import CarillonOperatorModel

/// Until when failed attempts are retried, where not every Device gets its first attempt at the start of the
/// Occurrence.
///
/// A Device whose own time comes hours later, or that waits for the morning, is retried for as long as the first
/// Devices. The end follows from the Device's zone, so it is not stored.
package struct RetryEnds: Sendable {
    private let usual: Timestamp
    /// By zone number; empty where the usual end applies to all.
    private var ends: [Timestamp] = []

    /// Computes the ends of a Chunk's Devices.
    package init(_ recipients: Recipients, of facts: OccurrenceFacts, zones: ZoneNights) {
        usual = facts.retryUntil
        guard facts.rules.mayWait else { return }
        let time = facts.startedAt.duration(to: facts.retryUntil)
        ends = recipients.zoneNames.texts.map { zone in
            max(facts.retryUntil, facts.lastFirstAttempt(in: zone, zones).advanced(by: time))
        }
    }

    /// The end for one of the Chunk's rows.
    package func end(_ row: Int, of recipients: Recipients) -> Timestamp {
        ends.isEmpty ? usual : ends[Int(recipients.zones[row])]
    }
}

extension OccurrenceFacts {
    /// The latest first attempt in a zone, if only its local time, night and quiet hours delay it.
    fileprivate func lastFirstAttempt(in zone: String?, _ zones: ZoneNights) -> Timestamp {
        let local = rules.local.flatMap { $0.instant(in: zone, zones) }
        var time = max(local ?? startedAt, startedAt)
        // The end of one may lie inside the other.
        for _ in 0..<2 {
            if rules.nightPolicy == .defer, isAd, let night = zones.night(in: zone, at: time), night.isNow {
                time = max(time, night.end)
            }
            if let hours = quietHours, hours.policy == .defer,
                let position = zones.position(
                    of: time,
                    in: DayWindow(start: hours.from, end: hours.until),
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
