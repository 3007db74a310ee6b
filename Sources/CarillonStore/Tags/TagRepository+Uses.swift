import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What names a tag, and how many Users have it.
extension TagRepository {
    /// How many Users without Devices are looked through for a count.
    private static let scanLimit = 10_000

    func uses(of tag: TagID, app: AppID) async throws(StoreError) -> TagUses? {
        try await database.read { connection in
            guard let found = try connection.tags.tag(tag, app: app) else { return nil }
            return try connection.tags.uses(of: found, app: app)
        }
    }

    func number(of tag: TagID, app: AppID) async throws(StoreError) -> Int64? {
        try await database.read { connection in try connection.tags.tagNumber(tag, app: app) }
    }

    func userCounts(of tags: [TagID], app: AppID, limit: Int) async throws(StoreError) -> [TagID: TagUserCount] {
        try await database.read { connection in
            var numbers: [Int64: TagID] = [:]
            var counts: [TagID: TagUserCount] = [:]
            for tag in tags {
                guard let number = try connection.tags.tagNumber(tag, app: app) else { continue }
                numbers[number] = tag
                counts[tag] = try connection.tags.usersWithDevices(of: number, app: app, limit: limit)
            }
            let parked = try connection.all(
                "SELECT tags FROM user_tags WHERE app_id = $1 ORDER BY user_id LIMIT $2",
                app,
                Self.scanLimit,
                as: TagNumbers.self
            )
            for tag in parked.flatMap(\.numbers).compactMap({ numbers[$0] }) { counts[tag]?.users += 1 }
            if parked.count == Self.scanLimit { for tag in tags { counts[tag]?.isLeast = true } }
            return counts
        }
    }
}

extension TagTable {
    /// How many rules are read at once.
    private static let page = 500

    /// The saved Audiences, drafts and Campaigns that have not ended whose rules name a tag.
    ///
    /// The rules of an App are read: it has at most 1,000 Audiences, and few Campaigns that have not ended.
    func uses(of tag: Tag, app: AppID) throws -> TagUses {
        var uses = TagUses()
        for audience in try connection.audiences.allSaved(app: app) where tag.isNamed(by: audience.rule) {
            uses.audiences.append(audience)
        }
        var last: CampaignID?
        repeat {
            let page = try connection.all(
                """
                SELECT id, audience FROM campaigns
                WHERE app_id = $1 AND id > $2 AND kind = 0 AND state <> 'sent' AND state <> 'cancelled'
                ORDER BY id LIMIT $3
                """,
                app,
                last?.rawValue ?? -1,
                Self.page,
                as: (CampaignID, JSONColumn<Audience>).self
            )
            for (id, audience) in page {
                if case .rule(let rule) = audience.value, tag.isNamed(by: rule) { uses.campaigns.append(id) }
            }
            last = page.count == Self.page ? page.last?.0 : nil
        } while last != nil && uses.campaigns.count < TagUses.limit
        uses.audiences = Array(uses.audiences.prefix(TagUses.limit))
        uses.campaigns = Array(uses.campaigns.prefix(TagUses.limit))
        return uses
    }

    /// Counts the Users of the first Devices that have a tag.
    fileprivate func usersWithDevices(of tag: Int64, app: AppID, limit: Int) throws -> TagUserCount {
        let found = try connection.first(
            """
            SELECT count(*), count(DISTINCT d.user_id) FROM (
                SELECT device_number FROM device_tags WHERE app_id = $1 AND tag = $2
                ORDER BY device_number LIMIT $3) AS t
            JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
            """,
            app,
            tag,
            limit,
            as: (Int, Int).self
        )
        return TagUserCount(users: found?.1 ?? 0, isLeast: found?.0 ?? 0 >= limit)
    }
}

extension Tag {
    fileprivate func isNamed(by text: String) -> Bool {
        (try? AudienceRule(text: text)).map(isNamed) ?? false
    }

    /// Whether a rule has a condition of it, by its id or its name.
    fileprivate func isNamed(by rule: AudienceRule) -> Bool {
        rule.terms.contains { $0 == .tag(id) || $0 == .tagName(name) }
    }
}
