package import CarillonModel

/// Parse's `_Installation`, as mongoexport or the REST API write it.
package struct ParseFormat: SourceFormat {
    package static let name = "parse"
    package static let title = "Parse"
    package static let mayNameTags = true
    package static let signatures: [Set<String>] = [
        ["deviceToken", "installationId"], ["deviceType", "installationId"],
    ]
    package static let envelopes: Set<String> = ["results"]
    /// What Parse itself keeps of an installation; all else is the app's own.
    private static let own: Set<String> = [
        "installationId", "deviceToken", "channels", "deviceType", "pushType", "GCMSenderId", "timeZone",
        "localeIdentifier", "appVersion", "appIdentifier", "appName", "parseVersion", "badge", "createdAt", "updatedAt",
        "objectId", "ACL", "deviceTokenLastModified",
    ]

    private let options: SourceOptions
    private var apps = NamedApps()

    package init(_ options: SourceOptions) { self.options = options }

    package mutating func read(
        _ members: [String: JSONValue],
        line: Int,
        envelope: String?,
        _ builder: inout RecordBuilder,
        _ fates: inout [RowFate]
    ) {
        fates.append(fate(members, line, &builder))
    }

    package func objection() -> SourceProblem? {
        options.environmentProblem ?? options.consentProblem ?? apps.problem(options)
    }

    // MARK: - Private

    private mutating func fate(
        _ members: [String: JSONValue],
        _ line: Int,
        _ builder: inout RecordBuilder
    ) -> RowFate {
        guard let type = members["deviceType"]?.string else { return .refused(line: line, "has no deviceType") }
        var record = ImportRecord(line: line, consent: Consent(notifications: options.consent ?? false))
        if let problem = fill(&record, members, &builder) { return .refused(line: line, problem) }
        let text = members["deviceToken"]?.sourceText ?? ""
        guard type == "ios" else { return .other(OtherDevice(platform: type, address: text, record: record)) }
        if apps.insert(members["appIdentifier"]?.string, options) { return .leftOut(.otherApp, line: line) }
        return options.fate(of: record, token: text, in: "deviceToken", options.pushType)
    }

    /// - Returns: Why the row is refused.
    private func fill(
        _ record: inout ImportRecord,
        _ members: [String: JSONValue],
        _ builder: inout RecordBuilder
    ) -> String? {
        let userField = options.columns["user"]
        if let userField {
            let id = Self.userID(members[userField], isPointer: userField.hasPrefix("_p_"))
            if let problem = builder.setUser(id, of: &record, isTable: false) {
                return "\(userField): " + problem
            }
        }
        builder.setLocale(members["localeIdentifier"]?.string, of: &record)
        builder.setZone(members["timeZone"]?.string, of: &record)
        builder.setAppVersion(members["appVersion"]?.sourceText, of: &record)
        let zone = options.zone ?? "Z"
        record.seenAt =
            ["_updated_at", "updatedAt", "_created_at", "createdAt"].lazy
            .compactMap { SourceTime.read(members[$0], zone: zone) }.first
        builder.add(labels: (members["channels"]?.array ?? []).compactMap(\.string), to: &record)
        for (name, value) in members.sorted(by: { $0.key < $1.key })
        where !Self.own.contains(name) && !name.hasPrefix("_") && name != userField {
            if let list = value.array {
                builder.add(name, list: list, to: &record)
            } else {
                builder.add(name, value, to: &record)
            }
        }
        return nil
    }

    /// The id behind a pointer: `_User$abc` of MongoDB, or an object of the REST API.
    private static func userID(_ value: JSONValue?, isPointer: Bool) -> String? {
        if let id = value?["objectId"]?.string { return id }
        guard let text = value?.sourceText, isPointer else { return value?.sourceText }
        return text.split(separator: "$", maxSplits: 1).last.map(String.init)
    }
}
