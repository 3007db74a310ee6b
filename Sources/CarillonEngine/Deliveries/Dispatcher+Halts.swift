import CarillonModel
import CarillonOperatorModel
import Logging

extension Dispatcher.Dependencies {
    /// Says that a Campaign is paused with an alarm: nothing of it goes out until somebody acts.
    ///
    /// - Parameters:
    ///   - campaign: Which.
    ///   - app: Whose.
    ///   - occurrence: What was being sent; `nil` when it did not begin.
    ///   - alarm: Why.
    func reportHalt(of campaign: CampaignID, app: AppID, occurrence: OccurrenceID?, alarm: String) {
        var metadata: Logger.Metadata = [
            "carillon.app": "\(app)", "carillon.campaign": "\(campaign)", "carillon.alarm": "\(alarm)",
        ]
        if let occurrence { metadata["carillon.occurrence"] = "\(occurrence)" }
        logger.error("A campaign is paused: mend what its alarm names, then resume or cancel it", metadata: metadata)
    }
}
