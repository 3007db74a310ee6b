import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The waterfall from whom the Audience matches to who gets it.
struct EstimateView: Hashable, Sendable {
    /// A row of the waterfall.
    struct Row: Hashable, Sendable {
        let rowName: String
        let rowDevices: String
        let isTotal: Bool
    }

    /// A Device of the sample.
    struct Sampled: Hashable, Sendable {
        let sampledPath: String
        let sampledID: String
        let sampledUser: String
        let sampledFacts: String
        let sampledWhy: String
    }

    /// Why nothing can be counted; `nil` when it was.
    let unknown: String?
    let rows: [Row]
    let deferred: [Row]
    let hasDeferred: Bool
    let reachText: String
    let countedText: String
    let isSample: Bool
    let languages: [Row]
    let zones: [Row]
    let sampled: [Sampled]
    let hasSampled: Bool

    /// The rows that are always there, in the order of the rules; others come when they are not 0.
    private static let usual: [(name: String, reasons: [String])] = [
        ("token", ["NoToken"]), ("noConsent", ["NoConsent"]), ("noAdConsent", ["NoAdConsent"]),
        ("night", ["NightAd", "UnknownTimeZone"]), ("quiet", ["QuietHours"]), ("capped", ["FrequencyCap"]),
        ("duplicate", ["DuplicateMessage"]), ("noContent", ["NoAdWording", "MissingValue"]),
    ]
    private static let others: [(name: String, reasons: [String])] = [
        ("timePassed", ["LocalTimePassed"]), ("expired", ["Expired"]), ("control", ["ControlGroup"]),
        ("holdout", ["Holdout"]),
    ]

    /// The name of a reason's row, in the texts' words.
    static func row(of reason: String) -> String {
        (usual + others).first { $0.reasons.contains(reason) }?.name ?? reason
    }

    init(unknown: String) {
        self.unknown = unknown
        (rows, deferred, languages, zones, sampled) = ([], [], [], [], [])
        (hasDeferred, isSample, hasSampled) = (false, false, false)
        (reachText, countedText) = ("", "")
    }

    init(
        _ estimate: ReachEstimate,
        _ sample: [ReachedDevice],
        _ campaign: Campaign,
        at now: Timestamp,
        _ look: Look
    ) {
        let (texts, about) = (look.texts, estimate.isExact ? "" : "≈ ")
        func number(_ count: Int) -> String { about + look.numbers.full(count) }
        func row(_ name: String, _ count: Int, sign: String = "", isTotal: Bool = false) -> Row {
            Row(rowName: texts.word("target.row", name), rowDevices: sign + number(count), isTotal: isTotal)
        }
        unknown = nil
        var rows = [row("matched", estimate.matched, isTotal: true)]
        for (place, part) in (Self.usual + Self.others).enumerated() {
            let count = part.reasons.reduce(0) { $0 + estimate.skipped($1) }
            if place < Self.usual.count || count > 0 { rows.append(row(part.name, count, sign: "− ")) }
        }
        rows.append(row("reach", estimate.reach, isTotal: true))
        self.rows = rows
        deferred = estimate.deferred.map { row($0.reason == "NightAd" ? "afterNight" : "afterQuiet", $0.devices) }
        hasDeferred = !deferred.isEmpty
        reachText = about + look.audience(devices: estimate.reach, users: estimate.users)
        isSample = !estimate.isExact
        countedText = texts(
            estimate.isExact ? "target.exact" : "target.sampled",
            ["time": look.times.exact(now).text]
        )
        languages = Self.parts(estimate.languages, texts("target.noLanguage"), number)
        zones = Self.parts(estimate.zones, texts("target.noZone"), number)
        let paths = AppPath(app: campaign.app)
        sampled = sample.map { Sampled($0, campaign.audience, paths, look) }
        hasSampled = !sampled.isEmpty
    }

    /// The largest parts first.
    private static func parts(_ counts: [String: Int], _ none: String, _ number: (Int) -> String) -> [Row] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(20).map { key, count in
            Row(rowName: key.isEmpty ? none : key, rowDevices: number(count), isTotal: false)
        }
    }
}

extension EstimateView.Sampled {
    fileprivate init(_ device: ReachedDevice, _ audience: Audience, _ paths: AppPath, _ look: Look) {
        sampledPath = paths.device(device.id)
        sampledID = device.id.description.shortened(ends: 4)
        sampledUser = device.user?.rawValue ?? "–"
        let facts = [device.model, device.appVersion, device.language, device.country, device.timeZone]
        sampledFacts = look.list(facts.compactMap(\.self))
        let terms = device.matches.map { AudienceRule.term($0).text }
        sampledWhy = terms.isEmpty ? look.texts.word("target.why", audience.kindWord) : look.list(terms)
    }
}

extension Audience {
    fileprivate var kindWord: String {
        switch self {
        case .all: "everyone"
        case .users, .devices: "listed"
        case .rule, .saved, .redacted: "rule"
        }
    }
}

extension Look {
    /// Devices and whose they are: 3 Devices of 2 Users; without the Users where no Device has one.
    func audience(devices: Int, users: Int) -> String {
        let devices = texts("audience.devices", count: devices)
        return users == 0
            ? devices : texts("target.reach", ["devices": devices, "users": texts("audience.users", count: users)])
    }
}
