package import CarillonModel
package import CarillonOperatorModel

/// What nodes on one store notify each other of.
///
/// It only shortens waits; the store has the state.
package enum CampaignNotification: Hashable, Sendable {
    /// Dispatchers should look for work.
    case work
    /// Dispatchers should send nothing more of a Campaign.
    case stop(CampaignID)
    /// The Campaign is stored as paused or cancelled.
    case stopped(CampaignID)
    /// Dispatchers should send nothing more of an Occurrence, which is being cancelled.
    case stopOccurrence(OccurrenceID)
    /// The Campaign continues, or it is complete.
    case allow(CampaignID)
    /// Dispatchers should send nothing more of an App.
    case pauseApp(AppID)
    /// The App's sending is stored as paused.
    case pausedApp(AppID)
    /// The App's sending continues.
    case allowApp(AppID)

    /// Parses another node's text; `nil` when this version does not know it.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        let campaign = words.count == 2 ? CampaignID(String(words[1])) : nil
        if words.count == 2, words[0] == "stopOccurrence", let occurrence = OccurrenceID(String(words[1])) {
            self = .stopOccurrence(occurrence)
            return
        }
        if words.count == 2, let app = AppID(String(words[1])) {
            switch words[0] {
            case "pauseApp": self = .pauseApp(app)
            case "pausedApp": self = .pausedApp(app)
            case "allowApp": self = .allowApp(app)
            default: return nil
            }
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
        case .pauseApp(let app): "pauseApp \(app)"
        case .pausedApp(let app): "pausedApp \(app)"
        case .allowApp(let app): "allowApp \(app)"
        }
    }
}
