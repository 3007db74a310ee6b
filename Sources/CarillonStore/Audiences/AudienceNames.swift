import CarillonEngine
import CarillonModel
import CarillonOperatorModel

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

    /// Looks up all names of a rule.
    init(_ rule: AudienceRule?, app: AppID, in connection: any SQLConnection) throws(StoreError) {
        for term in rule?.terms ?? [] {
            switch term {
            case .tag(let id): tags[term] = try connection.tagNumber(id, app: app).map { [$0] } ?? []
            case .tagName(let name): tags[term] = try connection.tagNumbers(named: name, app: app)
            case .category(let dimension, let match):
                for label in match.values {
                    let number = try connection.labelNumber(label, dimension: dimension ?? "", app: app)
                    labels[dimension ?? "", default: [:]][label] = number
                }
            case .event(let event):
                occurrences[event.campaign] = try connection.lastOccurrences(of: event.campaign, app: app)
            default: break
            }
        }
    }
}

extension SQLConnection {
    func tagNumbers(named name: String, app: AppID) throws(StoreError) -> [Int64] {
        try all("SELECT number FROM tags WHERE app_id = $1 AND name = $2 ORDER BY number", app, name) { $0.int64(0) }
    }

    fileprivate func labelNumber(_ label: String, dimension: String, app: AppID) throws(StoreError) -> Int64? {
        try first(
            "SELECT number FROM category_labels WHERE app_id = $1 AND dimension = $2 AND label = $3",
            app,
            dimension,
            label
        ) { $0.int64(0) }
    }

    fileprivate func lastOccurrences(of campaign: CampaignID, app: AppID) throws(StoreError) -> [Int64] {
        try all(
            "SELECT id FROM occurrences WHERE app_id = $1 AND campaign_id = $2 ORDER BY id DESC LIMIT $3",
            app,
            campaign,
            AudienceNames.occurrenceLimit
        ) { $0.int64(0) }
    }
}
