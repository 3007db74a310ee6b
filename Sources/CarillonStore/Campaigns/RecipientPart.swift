import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Some recipients of a list, encoded before anybody waits for the transaction that saves them.
struct RecipientPart: Sendable {
    /// Maximum number of recipients that one transaction inserts or deletes.
    static let maximumCount = 1_000
    /// From this many bytes of values on a part ends: a User may have 64 values of 1,000 characters.
    static let byteLimit = 256 * 1_024

    private var users: [String] = []
    private var texts: [String] = []
    private var byteCount = 0
    /// All of it as JSON, on SQLite.
    private var json = ""

    /// Splits a list.
    ///
    /// - Throws: ``StoreError/failed(_:)`` when a value cannot be encoded.
    static func parts(
        of recipients: [CampaignRecipient],
        _ dialect: Dialect
    ) throws(StoreError) -> [RecipientPart] {
        var parts: [RecipientPart] = []
        var part = RecipientPart()
        for recipient in recipients {
            let text = try JSONColumn(recipient.values).text
            part.users.append(recipient.user.rawValue)
            part.texts.append(text)
            part.byteCount += text.utf8.count
            guard part.users.count == maximumCount || part.byteCount >= byteLimit else { continue }
            parts.append(part)
            part = RecipientPart()
        }
        if !part.users.isEmpty { parts.append(part) }
        guard dialect == .sqlite else { return parts }
        for index in parts.indices {
            parts[index].json = try JSONColumn(zip(parts[index].users, parts[index].texts).map { [$0, $1] }).text
        }
        return parts
    }

    fileprivate func insert(into list: CampaignID, app: AppID, _ connection: any SQLConnection) throws {
        guard connection.dialect == .postgreSQL else {
            try connection.run(RecipientSQL.insert.sqlite, app, list, json)
            return
        }
        let lists = [users, texts].map { SQLList(texts: $0, connection.dialect) }
        try connection.run(RecipientSQL.insert.postgreSQL, app, list, lists[0], lists[1])
    }
}

extension RecipientTable {
    /// Inserts some recipients of a list.
    func insert(_ part: RecipientPart, into list: CampaignID, app: AppID) throws {
        try part.insert(into: list, app: app, connection)
    }
}
