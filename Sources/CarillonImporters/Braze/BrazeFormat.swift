package import CarillonModel

/// The export of a Braze segment: a JSON object a user and line, with the tokens of all of their devices.
package struct BrazeFormat: SourceFormat {
    package static let name = "braze"
    package static let title = "Braze"
    package static let signatures: [Set<String>] = [["push_tokens"], ["external_id", "custom_attributes"]]
    /// The answer of `/users/export/ids`; a segment's export has a line for each user.
    package static let envelopes: Set<String> = ["users"]
    package static let members: Set<String>? = [
        "external_id", "push_tokens", "country", "language", "time_zone", "custom_attributes", "push_subscribe", "apps",
        "devices", "uninstalled_at",
    ]

    /// A person's apps by name and devices by id: a line of a megabyte may have thousands of each.
    private struct Phones {
        var apps: [String: JSONValue]
        var devices: [String: JSONValue]

        init(_ members: [String: JSONValue]) {
            func first(_ list: String, by name: String) -> [String: JSONValue] {
                let keyed = (members[list]?.array ?? []).compactMap { value in
                    value[name]?.sourceText.map { ($0, value) }
                }
                return Dictionary(keyed) { first, _ in first }
            }
            apps = first("apps", by: "name")
            devices = first("devices", by: "device_id")
        }
    }

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
        var person = ImportRecord(line: line)
        if let problem = fill(&person, members, &builder) { return fates.append(.refused(line: line, problem)) }
        let tokens = members["push_tokens"]?.array ?? []
        guard !tokens.isEmpty else {
            let isKept = options.keepsUsersWithoutToken && person.registration.user != nil
            return fates.append(isKept ? .user(person) : .leftOut(.withoutToken, line: line))
        }
        let phones = Phones(members)
        for token in tokens { fates.append(fate(token, person, members, phones, &builder)) }
    }

    package func objection() -> SourceProblem? {
        options.environmentProblem ?? apps.problem(options)
    }

    // MARK: - Private

    private mutating func fate(
        _ token: JSONValue,
        _ person: ImportRecord,
        _ members: [String: JSONValue],
        _ phones: Phones,
        _ builder: inout RecordBuilder
    ) -> RowFate {
        let line = person.line
        guard let text = token["token"]?.string, !text.isEmpty else { return .leftOut(.withoutToken, line: line) }
        var record = person
        let enabled = token["notifications_enabled"]?.flag
        let subscription = members["push_subscribe"]?.string
        // `subscribed` is the state of every new profile; the token's own state proves the permission.
        record.registration.consent.notifications =
            subscription != "unsubscribed" && (enabled ?? (subscription == "opted_in"))
        guard let platform = token["platform"]?.string else {
            return .refused(line: line, "has a token without platform")
        }
        guard Self.isApple(platform) else {
            return .other(OtherDevice(platform: platform.lowercased(), address: text, record: record))
        }
        if apps.insert(token["app"]?.string, options) { return .leftOut(.otherApp, line: line) }
        if members["uninstalled_at"]?.meant != nil { return .leftOut(.dead, line: line) }
        fillPhone(&record, token, phones, &builder)
        let fate = options.fate(of: record, token: text, in: "push_tokens: token", options.pushType)
        guard case .device = fate else { return fate }
        if enabled == nil, subscription == nil { builder.note(.consentMissing) }
        if token["provisionally_opted_in"]?.flag == true { builder.note(.provisional) }
        return fate
    }

    /// - Returns: Why the row is refused.
    private func fill(
        _ record: inout ImportRecord,
        _ members: [String: JSONValue],
        _ builder: inout RecordBuilder
    ) -> String? {
        if let problem = builder.setUser(members["external_id"]?.sourceText, of: &record, isTable: false) {
            return "external_id: " + problem
        }
        builder.setLanguage(members["language"]?.string, of: &record)
        builder.setCountry(members["country"]?.string, of: &record)
        builder.setZone(members["time_zone"]?.string, of: &record)
        let attributes = (members["custom_attributes"]?.object ?? [:]).sorted { $0.key < $1.key }
        for (name, value) in attributes {
            if record.registration.user == nil, options.categoryNames.contains(name) {
                builder.addCategories((value.array ?? [value]).map(\.plainText), to: &record)
            } else if let list = value.array, !list.contains(where: \.isContainer) {
                builder.add(name, list: list, to: &record)
            } else {
                builder.add(name, value, to: &record)
            }
        }
        return nil
    }

    private func fillPhone(
        _ record: inout ImportRecord,
        _ token: JSONValue,
        _ phones: Phones,
        _ builder: inout RecordBuilder
    ) {
        let app = token["app"]?.sourceText.flatMap { phones.apps[$0] }
        builder.setAppVersion(app?["version"]?.sourceText, of: &record)
        record.seenAt = SourceTime.read(app?["last_used"], zone: options.zone ?? "Z")
        let device = token["device_id"]?.sourceText.flatMap { phones.devices[$0] }
        builder.setOSVersion(device?["os"]?.string, of: &record)
        builder.setModel(device?["model"]?.string, of: &record)
    }

    /// Braze's text for iOS is not published; these are the ones that name Apple's systems for phones.
    private static func isApple(_ platform: String) -> Bool {
        let name = platform.lowercased()
        return ["ios", "ipados", "iphone", "ipad", "apns"].contains { name.hasPrefix($0) }
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
