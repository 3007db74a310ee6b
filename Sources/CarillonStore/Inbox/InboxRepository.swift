package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL

/// Inboxes in SQL.
///
/// Nothing here looks through the deliveries: each is found by its key, Occurrence by Occurrence.
package struct InboxRepository: InboxStore {
    /// How many broadcasts one statement after the other looks at for a request, newest first: mostly the first does.
    static let broadcastPortions = [100, 300, 600]
    /// How many numbers of other Devices, and how many former ones, are looked at for one request, latest first.
    static let numberLimit = 15
    /// How many rows of former numbers are looked through for those of one Device.
    static let formerLimit = 1_000

    let database: any Database

    package init(database: any Database) { self.database = database }

    package func listing(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash,
        since first: OccurrenceID,
        limit: Int
    ) async throws(StoreError) -> InboxAnswer {
        try await database.read { connection in
            guard let reader = try connection.inboxes.inboxReader(app, device) else { return .unknown }
            guard reader.secretHash == secretHash else { return .refused }
            let numbers = try connection.inboxes.inboxNumbers(of: reader, app, since: first)
            var search = InboxSearch(app: app, numbers: numbers, first: first, limit: limit)
            try search.lookAtRows(connection)
            try search.lookAtBroadcasts(connection)
            try search.lookAtReads(connection, owner: reader.owner)
            return .found(
                InboxListing(
                    owner: reader.owner,
                    device: reader.number,
                    language: reader.language,
                    entries: search.entries
                )
            )
        }
    }

    package func broadcasts(
        app: AppID,
        since first: OccurrenceID,
        limit: Int
    ) async throws(StoreError) -> [OccurrenceID] {
        let everybody = try JSONColumn(Audience.all)
        return try await database.read { connection in
            try connection.all(InboxSQL.history, app, first, limit, everybody, as: OccurrenceID.self)
        }
    }

    package func contents(of occurrences: [OccurrenceID], app: AppID) async throws(StoreError) -> [InboxContent] {
        try await database.read { connection in
            let dialect = connection.dialect
            let contents = try connection.all(
                dialect.pick(sqlite: InboxSQL.contents.sqlite, postgreSQL: InboxSQL.contents.postgreSQL),
                SQLList(Set(occurrences.map(\.rawValue)), dialect),
                app
            ) { (row: SQLRow<InboxContentColumn>) -> InboxContent? in
                // What is silent is in no inbox: it was taken away.
                let message: Message = try row.json(.message)
                guard !message.silent else { return nil }
                let content: StoredContent? = try row.optionalJSON(.content)
                return InboxContent(
                    occurrence: try row[.id],
                    campaign: try row[.campaignID],
                    message: message,
                    isAd: try row[.isAd],
                    rules: ContentRules(content),
                    sentAt: try row[.startedAt]
                )
            }
            let known = Dictionary(contents.compactMap(\.self).map { ($0.occurrence, $0) }) { first, _ in first }
            return occurrences.compactMap { known[$0] }
        }
    }

    package func personalValues(
        of fields: [PersonalField],
        for devices: [DeviceNumber],
        in campaign: CampaignID?,
        app: AppID
    ) async throws(StoreError) -> PersonalValues {
        try await database.read { connection in
            try connection.deliveries.personalValues(of: fields, for: devices, in: campaign, app: app)
        }
    }

    package func markRead(
        _ entries: [InboxEntry],
        by owner: InboxOwner,
        app: AppID,
        since first: OccurrenceID
    ) async throws(StoreError) {
        try await database.write { connection in
            switch owner {
            case .user(let user):
                try connection.send(InboxSQL.forgetUserReads, app, user, first)
                for entry in entries { try connection.send(InboxSQL.userRead, app, user, entry.occurrence) }
            case .device:
                for number in Set(entries.map(\.device)) {
                    try connection.send(InboxSQL.forgetDeviceReads, app, number, first)
                }
                for entry in entries { try connection.send(InboxSQL.deviceRead, app, entry.device, entry.occurrence) }
            }
            for number in Set(entries.map(\.device)) { try connection.send(InboxSQL.forgetRows, app, number, first) }
        }
    }
}

/// A Device that asks for its inbox.
struct InboxReader {
    var device: DeviceID
    var number: DeviceNumber
    var secretHash: SecretHash?
    var user: UserID?
    var language: String?
    /// Anybody may claim a User there.
    var isOpenApp: Bool

    var owner: InboxOwner {
        guard let user, !isOpenApp else { return .device }
        return .user(user)
    }
}

/// A number whose deliveries belong to an inbox.
struct InboxNumber: Hashable {
    var number: DeviceNumber
    /// The last Occurrence that can have been sent to it; `nil` for a number that is in use.
    var last: OccurrenceID?

    func mayHave(_ occurrence: OccurrenceID) -> Bool { last.map { occurrence <= $0 } ?? true }
}

extension InboxTable {
    fileprivate func inboxReader(_ app: AppID, _ device: DeviceID) throws -> InboxReader? {
        try connection.first(InboxSQL.reader, app, device) { (row: SQLRow<InboxReaderColumn>) in
            InboxReader(
                device: device,
                number: try row[.number],
                secretHash: try row[.secretHash],
                user: (try row[.userID] as String?).flatMap(UserID.init(rawValue:)),
                language: try row[.language],
                isOpenApp: try row[.identity] != App.Identity.signed.rawValue
            )
        }
    }

    /// The numbers that are the Device's and its User's: coming to a User a Device keeps its number, leaving one it gets
    /// another.
    fileprivate func inboxNumbers(
        of reader: InboxReader,
        _ app: AppID,
        since first: OccurrenceID
    ) throws -> [InboxNumber] {
        let own = InboxNumber(number: reader.number, last: nil)
        guard let user = reader.user else { return [own] }
        let limit = InboxRepository.numberLimit
        var numbers = [own]
        let former: [(DeviceNumber, Int64)]
        if reader.isOpenApp {
            let looked = InboxRepository.formerLimit
            former = try connection.all(
                InboxSQL.formerOfDevice,
                app,
                user,
                looked,
                reader.device,
                limit,
                as: (DeviceNumber, Int64).self
            )
        } else {
            let others = try connection.all(InboxSQL.devicesOfUser, app, user, limit, as: DeviceNumber.self)
            numbers += others.lazy.filter { $0 != reader.number }.map { InboxNumber(number: $0, last: nil) }
            former = try connection.all(InboxSQL.formerOfUser, app, user, limit, as: (DeviceNumber, Int64).self)
        }
        numbers += former.map { number, changedAt in
            InboxNumber(number: number, last: OccurrenceID(milliseconds: changedAt, sequence: .max))
        }
        return numbers.filter { $0.mayHave(first) }
    }
}
