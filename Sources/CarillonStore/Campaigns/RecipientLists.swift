import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Lists of recipients that are saved before their Campaign and deleted after it, a part a transaction.
///
/// Until its Campaign is saved, a list is one of the unused lists, and so is one that was replaced or whose Campaign was
/// deleted. Nobody reads an unused list, so that a Campaign is visible with all of its recipients or not at all. What a
/// process that ended leaves behind is deleted by ``Retention``.
struct RecipientLists: Sendable {
    let database: any Database

    /// Saves a list of more than one part as an unused one.
    ///
    /// - Throws: ``StoreError``; nothing of the list is left, or it is deleted later.
    func stage(
        _ parts: [RecipientPart],
        as list: CampaignID,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) {
        guard parts.count > 1 else { return }
        do throws(StoreError) {
            for part in parts {
                try await database.write { connection in
                    try connection.recipients.noteUnused(list, app: app, since: now)
                    try connection.recipients.insert(part, into: list, app: app)
                }
            }
        } catch {
            await discard(list, app: app)
            throw error
        }
    }

    /// Deletes a list, if it is an unused one.
    ///
    /// When that fails ``Retention`` deletes it.
    func discard(_ list: CampaignID, app: AppID) async {
        while (try? await deleteSome(of: list, app: app)) == true {}
    }

    /// Deletes unused lists that were begun before a time, or whose rows are to be deleted.
    ///
    /// - Returns: Whether there may be more.
    /// - Throws: ``StoreError``.
    func discardSome(before time: Timestamp) async throws(StoreError) -> Bool {
        let list = try await database.read { connection in
            try connection.first(
                "SELECT app_id, list_id FROM unused_recipient_lists WHERE since < $1 ORDER BY since LIMIT 1",
                time,
                as: (AppID, CampaignID).self
            )
        }
        guard let (app, id) = list else { return false }
        _ = try await deleteSome(of: id, app: app)
        return true
    }

    /// - Returns: Whether rows are left.
    private func deleteSome(of list: CampaignID, app: AppID) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            // From now on no Campaign may get it.
            let count = try connection.run(
                "UPDATE unused_recipient_lists SET since = 0 WHERE app_id = $1 AND list_id = $2",
                app,
                list
            )
            guard count > 0 else { return false }
            if try connection.recipients.deleteSome(of: list, app: app) == RecipientPart.maximumCount { return true }
            try connection.run("DELETE FROM unused_recipient_lists WHERE app_id = $1 AND list_id = $2", app, list)
            return false
        }
    }
}

extension RecipientTable {
    /// Notes that no Campaign has a list.
    func noteUnused(_ list: CampaignID, app: AppID, since: Timestamp) throws {
        try connection.run(
            """
            INSERT INTO unused_recipient_lists (app_id, list_id, since) VALUES ($1, $2, $3)
            ON CONFLICT (app_id, list_id) DO NOTHING
            """,
            app,
            list,
            since
        )
    }

    /// Saves a list in the transaction of its Campaign: what was staged becomes the Campaign's.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` when it was staged so long ago that it was deleted.
    func save(_ parts: [RecipientPart], as list: CampaignID, app: AppID) throws {
        guard parts.count > 1 else {
            for part in parts { try insert(part, into: list, app: app) }
            return
        }
        let count = try connection.run(
            "DELETE FROM unused_recipient_lists WHERE app_id = $1 AND list_id = $2 AND since > 0",
            app,
            list
        )
        guard count == 1 else { throw StoreError.unavailable("Saving the recipients took too long.") }
    }

    /// The list that a Campaign has, whether there are rows of it or not.
    func list(of campaign: CampaignID, app: AppID) throws -> CampaignID {
        try connection.first(
            "SELECT COALESCE(recipients_id, id) FROM campaigns WHERE app_id = $1 AND id = $2",
            app,
            campaign,
            as: CampaignID.self
        ) ?? campaign
    }

    /// Takes the recipients of a Campaign away: as many rows as one transaction may delete, and the others later.
    ///
    /// - Returns: The number of deleted rows.
    @discardableResult
    func discardList(of campaign: CampaignID, app: AppID) throws -> Int {
        let list = try list(of: campaign, app: app)
        let count = try deleteSome(of: list, app: app)
        if count == RecipientPart.maximumCount { try noteUnused(list, app: app, since: Timestamp(rawValue: 0)) }
        return count
    }

    /// Deletes the first rows of a list, at most ``RecipientPart/maximumCount``.
    @discardableResult
    func deleteSome(of list: CampaignID, app: AppID) throws -> Int {
        let last = try connection.first(
            RecipientSQL.lastOfPart,
            app,
            list,
            RecipientPart.maximumCount - 1,
            as: String.self
        )
        guard let last else { return try connection.run(RecipientSQL.delete, app, list) }
        return try connection.run(RecipientSQL.deleteThrough, app, list, last)
    }
}
