import CarillonModel
import CarillonOperatorModel

/// Counts whom an Occurrence would reach, with the rules that sending applies.
struct ReachCounter {
    /// How many Devices a sample shows.
    static let sampleCount = 20
    /// The word for notifications that are over before they are sent.
    private static let expired = "Expired"

    /// Devices to be shown, more than are needed.
    private(set) var sample: [DeviceNumber] = []
    private let context: OccurrenceContext
    private let nights: ZoneNights
    private var matched = 0
    private var skipped: [String: Int] = [:]
    private var deferred: [String: Int] = [:]
    private var reach = 0
    private var users = DistinctCounter()
    private var languages: [String: Int] = [:]
    private var zones: [String: Int] = [:]

    init(_ context: OccurrenceContext, _ nights: ZoneNights) { (self.context, self.nights) = (context, nights) }

    /// Counts Devices that the Audience matches.
    ///
    /// - Parameters:
    ///   - reading: The Devices.
    ///   - memory: What was sent to them of late.
    ///   - now: When they get it, or the clock where each has a time of its own.
    mutating func add(_ reading: ReachReading, _ memory: SendMemory?, at now: Timestamp) {
        matched += reading.recipients.count
        let hasOwnTimes = context.facts.rules.local != nil
        count(reading.recipients, reading.owners, memory, at: now, hasOwnTimes: hasOwnTimes)
    }

    /// The result; a sample is multiplied by how many times as many Devices there are as were counted.
    func estimate(factor: Double, isExact: Bool) -> ReachEstimate {
        func scaled(_ number: Int) -> Int { isExact ? number : Int((Double(number) * factor).rounded()) }
        func parts(_ counts: [String: Int]) -> [ReachEstimate.Part] {
            let order = SkipReason.inOrder.map(\.rawValue) + [Self.expired]
            return order.compactMap { reason in
                counts[reason].map { ReachEstimate.Part(reason: reason, devices: scaled($0)) }
            }
        }
        var estimate = ReachEstimate()
        estimate.isExact = isExact
        estimate.matched = scaled(matched)
        estimate.skipped = parts(skipped)
        estimate.deferred = parts(deferred)
        // Rounded numbers add up all the same.
        estimate.reach = max(0, estimate.matched - estimate.skipped.reduce(0) { $0 + $1.devices })
        estimate.users = scaled(users.count)
        estimate.languages = languages.mapValues(scaled)
        estimate.zones = zones.mapValues(scaled)
        return estimate
    }

    // MARK: - Private

    private mutating func count(
        _ recipients: Recipients,
        _ owners: [UInt64],
        _ memory: SendMemory?,
        at now: Timestamp,
        hasOwnTimes: Bool
    ) {
        let plan = DeliveryPlan(recipients, of: context, nights: nights, at: now, waveDue: now, memory: memory)
        var isReached = Array(repeating: true, count: recipients.count)
        for (row, reason) in plan.skips {
            skipped[reason.rawValue, default: 0] += 1
            isReached[row] = false
        }
        for row in plan.expired {
            skipped[Self.expired, default: 0] += 1
            isReached[row] = false
        }
        var later: [Timestamp: Set<Int>] = [:]
        if hasOwnTimes {
            for (row, until) in plan.waits {
                later[until, default: []].insert(row)
                isReached[row] = false
            }
        } else if !plan.waits.isEmpty {
            countDeferred(plan.waits.map(\.row), recipients, at: now)
        }
        countReached(recipients, owners, isReached)
        // Whose time comes later is looked at again as it is then: it may be night.
        for (time, rows) in later {
            count(
                recipients.filtered(rows.contains),
                rows.sorted().map { owners[$0] },
                memory,
                at: time,
                hasOwnTimes: false
            )
        }
    }

    private mutating func countDeferred(_ rows: [Int], _ recipients: Recipients, at now: Timestamp) {
        let filter = EligibilityFilter(recipients, of: context, zones: nights, at: now, waveDue: now, memory: nil)
        for row in rows {
            let isNight =
                !filter.nights.isEmpty && filter.isNightBound(row)
                && filter.nights[Int(recipients.zones[row])]?.isNow == true
            deferred[(isNight ? SkipReason.nightAd : .quietHours).rawValue, default: 0] += 1
        }
    }

    private mutating func countReached(_ recipients: Recipients, _ owners: [UInt64], _ isReached: [Bool]) {
        var byLanguage = Array(repeating: 0, count: recipients.languageTags.count)
        var byZone = Array(repeating: 0, count: recipients.zoneNames.count)
        var count = 0
        for row in 0..<recipients.count where isReached[row] {
            count += 1
            byLanguage[Int(recipients.languages[row])] += 1
            byZone[Int(recipients.zones[row])] += 1
            if owners[row] != 0 { users.insert(owners[row]) }
        }
        reach += count
        for (number, devices) in byLanguage.enumerated() where devices > 0 {
            let tag = recipients.languageTags[UInt16(number)] ?? ""
            languages[tag.prefix { $0 != "-" && $0 != "_" }.lowercased(), default: 0] += devices
        }
        for (number, devices) in byZone.enumerated() where devices > 0 {
            zones[recipients.zoneNames[UInt16(number)] ?? "", default: 0] += devices
        }
        sample += chosen(from: isReached, count).map { recipients.numbers[$0] }
    }

    /// Rows that are reached, each once: all of them when they are few.
    private func chosen(from isReached: [Bool], _ count: Int) -> [Int] {
        guard count > Self.sampleCount else { return isReached.indices.filter { isReached[$0] } }
        var rows: Set<Int> = []
        while rows.count < Self.sampleCount {
            // Where few of many are reached, the first ones after a random place are shown.
            let start = Int.random(in: isReached.indices)
            let isNew = { (row: Int) in isReached[row] && !rows.contains(row) }
            guard let row = (start..<isReached.count).first(where: isNew) ?? (0..<start).first(where: isNew)
            else { break }
            rows.insert(row)
        }
        return Array(rows)
    }
}

extension SkipReason {
    /// In the order in which rules are asked.
    fileprivate static let inOrder: [SkipReason] = [
        .noToken, .localTimePassed, .noConsent, .noAdConsent, .nightAd, .unknownTimeZone, .quietHours, .frequencyCap,
        .duplicateMessage, .noAdWording, .missingValue, .controlGroup, .holdout,
    ]
}
