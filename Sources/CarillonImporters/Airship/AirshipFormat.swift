package import CarillonModel

/// Pages of Airship's `GET /api/channels`, saved in files, or a channel a line.
package struct AirshipFormat: SourceFormat {
    package static let name = "airship"
    package static let title = "Airship"
    package static let mayNameTags = true
    package static let signatures: [Set<String>] = [["channel_id", "push_address"], ["channels", "ok"]]
    package static let envelopes: Set<String> = ["channels"]
    package static let members: Set<String>? = [
        "channel_id", "device_type", "push_address", "opt_in", "installed", "created", "last_registration",
        "named_user_id", "tags", "tag_groups", "attributes", "device_attributes",
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
        fates.append(fate(members, line, &builder))
    }

    package func objection() -> SourceProblem? { options.environmentProblem }

    // MARK: - Private

    private func fate(_ members: [String: JSONValue], _ line: Int, _ builder: inout RecordBuilder) -> RowFate {
        guard let type = members["device_type"]?.sourceText else { return .refused(line: line, "has no device_type") }
        if members["installed"]?.flag == false { return .leftOut(.dead, line: line) }
        let optIn = members["opt_in"]?.flag
        var record = ImportRecord(line: line, consent: Consent(notifications: optIn ?? false))
        if let problem = fill(&record, members, &builder) { return .refused(line: line, problem) }
        let address = members["push_address"]?.sourceText ?? ""
        guard type == "ios" else { return .other(OtherDevice(platform: type, address: address, record: record)) }
        let fate = options.fate(of: record, token: address, in: "push_address", options.pushType)
        if optIn == nil, case .device = fate { builder.note(.consentMissing) }
        return fate
    }

    /// - Returns: Why the row is refused.
    private func fill(
        _ record: inout ImportRecord,
        _ members: [String: JSONValue],
        _ builder: inout RecordBuilder
    ) -> String? {
        if let problem = builder.setUser(members["named_user_id"]?.sourceText, of: &record, isTable: false) {
            return "named_user_id: " + problem
        }
        // The phone's own facts are tags of groups.
        let groups = members["tag_groups"]
        let first = { (group: String) in groups?[group]?.array?.first?.sourceText }
        builder.setLanguage(first("ua_locale_language"), of: &record)
        builder.setCountry(first("ua_locale_country"), of: &record)
        builder.setZone(first("timezone"), of: &record)
        builder.setAppVersion(first("ua_ios_app_version"), of: &record)
        builder.setOSVersion(first("ua_ios_version"), of: &record)
        let zone = options.zone ?? "Z"
        record.seenAt =
            SourceTime.read(members["last_registration"]?.meant, zone: zone)
            ?? SourceTime.read(members["created"]?.meant, zone: zone)
        builder.add(labels: (members["tags"]?.array ?? []).compactMap(\.sourceText), to: &record)
        let attributes = (members["attributes"]?.object ?? [:]).sorted { $0.key < $1.key }
        for (name, value) in attributes {
            if let value = value.meant { builder.add(name, value, to: &record) }
        }
        return nil
    }
}
