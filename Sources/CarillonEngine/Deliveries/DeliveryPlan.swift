package import CarillonModel
import CarillonOperatorModel

/// Which of a Chunk's Devices get the notification, in slices that share payload, push type and options.
package struct DeliveryPlan: Sendable {
    /// Rows that share everything except token and receipt.
    package struct Group: Hashable, Sendable {
        package var pushType: PushType
        /// The index of the content in ``OccurrenceContext/editions``.
        package var place: Int
        /// When the push service has to stop trying at the latest.
        package var cap: Timestamp?

        package init(pushType: PushType, place: Int, cap: Timestamp?) {
            self.pushType = pushType
            self.place = place
            self.cap = cap
        }
    }

    /// Rows of one group that make a batch.
    package struct Slice: Sendable {
        package var group: Group
        /// Rows of the Chunk's recipients.
        package var rows: ArraySlice<Int32>
    }

    /// Rows that a rule skips.
    package private(set) var skips: [(row: Int, reason: SkipReason)] = []
    /// Rows whose time has not come.
    package private(set) var waits: [(row: Int, until: Timestamp)] = []
    /// Rows whose time is over.
    package private(set) var expired: [Int] = []
    private var groups: [Group] = []
    /// The rows to be sent, group by group.
    private var rows: [Int32] = []
    /// The end of each group in ``rows``.
    private var ends: [Int] = []
    private var position = 0
    private var group = 0

    /// Applies the rules to a Chunk.
    ///
    /// - Parameters:
    ///   - recipients: The Chunk's Devices.
    ///   - context: The Occurrence.
    ///   - nights: Converts times into their zones.
    ///   - now: The wall clock.
    ///   - waveDue: When the Wave is due; `nil` when it has no time, and for retries.
    ///   - memory: Recent sends to the Devices, if the App's rules need them.
    package init(
        _ recipients: Recipients,
        of context: OccurrenceContext,
        nights: ZoneNights,
        at now: Timestamp,
        waveDue: Timestamp? = nil,
        memory: SendMemory? = nil
    ) {
        let filter = EligibilityFilter(
            recipients,
            of: context,
            zones: nights,
            at: now,
            waveDue: waveDue,
            memory: memory
        )
        var sorter = GroupSorter(recipients, context: context, filter: filter)
        for row in 0..<recipients.count {
            switch filter.verdict(row) {
            case .goesOut:
                switch sorter.choose(row, context.split) {
                case .variant(let variant): sorter.add(row, variant: variant)
                case .kept(let reason): skips.append((row, reason))
                }
            case .skipped(let reason): skips.append((row, reason))
            case .waits(let until): waits.append((row, until))
            case .expired: expired.append(row)
            }
        }
        (groups, rows, ends) = sorter.sorted()
    }

    /// The number of rows that ``next(limit:)`` has not returned yet.
    package var remainingCount: Int { rows.count - position }

    /// The number of rows that ``next(limit:)`` would return.
    package func nextCount(limit: Int) -> Int {
        guard let end = ends.first(where: { $0 > position }) else { return 0 }
        return min(limit, end - position)
    }

    /// Returns the next rows of one group.
    package mutating func next(limit: Int) -> Slice? {
        guard position < rows.count else { return nil }
        while ends[group] == position { group += 1 }
        let end = min(position + limit, ends[group])
        defer { position = end }
        return Slice(group: groups[group], rows: rows[position..<end])
    }
}

/// What a row that no rule skips gets.
private enum ContentChoice {
    /// The variant at an index; 0 when there are none.
    case variant(Int)
    case kept(SkipReason)
}

/// Sorts rows into groups by counting with a table of cap, content and push type, without hashing each row.
private struct GroupSorter {
    private let recipients: Recipients
    private let filter: EligibilityFilter
    /// By language number: whether the content is an ad that lacks the legally required labels there; empty for other
    /// messages.
    private let isKept: [Bool]
    private let placeCount: Int
    private let pushTypes: (production: PushType, sandbox: PushType)
    /// By language number, all languages of a variant together.
    private let places: [Int]
    private let languageCount: Int
    /// By zone number: the index of its next night or deadline in ``caps``; empty unless it is an ad.
    private var capOfNight: [Int] = []
    /// By zone number: the index of its deadline in ``caps``; empty when there is none.
    private var capOfZone: [Int] = []
    private var caps: [Timestamp?] = [nil]
    private var counts: [Int] = []
    private var taken: [(row: Int32, key: Int32)] = []

    init(_ recipients: Recipients, context: OccurrenceContext, filter: EligibilityFilter) {
        self.recipients = recipients
        self.filter = filter
        isKept =
            context.editions.isKeptFromKoreans
            ? recipients.languageTags.texts.map { App.AdRule.korean.covers(language: $0) } : []
        pushTypes = context.facts.channel.pushTypes
        placeCount = context.editions.all.count
        let languages = recipients.languageTags.texts.map { context.places(for: $0) }
        languageCount = languages.count
        places = (0..<context.editions.variantCount).flatMap { variant in languages.map { $0[variant] } }
        for (zone, night) in filter.nights.enumerated() {
            let deadline = filter.deadlines.isEmpty ? nil : filter.deadlines[zone]
            capOfNight.append(place(of: [night?.nextStart, deadline].compactMap(\.self).min()))
        }
        for deadline in filter.deadlines { capOfZone.append(place(of: deadline)) }
        counts = Array(repeating: 0, count: caps.count * placeCount * 2)
        taken.reserveCapacity(recipients.count)
    }

    private mutating func place(of cap: Timestamp?) -> Int {
        if let known = caps.firstIndex(of: cap) { return known }
        caps.append(cap)
        return caps.count - 1
    }

    /// What a row that no rule skips gets; the control group is chosen among Devices that would get it.
    func choose(_ row: Int, _ split: VariantSplit?) -> ContentChoice {
        if !isKept.isEmpty, isKept[Int(recipients.languages[row])] { return .kept(.noAdWording) }
        switch split?.share(of: recipients.numbers[row]) {
        case nil: return .variant(0)
        case .variant(let place): return .variant(place)
        case .heldOut: return .kept(.holdout)
        }
    }

    mutating func add(_ row: Int, variant: Int) {
        let zone = Int(recipients.zones[row])
        let cap = filter.isNightBound(row) ? capOfNight[zone] : capOfZone.isEmpty ? 0 : capOfZone[zone]
        let place = places[variant * languageCount + Int(recipients.languages[row])]
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
