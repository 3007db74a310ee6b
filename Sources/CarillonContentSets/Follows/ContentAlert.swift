package import CarillonModel
package import Foundation

/// What goes out when a table has new rows, as an operator sets it.
package struct ContentAlertSettings: Hashable, Sendable {
    /// The id of the template whose texts have the row's fields as `{{recipient.FIELD}}`.
    package var template: String
    /// The template for bundles; ``template`` when missing.
    package var bundleTemplate: String?
    /// Whether it needs consent to ads.
    package var isAd = false
    /// The statistics key; none when missing.
    package var statisticsID: String?
    /// When bundles go out, minutes after midnight in the set's time zone.
    package var bundleMinute = 540
    package var isActive = true

    package init(template: String) { self.template = template }
}

extension ContentAlertSettings: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case template, bundleTemplate, isAd, statisticsID, bundleAt, isActive
    }

    /// Decodes settings strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let template = try fields.text(.template, 1...64) else { throw fields.failure(.template, "is required") }
        self.init(template: template)
        bundleTemplate = try fields.text(.bundleTemplate, 1...64)
        isAd = try fields.optional(.isAd) ?? false
        statisticsID = try fields.text(.statisticsID, 1...64)
        isActive = try fields.optional(.isActive) ?? true
        guard let text = try fields.text(.bundleAt, 5...5) else { return }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isTwoDigits = { (part: Substring) in
            part.utf8.count == 2 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard parts.count == 2, parts.allSatisfy(isTwoDigits), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { throw fields.failure(.bundleAt, "must be a time of day, such as 09:00") }
        bundleMinute = hour * 60 + minute
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(template, forKey: .template)
        try fields.encodeIfPresent(bundleTemplate, forKey: .bundleTemplate)
        try fields.encode(isAd, forKey: .isAd)
        try fields.encodeIfPresent(statisticsID, forKey: .statisticsID)
        try fields.encode(bundleAt, forKey: .bundleAt)
        try fields.encode(isActive, forKey: .isActive)
    }

    private var bundleAt: String {
        let (hour, minute) = (bundleMinute / 60, bundleMinute % 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }

    /// When what is new now goes out in a bundle: the next such time of day.
    package func bundleTime(after now: Timestamp, in zone: TimeZone) -> Timestamp {
        let today = LocalTime.wall(now, in: zone).days
        for day in today...today + 2 {
            if let time = LocalTime.instant(days: day, seconds: bundleMinute * 60, in: zone), time > now { return time }
        }
        return now
    }
}

/// An alert of a table.
package struct ContentAlert: Hashable, Sendable {
    package var app: AppID
    package var set: String
    package var table: String
    package var settings: ContentAlertSettings
    package var state = State()

    /// An import with more new rows than this leads to no alerts: it is a change of keys, and no news.
    package static let maximumRowCount = 1_000

    package init(app: AppID, set: String, table: String, settings: ContentAlertSettings) {
        self.app = app
        self.set = set
        self.table = table
        self.settings = settings
    }
}

extension ContentAlert: Encodable {
    private enum CodingKeys: String, CodingKey { case set, table, campaignAt, problem, problemAt }

    package func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(set, forKey: .set)
        try fields.encode(table, forKey: .table)
        try fields.encodeIfPresent(state.campaignAt, forKey: .campaignAt)
        try fields.encodeIfPresent(state.problem, forKey: .problem)
        try fields.encodeIfPresent(state.problemAt, forKey: .problemAt)
    }
}
