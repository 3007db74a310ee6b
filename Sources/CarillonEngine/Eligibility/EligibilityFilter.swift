import CarillonBytes
import CarillonModel
import CarillonOperatorModel

/// Whether one of a Chunk's rows may be sent.
enum Eligibility {
    case goesOut
    case skipped(SkipReason)
    /// Its time has not come: only the need for a Wave at that time is stored.
    case waits(until: Timestamp)
    /// Its time is over.
    case expired
}

/// Applies the rules to a Chunk's rows; results that depend on the time zone are computed once per zone.
struct EligibilityFilter {
    let recipients: Recipients
    let facts: OccurrenceFacts
    let zones: ZoneNights
    private let memory: SendMemory?
    private let message: MessageHash?
    private let asksConsent: Bool
    /// By language number: whether it is an ad for phones in that language.
    private let isAd: [Bool]
    /// By zone number; empty unless it is an ad.
    private(set) var nights: [Night?] = []
    /// By zone number; empty unless the Occurrence is in local time.
    private var times: [Eligibility?] = []
    /// By zone number; empty unless notifications expire.
    private(set) var deadlines: [Timestamp?] = []
    /// By zone number; empty unless the App has quiet hours.
    private(set) var quiet: [DayWindow.Position?] = []
    let window: DayWindow?

    /// Creates the filter of a Chunk.
    ///
    /// Times are compared with the later of the clock and the Wave's time: the Wave is due, even if this machine's
    /// clock is behind.
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
        window = facts.quietHours.map { DayWindow(start: $0.from, end: $0.until) }
        let names = recipients.zoneNames.texts
        if facts.isAd { nights = names.map { zones.night(in: $0, at: now) } }
        if facts.rules.local != nil || facts.rules.validFor != nil {
            let locals = names.map { name in
                facts.rules.local.flatMap { $0.instant(in: name, zones) }
            }
            deadlines = locals.map { facts.deadline(localTime: $0) }
            times = zip(locals, deadlines).map { Self.timing(local: $0, deadline: $1, facts.rules, clock, now) }
        }
        if let window, let hours = facts.quietHours {
            quiet = names.map { zones.position(of: now, in: window, zone: $0, or: hours.zone) }
        }
    }

    func isAd(_ row: Int) -> Bool { isAd[Int(recipients.languages[row])] }

    /// Whether it is an ad that must not be sent at night.
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
        // Checked last, so that the control group contains only Users who would have got it.
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
