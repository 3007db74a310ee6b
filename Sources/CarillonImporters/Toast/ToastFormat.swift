package import CarillonModel
package import CarillonReaders

/// What NHN Cloud Push hands out: pages of `tokens-by-cursor`, of `tags/{tag}/uids` and of `invalid-tokens`, saved in
/// files; or a table with the same names.
package struct ToastFormat: SourceFormat {
    package static let name = "toast"
    package static let title = "NHN Cloud Push"
    package static let signatures: [Set<String>] = [
        ["pushType", "isNotificationAgreement"], ["header", "tokens"], ["header", "uids"], ["header", "invalidTokens"],
    ]
    package static let envelopes: Set<String> = ["tokens", "uids", "invalidTokens"]
    package static let members: Set<String>? = [
        "pushType", "isNotificationAgreement", "isAdAgreement", "isNightAdAgreement", "timezoneId", "country",
        "language",
        "uid", "token", "updatedDateTime", "adAgreementDateTime", "nightAdAgreementDateTime", "activatedDateTime",
        "tags",
        "messageId", "createdDateTime",
    ]
    private static let passedOver = ["deviceId"]
    /// Japan and Korea have one time, without summer time.
    private static let zone = "+09:00"
    private static let tenantMark = "#tenant="

    private let options: SourceOptions
    private var header = TableHeader([])

    package init(_ options: SourceOptions) { self.options = options }

    package mutating func begin(_ names: [String]) throws(SourceProblem) -> [String] {
        header = TableHeader(names)
        try header.requireDistinct()
        for needed in ["token", "pushType"] where header.position(needed) < 0 {
            throw SourceProblem(
                "has no column \(needed); the columns are those of tokens-by-cursor. NHN publishes those of its console's "
                    + "file nowhere: rename them, or fetch the pages"
            )
        }
        return header.others(than: (Self.members ?? []).union(Self.passedOver))
    }

    package mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        if let problem = header.objection(to: row) { return fates.append(.refused(line: row.line, problem)) }
        let members = Self.canonical(header.members(row))
        fates.append(token(members, line: row.line, &builder, isTable: true))
    }

    package mutating func read(
        _ members: [String: JSONValue],
        line: Int,
        envelope: String?,
        _ builder: inout RecordBuilder,
        _ fates: inout [RowFate]
    ) {
        switch envelope {
        case "uids": fates.append(user(members, line: line, &builder))
        case "invalidTokens": fates.append(invalid(members, line: line))
        default: fates.append(token(members, line: line, &builder, isTable: false))
        }
    }

    // MARK: - Private

    /// The members of a table under the API's names, whatever their case.
    private static func canonical(_ members: [String: JSONValue]) -> [String: JSONValue] {
        let names = Dictionary(uniqueKeysWithValues: (Self.members ?? []).map { ($0.lowercased(), $0) })
        return Dictionary(members.map { (names[$0.key.lowercased()] ?? $0.key, $0.value) }) { first, _ in first }
    }

    /// A token of several tenants has the tenant behind it.
    private static func split(_ text: String) -> (token: String, tenant: String?) {
        guard let mark = text.firstRange(of: tenantMark) else { return (text, nil) }
        return (String(text[..<mark.lowerBound]), String(text[mark.upperBound...]))
    }

    /// A token in a page of `invalid-tokens`.
    private func invalid(_ members: [String: JSONValue], line: Int) -> RowFate {
        var record = ImportRecord(line: line)
        guard let token = members["token"]?.string.flatMap({ RecordBuilder.token(Self.split($0).token) }) else {
            return .leftOut(.dead, line: line)
        }
        record.registration.token = token
        record.seenAt = SourceTime.read(members["createdDateTime"], zone: options.zone ?? Self.zone)
        return .dead(record)
    }

    /// A User with all of their tags.
    private func user(_ members: [String: JSONValue], line: Int, _ builder: inout RecordBuilder) -> RowFate {
        var record = ImportRecord(line: line)
        if let problem = builder.setUser(members["uid"]?.sourceText, of: &record, isTable: false) {
            return .refused(line: line, "uid: " + problem)
        }
        guard record.registration.user != nil else { return .refused(line: line, "has no uid") }
        builder.add(labels: (members["tags"]?.array ?? []).compactMap { $0["tagName"]?.string }, to: &record)
        return .user(record)
    }

    private func token(
        _ members: [String: JSONValue],
        line: Int,
        _ builder: inout RecordBuilder,
        isTable: Bool
    ) -> RowFate {
        guard let type = members["pushType"]?.string else { return .refused(line: line, "has no pushType") }
        guard let text = members["token"]?.string, !text.isEmpty else { return .leftOut(.withoutToken, line: line) }
        var record = ImportRecord(line: line)
        if let problem = fill(&record, members, &builder, isTable: isTable) { return .refused(line: line, problem) }
        switch type {
        case "APNS": record.registration.pushType = .apns
        case "APNS_SANDBOX": record.registration.pushType = .apnsSandbox
        case "APNS_VOIP", "APNS_SANDBOXVOIP": return .leftOut(.callToken, line: line)
        default: return .other(OtherDevice(platform: Self.platform(type), address: text, record: record))
        }
        let (digits, tenant) = Self.split(text)
        guard let token = RecordBuilder.token(digits) else {
            return .refused(line: line, "token " + RecordBuilder.tokenProblem)
        }
        if let tenant, !DeviceField.tenant.accepts(tenant) {
            return .refused(line: line, "has a tenant behind its token that is not 1 through 64 characters")
        }
        (record.registration.token, record.registration.tenant) = (token, tenant)
        return .device(record)
    }

    /// - Returns: Why the row is refused.
    private func fill(
        _ record: inout ImportRecord,
        _ members: [String: JSONValue],
        _ builder: inout RecordBuilder,
        isTable: Bool
    ) -> String? {
        if let problem = builder.setUser(members["uid"]?.sourceText, of: &record, isTable: isTable) {
            return "uid: " + problem
        }
        builder.setLanguage(members["language"]?.string, of: &record)
        builder.setCountry(members["country"]?.string, of: &record)
        builder.setZone(members["timezoneId"]?.string, of: &record)
        let zone = options.zone ?? Self.zone
        record.seenAt =
            SourceTime.read(members["updatedDateTime"], zone: zone)
            ?? SourceTime.read(members["activatedDateTime"], zone: zone)
        setConsent(&record, members, &builder, zone)
        return nil
    }

    private func setConsent(
        _ record: inout ImportRecord,
        _ members: [String: JSONValue],
        _ builder: inout RecordBuilder,
        _ zone: String
    ) {
        let flag = { (name: String) in members[name]?.flag }
        if flag("isNotificationAgreement") == nil { builder.note(.consentMissing) }
        let consent = Consent(
            notifications: flag("isNotificationAgreement") ?? false,
            ads: flag("isAdAgreement") ?? false,
            nightAds: flag("isNightAdAgreement") ?? false
        )
        record.registration.consent = consent
        if consent.ads { record.consentTimes.ads = SourceTime.read(members["adAgreementDateTime"], zone: zone) }
        if consent.nightAds {
            record.consentTimes.nightAds = SourceTime.read(members["nightAdAgreementDateTime"], zone: zone)
        }
        let isUndated =
            (consent.ads && record.consentTimes.ads == nil) || (consent.nightAds && record.consentTimes.nightAds == nil)
        if isUndated { builder.note(.consentUndated) }
    }

    private static func platform(_ type: String) -> String {
        switch type {
        case "FCM", "GCM": "android"
        case "TENCENT": "tencent"
        case "ADM": "amazon"
        default: "unknown"
        }
    }
}
