package import CarillonModel
import CarillonOperatorModel

/// Which of a chunk's Devices get the notification, in slices that share payload, push type and options.
package struct DeliveryPlan: Sendable {
    /// Rows that share all but token and receipt.
    package struct Group: Hashable, Sendable {
        package var pushType: PushType
        /// Where the content stands in ``OccurrenceContext/contentKeys``.
        package var place: Int
        /// When the push service has to stop trying at the latest.
        package var cap: Timestamp?

        package init(pushType: PushType, place: Int, cap: Timestamp?) {
            self.pushType = pushType
            self.place = place
            self.cap = cap
        }
    }

    /// Rows of one group, as many as make a batch.
    package struct Slice: Sendable {
        package var group: Group
        /// Rows of the chunk's recipients.
        package var rows: ArraySlice<Int32>
    }

    /// Rows that a rule keeps back.
    package private(set) var skips: [(row: Int, reason: SkipReason)] = []
    private var groups: [Group] = []
    /// The rows to be sent, group by group.
    private var rows: [Int32] = []
    /// Where each group ends in ``rows``.
    private var ends: [Int] = []
    private var position = 0
    private var group = 0

    /// Applies the rules to a chunk.
    package init(_ recipients: Recipients, of context: OccurrenceContext, nights: ZoneNights, at now: Timestamp) {
        var sorter = GroupSorter(recipients, context: context, nights: nights, now: now)
        let asksConsent = context.facts.channel != .voip
        for row in 0..<recipients.count {
            var reason: SkipReason?
            if recipients.tokenRange(row).isEmpty {
                reason = .noToken
            } else if asksConsent {
                reason = ConsentRules.skip(
                    recipients.consents[row],
                    isAd: sorter.isAd(row),
                    night: sorter.night(of: row)
                )
            }
            if let reason {
                skips.append((row, reason))
            } else {
                sorter.take(row)
            }
        }
        (groups, rows, ends) = sorter.sorted()
    }

    /// How many rows have not been handed out.
    package var remainingCount: Int { rows.count - position }

    /// Hands out the next rows of one group.
    package mutating func next(limit: Int) -> Slice? {
        guard position < rows.count else { return nil }
        while ends[group] == position { group += 1 }
        let end = min(position + limit, ends[group])
        defer { position = end }
        return Slice(group: groups[group], rows: rows[position..<end])
    }
}

/// Sorts rows into groups by counting: a table by cap, content and push type, no hashing for a row.
private struct GroupSorter {
    private let recipients: Recipients
    /// By number of language: whether it is an ad to those who speak it.
    private let isAd: [Bool]
    private let placeCount: Int
    private let pushTypes: (production: PushType, sandbox: PushType)
    /// By number of language.
    private let places: [Int]
    /// By number of zone; empty unless it is an ad.
    private var nights: [Night?] = []
    /// By number of zone: where its next night stands in ``caps``.
    private var capOfZone: [Int] = []
    private var caps: [Timestamp?] = [nil]
    private var counts: [Int]
    private var taken: [(row: Int32, key: Int32)] = []

    init(_ recipients: Recipients, context: OccurrenceContext, nights zoneNights: ZoneNights, now: Timestamp) {
        self.recipients = recipients
        let facts = context.facts
        isAd = recipients.languageTags.texts.map { facts.isAd && facts.adRule.covers(language: $0) }
        pushTypes = context.facts.channel.pushTypes
        placeCount = context.contentKeys.count
        places = recipients.languageTags.texts.map { context.place(for: $0) }
        if facts.isAd {
            nights = recipients.zoneNames.texts.map { zoneNights.night(in: $0, at: now) }
            for night in nights {
                if let known = caps.firstIndex(of: night?.nextStart) {
                    capOfZone.append(known)
                } else {
                    capOfZone.append(caps.count)
                    caps.append(night?.nextStart)
                }
            }
        }
        counts = Array(repeating: 0, count: caps.count * placeCount * 2)
        taken.reserveCapacity(recipients.count)
    }

    func isAd(_ row: Int) -> Bool { isAd[Int(recipients.languages[row])] }

    func night(of row: Int) -> Night? { nights[Int(recipients.zones[row])] }

    mutating func take(_ row: Int) {
        let isCapped = isAd(row) && !recipients.consents[row].contains(.nightAds)
        let cap = isCapped ? capOfZone[Int(recipients.zones[row])] : 0
        let place = places[Int(recipients.languages[row])]
        let key = (cap * placeCount + place) * 2 + (recipients.pushTypes[row] == pushTypes.production ? 0 : 1)
        counts[key] += 1
        taken.append((Int32(row), Int32(key)))
    }

    func sorted() -> (groups: [DeliveryPlan.Group], rows: [Int32], ends: [Int]) {
        var groups: [DeliveryPlan.Group] = []
        var ends: [Int] = []
        var starts = counts
        var position = 0
        for (key, count) in counts.enumerated() where count > 0 {
            starts[key] = position
            position += count
            ends.append(position)
            let place = key / 2
            groups.append(
                DeliveryPlan.Group(
                    pushType: key % 2 == 0 ? pushTypes.production : pushTypes.sandbox,
                    place: place % placeCount,
                    cap: caps[place / placeCount]
                )
            )
        }
        var rows = Array(repeating: Int32(0), count: taken.count)
        for (row, key) in taken {
            rows[starts[Int(key)]] = row
            starts[Int(key)] += 1
        }
        return (groups, rows, ends)
    }
}
