import CarillonBytes
import CarillonModel
import CarillonOperatorModel

/// What becomes of one of a chunk's rows.
enum Eligibility {
    case goesOut
    case skipped(SkipReason)
    /// Its time has not come: nothing is kept of it but that there is something to do then.
    case waits(until: Timestamp)
    /// Its time is over.
    case expired
}

/// Applies the rules to a chunk's rows; what depends on the time zone is worked out once for each.
struct EligibilityFilter {
    let recipients: Recipients
    let facts: OccurrenceFacts
    let zones: ZoneNights
    private let memory: SendMemory?
    private let message: MessageHash?
    private let asksConsent: Bool
    /// By number of language: whether it is an ad to those who speak it.
    private let isAd: [Bool]
    /// By number of zone; empty unless it is an ad.
    private(set) var nights: [Night?] = []
    /// By number of zone; empty unless the Occurrence says when.
    private var times: [Eligibility?] = []
    /// By number of zone; empty unless nothing is worth something for ever.
    private(set) var deadlines: [Timestamp?] = []
    /// By number of zone; empty unless the App has quiet hours.
    private(set) var quiet: [DayWindow.Position?] = []
    let window: DayWindow?

    /// The filter of a chunk.
    ///
    /// What is decided by the clock is decided by the Wave's time when that is later: that it has come is agreed,
    /// whatever this machine's clock says.
    init(
        _ recipients: Recipients,
        of context: OccurrenceContext,
        zones: ZoneNights,
        at clock: Timestamp,
        waveDue: Timestamp?,
        memory: SendMemory?
    ) {
        let now = waveDue.map { max($0, clock) } ?? clock
        let facts = context.facts
        self.recipients = recipients
        self.facts = facts
        self.zones = zones
        self.memory = memory
        message = facts.duplicateGuard != nil && memory != nil ? context.messageHash : nil
        asksConsent = facts.channel != .voip
        isAd = recipients.languageTags.texts.map { facts.isAd && facts.adRule.covers(language: $0) }
        window = facts.quietHours.map { DayWindow(start: $0.from, end: $0.to) }
        let names = recipients.zoneNames.texts
        if facts.isAd { nights = names.map { zones.night(in: $0, at: now) } }
        if facts.rules.local != nil || facts.rules.validFor != nil {
            let locals = names.map { name in
                facts.rules.local.flatMap { zones.instant(of: $0.wall, zone: name, or: $0.zone) }
            }
            deadlines = locals.map { facts.deadline(localTime: $0) }
            times = zip(locals, deadlines).map { Self.timing(local: $0, deadline: $1, facts.rules, clock, now) }
        }
        if let window, let hours = facts.quietHours {
            quiet = names.map { zones.position(of: now, in: window, zone: $0, or: hours.zone) }
        }
    }

    func isAd(_ row: Int) -> Bool { isAd[Int(recipients.languages[row])] }

    /// Whether it is an ad that must not come at night.
    func isNightBound(_ row: Int) -> Bool { isAd(row) && !recipients.consents[row].contains(.nightAds) }

    func verdict(_ row: Int) -> Eligibility {
        guard !recipients.tokens.range(of: row).isEmpty else { return .skipped(.noToken) }
        let zone = Int(recipients.zones[row])
        if !times.isEmpty, let verdict = times[zone] { return verdict }
        if asksConsent {
            let reason = ConsentRules.skip(recipients.consents[row], isAd: isAd(row), night: nights[zone])
            switch reason {
            case nil: break
            case .nightAd where facts.rules.nightPolicy == .defer: return .waits(until: end(zone, isNightBound: true))
            case let reason?: return .skipped(reason)
            }
        }
        if let verdict = quietHours(zone, isNightBound: isNightBound(row)) { return verdict }
        guard let memory else { return .goesOut }
        if let message, memory.said.contains(message.value(token: recipients.tokens[row])) {
            return .skipped(.duplicateMessage)
        }
        guard !memory.capped.contains(recipients.numbers[row]) else { return .skipped(.frequencyCap) }
        // Last of all, so that the group is of those who would have got it.
        return memory.controlled.contains(recipients.numbers[row]) ? .skipped(.controlGroup) : .goesOut
    }

    // MARK: - Private

    private static func timing(
        local: Timestamp?,
        deadline: Timestamp?,
        _ rules: OccurrenceRules,
        _ clock: Timestamp,
        _ now: Timestamp
    ) -> Eligibility? {
        if let local {
            if local > now { return .waits(until: local) }
            if let accepted = rules.local?.acceptedAt, local < accepted { return .skipped(.localTimePassed) }
        }
        return deadline.map { clock >= $0 } ?? false ? .expired : nil
    }
}
