import CarillonModel
package import CarillonReaders

/// The CSV export of OneSignal: a row a subscription.
package struct OneSignalFormat: SourceFormat {
    package static let name = "onesignal"
    package static let title = "OneSignal"
    package static let signatures: [Set<String>] = [["identifier", "device_type"]]
    package static let hasObjects = false
    package static let hasIndependentRows = true

    /// The columns that are read, in the order of ``Column``; the others of an export are known and passed over.
    private static let passedOver = [
        "id", "session_count", "ad_id", "playtime", "amount_spent", "badge_count", "onesignal_id", "location", "rooted",
        "ip", "web_auth", "web_p256", "unsubscribed_at",
    ]

    private enum Column: Int, CaseIterable {
        case identifier, deviceType, externalUserId, tags, language, country, timezone, timezoneId, gameVersion
        case deviceOs, deviceModel, lastActive, createdAt, invalidIdentifier, notificationTypes, testType

        /// The name in a header, such as `device_type`.
        var name: String { "\(self)".snakeCased }
    }

    private let options: SourceOptions
    private var count = 0
    /// By the ordinal of ``Column``; -1 when the table does not have it.
    private var positions = Array(repeating: -1, count: Column.allCases.count)

    package init(_ options: SourceOptions) { self.options = options }

    package mutating func begin(_ header: [String]) throws(SourceProblem) -> [String] {
        let header = TableHeader(header)
        try header.requireDistinct()
        count = header.count
        positions = Column.allCases.map { header.position($0.name) }
        for needed in [Column.identifier, .deviceType] where position(needed) < 0 {
            throw SourceProblem("has no column \(needed.name); its first line must be the header of the export")
        }
        if position(.testType) < 0, let problem = options.environmentProblem { throw problem }
        return header.others(than: Column.allCases.map(\.name) + Self.passedOver)
    }

    package mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        if builder.isSurvey { return fates.append(.claim(claim(row))) }
        guard row.count == count else {
            return fates.append(.refused(line: row.line, "has \(row.count) fields, the header has \(count)"))
        }
        guard let type = number(.deviceType, row) else {
            return fates.append(.refused(line: row.line, "device_type must be a number"))
        }
        fates.append(type == 0 ? device(row, &builder) : other(row, type, &builder))
    }

    // MARK: - Private

    private func position(_ column: Column) -> Int { positions[column.rawValue] }

    private func text(_ column: Column, _ row: TableRow) -> String? { row.text(position(column)) }

    private func number(_ column: Column, _ row: TableRow) -> Int? { text(column, row).flatMap { Int($0) } }

    /// What a row says of its token, without a record: `nil` for every row of which ``read(_:_:_:)`` makes no device.
    private func claim(_ row: TableRow) -> TokenClaim? {
        guard row.count == count, number(.deviceType, row) == 0 else { return nil }
        let state = state(row)
        guard state != .uninstalled, RecordBuilder.isUser(row.bytes(position(.externalUserId))),
            let token = options.token(row.bytes(position(.identifier)))
        else { return nil }
        return TokenClaim(token, seenAt: seenAt(row), consents: state.consents)
    }

    private func seenAt(_ row: TableRow) -> Timestamp? {
        let lastActive = row.bytes(position(.lastActive))
        let time = lastActive.isEmpty ? row.bytes(position(.createdAt)) : lastActive
        return SourceTime.read(time, zone: options.zone ?? "Z")
    }

    private func device(_ row: TableRow, _ builder: inout RecordBuilder) -> RowFate {
        let state = state(row)
        if state == .uninstalled { return .leftOut(.dead, line: row.line) }
        var record = ImportRecord(line: row.line, consent: Consent(notifications: state.consents))
        if let problem = fill(&record, row, &builder) { return .refused(line: row.line, problem) }
        let identifier = row.bytes(position(.identifier))
        let fate = options.fate(of: record, token: identifier, in: "identifier", pushType(row))
        if let note = state.note, case .device = fate { builder.note(note) }
        return fate
    }

    private func other(_ row: TableRow, _ type: Int, _ builder: inout RecordBuilder) -> RowFate {
        var record = ImportRecord(line: row.line, consent: Consent(notifications: state(row).consents))
        if let problem = fill(&record, row, &builder) { return .refused(line: row.line, problem) }
        return .other(
            OtherDevice(platform: Self.platform(type), address: text(.identifier, row) ?? "", record: record)
        )
    }

    /// View-user says 1 for development and 2 for ad hoc; a build of the App Store has nothing.
    private func pushType(_ row: TableRow) -> PushType {
        guard position(.testType) >= 0 else { return options.pushType }
        return text(.testType, row) == "1" ? .apnsSandbox : .apns
    }

    /// - Returns: Why the row is refused.
    private func fill(_ record: inout ImportRecord, _ row: TableRow, _ builder: inout RecordBuilder) -> String? {
        if let problem = builder.setUser(text(.externalUserId, row), of: &record, isTable: true) {
            return problem.replacing("a user ", with: "an external_user_id ")
                .replacing("user must", with: "external_user_id must")
        }
        record.seenAt = seenAt(row)
        builder.setLanguage(text(.language, row), of: &record)
        builder.setCountry(text(.country, row), of: &record)
        builder.setAppVersion(text(.gameVersion, row), of: &record)
        builder.setOSVersion(text(.deviceOs, row), of: &record)
        builder.setModel(text(.deviceModel, row), of: &record)
        if let zone = text(.timezoneId, row) {
            builder.setZone(zone, of: &record)
        } else if text(.timezone, row) != nil {
            // Seconds from UTC name no zone: they do not say when clocks change.
            builder.note(.zone)
        }
        fillTags(&record, row, &builder)
        return nil
    }

    private func fillTags(_ record: inout ImportRecord, _ row: TableRow, _ builder: inout RecordBuilder) {
        let cell = row.bytes(position(.tags))
        // An empty object has two characters.
        guard cell.count > 2 else { return }
        guard let tags = try? JSONParser.object(cell) else { return builder.note(.attributesUnreadable) }
        if record.registration.user == nil, !options.categoryNames.isEmpty {
            let labels = tags.filter { options.categoryNames.contains($0.key) }
            builder.addCategories(labels.sorted { $0.key < $1.key }.map(\.value.plainText), to: &record)
            if labels.count == tags.count { return }
        }
        builder.add(tags, to: &record)
    }
}

// MARK: - What the numbers mean

extension OneSignalFormat {
    /// What `notification_types` and `invalid_identifier` say together.
    private enum State: Equatable {
        case subscribed, valid, provisional, neverAsked, unsubscribed, uninstalled, unknown

        var consents: Bool { self == .subscribed || self == .valid || self == .provisional }

        var note: ImportNote? {
            switch self {
            case .provisional: .provisional
            case .valid: .consentByValidity
            case .neverAsked: .neverAsked
            case .unknown: .consentMissing
            case .subscribed, .unsubscribed, .uninstalled: nil
            }
        }
    }

    private func flag(_ column: Column, _ row: TableRow) -> Bool? {
        let text = row.bytes(position(column))
        // Exports have one of these in each row; all else is told by its words.
        if text.count == 1, text.first == UInt8(ascii: "f") { return false }
        if text.count == 1, text.first == UInt8(ascii: "t") { return true }
        return JSONValue.string(String(decoding: text, as: UTF8.self)).flag
    }

    /// `UNAuthorizationOptions.provisional`: iOS reports the permission's bits.
    private static let provisionalBit = 64

    private func state(_ row: TableRow) -> State {
        let isInvalid = flag(.invalidIdentifier, row)
        guard let types = number(.notificationTypes, row) else {
            // An export without the column says it by the other one; an empty cell says nothing.
            guard isInvalid != true else { return .unsubscribed }
            return isInvalid == false && position(.notificationTypes) < 0 ? .valid : .unknown
        }
        switch types {
        case -10: return .uninstalled
        case 0, -18, -19, -99: return .neverAsked
        case 1...:
            if isInvalid == true { return .unsubscribed }
            return types & Self.provisionalBit != 0 ? .provisional : .subscribed
        default: return .unsubscribed
        }
    }

    /// The kind of a device that is not an iPhone or iPad.
    private static func platform(_ type: Int) -> String {
        switch type {
        case 1: "android"
        case 2, 10: "amazon"
        case 3, 6: "windows"
        case 4, 5, 7, 8, 17: "web"
        case 9: "macos"
        case 11: "email"
        case 13: "huawei"
        case 14: "sms"
        default: "unknown"
        }
    }
}
