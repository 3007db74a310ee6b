package import CarillonModel
package import CarillonReaders

/// The export of Amazon Pinpoint: a JSON object an endpoint and line, or the console's CSV with names with dots.
package struct PinpointFormat: SourceFormat {
    package static let name = "pinpoint"
    package static let title = "Amazon Pinpoint"
    package static let signatures: [Set<String>] = [["ChannelType", "Address"]]
    package static let members: Set<String>? = [
        "Address", "Attributes", "ChannelType", "CreationDate", "Demographic", "EffectiveDate", "EndpointStatus",
        "Location", "Metrics", "OptOut", "User",
    ]
    /// The columns of a CSV file that are known and passed over.
    private static let passedOver: Set<String> = [
        "Id", "ApplicationId", "CohortId", "RequestId", "Demographic.Make", "Demographic.ModelVersion",
        "Demographic.Platform", "Location.City", "Location.Latitude", "Location.Longitude", "Location.PostalCode",
        "Location.Region",
    ]
    private static let readPaths: Set<String> = [
        "Demographic.Locale", "Demographic.Timezone", "Demographic.AppVersion", "Demographic.PlatformVersion",
        "Demographic.Model", "Location.Country", "User.UserId",
    ]

    private static let attributePrefix = "User.UserAttributes."

    private let options: SourceOptions
    private var header = TableHeader([])

    package init(_ options: SourceOptions) { self.options = options }

    package mutating func begin(_ names: [String]) throws(SourceProblem) -> [String] {
        header = TableHeader(names)
        for needed in ["Address", "ChannelType"] where header.position(needed) < 0 {
            throw SourceProblem("has no column \(needed); its first line must be the header of the export")
        }
        var met: Set<String> = []
        for name in header.written where !Self.isList(name) && !met.insert(name).inserted {
            throw SourceProblem("has the column \(name) twice")
        }
        let members = Self.members ?? []
        return header.written.filter { name in
            !Self.isList(name) && !members.contains(name) && !Self.passedOver.contains(name)
                && !Self.readPaths.contains(name)
        }
    }

    package mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        if let problem = header.objection(to: row) { return fates.append(.refused(line: row.line, problem)) }
        let members = Self.nested(header.members(row))
        fates.append(fate(members, line: row.line, &builder, isTable: true))
    }

    package mutating func read(
        _ members: [String: JSONValue],
        line: Int,
        envelope: String?,
        _ builder: inout RecordBuilder,
        _ fates: inout [RowFate]
    ) {
        fates.append(fate(members, line: line, &builder, isTable: false))
    }

    // MARK: - Private

    /// Whether a column may be there several times: its values are a list.
    private static func isList(_ name: String) -> Bool {
        ["Attributes.", attributePrefix, "Metrics."].contains { name.hasPrefix($0) }
    }

    /// Objects in the place of names with dots; what follows the prefix of an attribute is its name, dots included.
    private static func nested(_ flat: [String: JSONValue]) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        // Objects are put together here: changing one inside a value would copy it for each of its members.
        var groups: [String: [String: JSONValue]] = [:]
        var attributes: [String: JSONValue] = [:]
        for (name, value) in flat {
            if name.hasPrefix(attributePrefix) {
                attributes[String(name.dropFirst(attributePrefix.count))] = value
            } else if let dot = name.firstIndex(of: ".") {
                groups[String(name[..<dot]), default: [:]][String(name[name.index(after: dot)...])] = value
            } else {
                members[name] = value
            }
        }
        if !attributes.isEmpty { groups["User", default: [:]]["UserAttributes"] = .object(attributes) }
        for (name, group) in groups { members[name] = .object(group) }
        return members
    }

    private func fate(
        _ members: [String: JSONValue],
        line: Int,
        _ builder: inout RecordBuilder,
        isTable: Bool
    ) -> RowFate {
        guard let channel = members["ChannelType"]?.string else { return .refused(line: line, "has no ChannelType") }
        var record = ImportRecord(line: line)
        if let problem = fill(&record, members, &builder, isTable: isTable) { return .refused(line: line, problem) }
        setConsent(&record, members, &builder)
        let address = members["Address"]?.string ?? ""
        let pushType: PushType
        switch channel {
        case "APNS": pushType = .apns
        case "APNS_SANDBOX": pushType = .apnsSandbox
        case "APNS_VOIP", "APNS_VOIP_SANDBOX": return .leftOut(.callToken, line: line)
        default: return .other(OtherDevice(platform: Self.platform(channel), address: address, record: record))
        }
        // A debug build may have been stored as APNS; who knows better says so.
        return options.fate(of: record, token: address, in: "Address", options.environment ?? pushType)
    }

    /// `OptOut` is the person's choice; without it there is no consent.
    private func setConsent(
        _ record: inout ImportRecord,
        _ members: [String: JSONValue],
        _ builder: inout RecordBuilder
    ) {
        record.isActive = members["EndpointStatus"]?.string != "INACTIVE"
        let optOut = members["OptOut"]?.string
        record.registration.consent.notifications = optOut == "NONE" && record.isActive
        if !record.isActive { builder.note(.inactive) } else if optOut == nil { builder.note(.consentMissing) }
    }

    /// - Returns: Why the row is refused.
    private func fill(
        _ record: inout ImportRecord,
        _ members: [String: JSONValue],
        _ builder: inout RecordBuilder,
        isTable: Bool
    ) -> String? {
        let user = members["User"]
        if let problem = builder.setUser(user?["UserId"]?.sourceText, of: &record, isTable: isTable) {
            return "User.UserId: " + problem
        }
        let phone = members["Demographic"]
        builder.setLocale(phone?["Locale"]?.string, of: &record)
        builder.setCountry(members["Location"]?["Country"]?.string, of: &record)
        builder.setZone(phone?["Timezone"]?.string, of: &record)
        builder.setAppVersion(phone?["AppVersion"]?.sourceText, of: &record)
        builder.setOSVersion(phone?["PlatformVersion"]?.sourceText, of: &record)
        builder.setModel(phone?["Model"]?.string, of: &record)
        let zone = options.zone ?? "Z"
        record.seenAt =
            SourceTime.read(members["EffectiveDate"], zone: zone)
            ?? SourceTime.read(members["CreationDate"], zone: zone)
        // The User's own attributes come last: they hold.
        for (group, isText) in [
            (members["Metrics"], false), (members["Attributes"], true), (user?["UserAttributes"], true),
        ] {
            for (name, value) in (group?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                add(name, value, isText: isText, to: &record, &builder)
            }
        }
        return nil
    }

    private func add(
        _ name: String,
        _ value: JSONValue,
        isText: Bool,
        to record: inout ImportRecord,
        _ builder: inout RecordBuilder
    ) {
        if record.registration.user == nil, options.categoryNames.contains(name) {
            return builder.addCategories((value.array ?? [value]).map(\.plainText), to: &record)
        }
        if let list = value.array { return builder.add(name, list: list, to: &record) }
        guard !isText, let text = value.string, let number = Double(text), number.isFinite else {
            return builder.add(name, value, to: &record)
        }
        builder.add(name, Int64(exactly: number).map { .integer($0) } ?? .number(number), to: &record)
    }

    private static func platform(_ channel: String) -> String {
        switch channel {
        case "GCM": "android"
        case "ADM": "amazon"
        case "BAIDU": "baidu"
        case "SMS", "VOICE", "EMAIL", "CUSTOM", "IN_APP": channel.lowercased()
        default: "unknown"
        }
    }
}
