import CarillonModel
package import CarillonReaders

/// A customer's own table of CORE PUSH's device tokens; the names of its columns may be given.
package struct CorePushFormat: SourceFormat {
    package static let name = "corepush"
    package static let title = "CORE PUSH"
    package static let signatures: [Set<String>] = [["device_token", "app_user_id"]]
    package static let hasObjects = false
    /// The service's days are Japan's.
    private static let zone = "+09:00"
    /// The columns that are looked for when none is named, by the field.
    private static let usual: [String: [String]] = [
        "token": ["device_token", "token"], "user": ["app_user_id", "user_id"], "category": ["category_id"],
        "consent": [], "language": ["language"], "country": ["country"],
        "date": ["updated_at", "reg_date", "created_at"],
        "platform": ["platform", "device_type", "os"],
    ]
    /// The fields whose columns may be named.
    package static let fields = usual.keys.sorted()

    private let options: SourceOptions
    private var header = TableHeader([])
    private var positions: [String: Int] = [:]

    package init(_ options: SourceOptions) { self.options = options }

    package mutating func begin(_ names: [String]) throws(SourceProblem) -> [String] {
        header = TableHeader(names)
        try header.requireDistinct()
        for (field, usual) in Self.usual {
            let position = header.position(any: options.columns[field].map { [$0] } ?? usual)
            if let named = options.columns[field], position < 0 { throw SourceProblem("has no column \(named)") }
            positions[field] = position
        }
        guard position("token") >= 0 else {
            throw SourceProblem("has no column device_token; name yours with --column token=NAME")
        }
        if let problem = options.environmentProblem { throw problem }
        guard options.consent != nil || position("consent") >= 0 else {
            throw SourceProblem(
                "does not say who consents to notifications; name the column with --column consent=NAME, or say "
                    + "--consent yes or no"
            )
        }
        let read = Set(positions.values)
        return header.written.indices.filter { !read.contains($0) }.map { header.written[$0] }
    }

    package mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        fates.append(fate(row, &builder))
    }

    // MARK: - Private

    private func position(_ field: String) -> Int { positions[field] ?? -1 }

    private func text(_ field: String, _ row: TableRow) -> String? { row.text(position(field)) }

    private func fate(_ row: TableRow, _ builder: inout RecordBuilder) -> RowFate {
        if let problem = header.objection(to: row) { return .refused(line: row.line, problem) }
        var record = ImportRecord(line: row.line)
        if let problem = builder.setUser(text("user", row), of: &record, isTable: true) {
            return .refused(line: row.line, problem)
        }
        if position("consent") >= 0 {
            let flag = text("consent", row).flatMap { JSONValue.string($0).flag }
            if flag == nil { builder.note(.consentMissing) }
            record.registration.consent.notifications = flag ?? false
        } else {
            record.registration.consent.notifications = options.consent ?? false
        }
        builder.setLocale(text("language", row), of: &record)
        builder.setCountry(text("country", row), of: &record)
        record.seenAt = text("date", row).flatMap { SourceTime.read($0, zone: options.zone ?? Self.zone) }
        let categories = text("category", row)?.split { ",; ".contains($0) }.map(String.init) ?? []
        builder.addCategories(categories, to: &record)
        return token(row, record)
    }

    private func token(_ row: TableRow, _ record: ImportRecord) -> RowFate {
        guard let address = text("token", row) else { return .leftOut(.withoutToken, line: row.line) }
        if let platform = text("platform", row)?.lowercased(), !Self.isApple(platform) {
            return .other(OtherDevice(platform: "android", address: address, record: record))
        }
        return options.fate(of: record, token: row.bytes(position("token")), in: "token", options.pushType)
    }

    /// 1 is iOS and 2 Android in the service's own calls.
    private static func isApple(_ platform: String) -> Bool {
        platform == "1" || platform.hasPrefix("ios") || platform.hasPrefix("iphone") || platform.hasPrefix("ipad")
            || platform.hasPrefix("apple")
    }
}
