package import CarillonModel
package import CarillonOperatorModel

/// What the nodes on one store tell each other about Campaigns.
///
/// It saves waiting; what counts is in the store.
package enum CampaignNotification: Hashable, Sendable {
    /// Dispatchers should look for work.
    case work
    /// Nothing more of a Campaign is to be handed over.
    case stop(CampaignID)
    /// The store has the Campaign paused or cancelled.
    case stopped(CampaignID)
    /// Nothing more of an Occurrence is to be handed over; it is being cancelled.
    case stopOccurrence(OccurrenceID)
    /// The Campaign goes on, or it is over.
    case allow(CampaignID)

    /// Reads what another node wrote; `nil` for what this version does not know.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        let campaign = words.count == 2 ? CampaignID(String(words[1])) : nil
        if words.count == 2, words[0] == "stopOccurrence", let occurrence = OccurrenceID(String(words[1])) {
            self = .stopOccurrence(occurrence)
            return
        }
        switch (words.first, campaign) {
        case ("work", nil): self = .work
        case ("stop", let campaign?): self = .stop(campaign)
        case ("stopped", let campaign?): self = .stopped(campaign)
        case ("allow", let campaign?): self = .allow(campaign)
        default: return nil
        }
    }

    /// A few dozen bytes of ASCII.
    package var text: String {
        switch self {
        case .work: "work"
        case .stop(let campaign): "stop \(campaign)"
        case .stopped(let campaign): "stopped \(campaign)"
        case .stopOccurrence(let occurrence): "stopOccurrence \(occurrence)"
        case .allow(let campaign): "allow \(campaign)"
        }
    }
}
