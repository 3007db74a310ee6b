import CarillonModel
import CarillonOperatorModel
import Logging

extension Dispatcher.Dependencies {
    /// Reports that an alarm paused a Campaign: nothing of it is sent until an Operator acts.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - app: Its App.
    ///   - occurrence: The Occurrence that was being sent; `nil` when it did not begin.
    ///   - alarm: The cause.
    func reportHalt(of campaign: CampaignID, app: AppID, occurrence: OccurrenceID?, alarm: String) {
        var metadata: Logger.Metadata = [
            "carillon.app": "\(app)", "carillon.campaign": "\(campaign)", "carillon.alarm": "\(alarm)",
        ]
        if let occurrence { metadata["carillon.occurrence"] = "\(occurrence)" }
        logger.error("A campaign is paused: fix what its alarm names, then resume or cancel it", metadata: metadata)
    }
}
