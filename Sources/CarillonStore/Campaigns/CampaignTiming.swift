import CarillonEngine
import CarillonOperatorModel

/// When and how fast a Campaign goes out: a column of JSON, empty for one that simply does.
struct CampaignTiming: Hashable, Codable {
    var schedule: Schedule?
    var pace: Pace?
    var validFor: Int?
    var nightPolicy: DelayPolicy?
    var isTransactional: Bool?

    init(_ campaign: Campaign) {
        schedule = campaign.schedule
        pace = campaign.pace
        validFor = campaign.validFor
        nightPolicy = campaign.nightPolicy == .skip ? nil : campaign.nightPolicy
        isTransactional = campaign.isTransactional ? true : nil
    }

    /// Sets what was written.
    func apply(to campaign: inout Campaign) {
        campaign.schedule = schedule
        campaign.pace = pace
        campaign.validFor = validFor
        campaign.nightPolicy = nightPolicy ?? .skip
        campaign.isTransactional = isTransactional ?? false
    }

    /// The column's value; `nil` when there is nothing to say.
    var text: String? {
        get throws(StoreError) { self == CampaignTiming() ? nil : try JSONColumn(self).text }
    }

    private init() {}
}
