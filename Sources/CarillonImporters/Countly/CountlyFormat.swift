package import CarillonModel

/// Countly's two collections: `app_users…` with the person, and `push_…` with the tokens.
///
/// The files are joined by the id that both have. Their rows are halves; who joins them feeds the format with
/// ``JoinedRow``s. `app_users` alone has only hashes of tokens.
package struct CountlyFormat: SourceFormat {
    package static let name = "countly"
    package static let title = "Countly"
    package static let signatures: [Set<String>] = [["tk", "_id"], ["uid", "did"]]
    package static let members: Set<String>? = [
        "_id", "uid", "did", "cc", "pv", "av", "d", "ls", "la", "lo", "custom", "tk",
    ]
    package static let joins = true

    /// The keys of tokens, with their environment: development, production, and ad hoc or TestFlight.
    private static let keys: [(key: String, pushType: PushType)] = [
        ("ip", .apns), ("ia", .apns), ("id", .apnsSandbox),
    ]

    private let options: SourceOptions

    package init(_ options: SourceOptions) { self.options = options }

    package mutating func read(
        _ members: [String: JSONValue],
        line: Int,
        envelope: String?,
        _ builder: inout RecordBuilder,
        _ fates: inout [RowFate]
    ) {
        if members["tk"]?.object != nil {
            guard let id = members["_id"]?.sourceText else {
                return fates.append(.refused(line: line, "has no _id"))
            }
            return fates.append(.half(SourceHalf(line: line, key: id, isPerson: false, members: members)))
        }
        guard let uid = members["uid"]?.sourceText else {
            return fates.append(.refused(line: line, "has neither tk nor uid"))
        }
        let person = members.filter { $0.key != "uid" && $0.key != "_id" }
        fates.append(.half(SourceHalf(line: line, key: uid, isPerson: true, members: person)))
    }

    package mutating func read(_ row: JoinedRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        fates.append(contentsOf: devices(row, &builder))
    }

    package func objection() -> SourceProblem? { options.consentProblem }

    // MARK: - Private

    private func devices(_ row: JoinedRow, _ builder: inout RecordBuilder) -> [RowFate] {
        let line = row.line
        let tokens = row.members["tk"]?.object ?? [:]
        var record = ImportRecord(line: line, consent: Consent(notifications: options.consent ?? false))
        if let problem = fill(&record, row.person ?? [:], &builder) { return [.refused(line: line, problem)] }
        let fates = tokens.sorted { $0.key < $1.key }.map { key, value -> RowFate in
            let text = value.string ?? ""
            guard let type = Self.keys.first(where: { $0.key == key })?.pushType else {
                return .other(
                    OtherDevice(platform: key.hasPrefix("h") ? "huawei" : "android", address: text, record: record)
                )
            }
            if text.contains(":") { return .leftOut(.firebaseToken, line: line) }
            guard let token = RecordBuilder.token(text) else {
                return .refused(line: line, "tk.\(key) " + RecordBuilder.tokenProblem)
            }
            var device = record
            (device.registration.token, device.registration.pushType) = (token, type)
            return .device(device)
        }
        return fates.isEmpty ? [.leftOut(.withoutToken, line: line)] : fates
    }

    /// - Returns: Why the row is refused.
    private func fill(
        _ record: inout ImportRecord,
        _ person: [String: JSONValue],
        _ builder: inout RecordBuilder
    ) -> String? {
        // A device id of the SDK's own making is no User's id, unless somebody says that the app sets it.
        if let field = options.columns["user"],
            let problem = builder.setUser(person[field]?.sourceText, of: &record, isTable: false)
        {
            return "\(field): " + problem
        }
        builder.setLocale(person["lo"]?.sourceText, of: &record)
        builder.setCountry(person["cc"]?.sourceText, of: &record)
        // Countly stores 1.2.3 as 1:2:3.
        builder.setAppVersion(person["av"]?.sourceText?.replacing(":", with: "."), of: &record)
        builder.setOSVersion(person["pv"]?.sourceText?.replacing(":", with: "."), of: &record)
        builder.setModel(person["d"]?.sourceText, of: &record)
        record.seenAt = SourceTime.read(person["la"]) ?? SourceTime.read(person["ls"])
        for (name, value) in (person["custom"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            builder.add(name, value, to: &record)
        }
        return nil
    }
}
