import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What the names in a rule stand for at the moment; what is not there any more stands for nothing.
struct AudienceNames: Sendable {
    /// How many Occurrences of a Campaign its events are looked for in, the last ones.
    static let occurrenceLimit = 100

    private(set) var tags: [AudienceTerm: [Int64]] = [:]
    private var labels: [String: [String: Int64]] = [:]
    private(set) var occurrences: [CampaignID: [Int64]] = [:]

    /// The numbers of labels of a dimension; the empty one is that of one-dimensional categories.
    func labels(_ names: [String], dimension: String?) -> [Int64] {
        let known = labels[dimension ?? ""] ?? [:]
        return names.compactMap { known[$0] }
    }

    /// Looks up all names of a rule, those of a kind together.
    init(_ rule: AudienceRule?, app: AppID, in connection: any SQLConnection) throws {
        var (ids, names, campaigns) = (Set<TagID>(), Set<String>(), Set<CampaignID>())
        var wanted: [String: Set<String>] = [:]
        for term in rule?.terms ?? [] {
            switch term {
            case .tag(let id): ids.insert(id)
            case .tagName(let name): names.insert(name)
            case .category(let dimension, let match): wanted[dimension ?? "", default: []].formUnion(match.values)
            case .event(let event): campaigns.insert(event.campaign)
            default: break
            }
        }
        if !ids.isEmpty {
            let found = try connection.audiences.tagNumbers(of: ids, app: app)
            for id in ids { tags[.tag(id)] = found[id].map { [$0] } ?? [] }
        }
        if !names.isEmpty {
            let found = try connection.audiences.tagNumbers(named: names, app: app)
            for name in names { tags[.tagName(name)] = found[name] ?? [] }
        }
        for (dimension, names) in wanted {
            labels[dimension] = try connection.audiences.labelNumbers(names, dimension: dimension, app: app)
        }
        if !campaigns.isEmpty {
            let found = try connection.audiences.lastOccurrences(of: campaigns, app: app)
            for campaign in campaigns { occurrences[campaign] = found[campaign] ?? [] }
        }
    }
}

extension AudienceTable {
    fileprivate func tagNumbers(of ids: Set<TagID>, app: AppID) throws -> [TagID: Int64] {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT id, number FROM tags WHERE app_id = $1 AND id IN (SELECT value FROM json_each($2))
                    """,
                postgreSQL: """
                    SELECT id, number FROM tags
                    WHERE app_id = $1 AND id = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS TEXT[]))))
                    """
            ),
            app,
            SQLList(texts: ids.lazy.map(\.rawValue), connection.dialect),
            as: (TagID, Int64).self
        )
        return Dictionary(rows) { first, _ in first }
    }

    /// Several tags may have one name.
    fileprivate func tagNumbers(named names: Set<String>, app: AppID) throws -> [String: [Int64]] {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT name, number FROM tags
                    WHERE app_id = $1 AND name IN (SELECT value FROM json_each($2)) ORDER BY number LIMIT $3
                    """,
                postgreSQL: """
                    SELECT name, number FROM tags
                    WHERE app_id = $1 AND name = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS TEXT[]))))
                        ORDER BY number LIMIT $3
                    """
            ),
            app,
            SQLList(texts: names, connection.dialect),
            Tags.maximumCount,
            as: (String, Int64).self
        )
        return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }

    fileprivate func labelNumbers(
        _ labels: Set<String>,
        dimension: String,
        app: AppID
    ) throws -> [String: Int64] {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT label, number FROM category_labels
                    WHERE app_id = $1 AND dimension = $2 AND label IN (SELECT value FROM json_each($3))
                    """,
                postgreSQL: """
                    SELECT label, number FROM category_labels
                    WHERE app_id = $1 AND dimension = $2
                        AND label = ANY(ARRAY(SELECT unnest(CAST(CAST($3 AS TEXT) AS TEXT[]))))
                    """
            ),
            app,
            dimension,
            SQLList(texts: labels, connection.dialect),
            as: (String, Int64).self
        )
        return Dictionary(rows) { first, _ in first }
    }

    fileprivate func lastOccurrences(
        of campaigns: Set<CampaignID>,
        app: AppID
    ) throws -> [CampaignID: [Int64]] {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT c.value, o.id FROM json_each($1) c
                    CROSS JOIN occurrences o ON o.app_id = $2 AND o.campaign_id = c.value AND o.id IN (
                        SELECT x.id FROM occurrences x WHERE x.app_id = $2 AND x.campaign_id = c.value
                        ORDER BY x.id DESC LIMIT $3)
                    ORDER BY o.id DESC
                    """,
                postgreSQL: """
                    SELECT c.id, o.id FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS c (id)
                    CROSS JOIN LATERAL (
                        SELECT x.id FROM occurrences x WHERE x.app_id = $2 AND x.campaign_id = c.id
                        ORDER BY x.id DESC LIMIT $3) AS o
                    ORDER BY o.id DESC
                    """
            ),
            SQLList(campaigns.lazy.map(\.rawValue), connection.dialect),
            app,
            AudienceNames.occurrenceLimit,
            as: (CampaignID, Int64).self
        )
        return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }
}
