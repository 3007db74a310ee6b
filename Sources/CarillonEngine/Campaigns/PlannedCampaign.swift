package import CarillonModel
package import CarillonOperatorModel

/// A Campaign with its progress.
package struct PlannedCampaign: Hashable, Sendable {
    package var campaign: Campaign
    /// The first firing that has not begun.
    package var next: Firing?
    /// When its times were accepted.
    package var acceptedAt: Timestamp
    /// How it was written and confirmed.
    package var guards: CampaignGuards

    package init(
        campaign: Campaign,
        next: Firing?,
        acceptedAt: Timestamp,
        guards: CampaignGuards = CampaignGuards()
    ) {
        self.guards = guards
        self.campaign = campaign
        self.next = next
        self.acceptedAt = acceptedAt
    }

    /// The plan of its firings; `nil` when its time zone is unknown here.
    package var plan: FiringPlan? { FiringPlan(campaign, acceptedAt: acceptedAt) }
}

/// A changed Campaign, with the version that was read.
package struct PlannedChange: Sendable {
    /// The changed Campaign; its App must match.
    package var planned: PlannedCampaign
    /// The Campaign and its next firing as they were read; both must still be stored.
    package var read: PlannedCampaign
    /// Whether audience, message or kind differ; then nothing may have begun.
    package var changesContent: Bool
    /// Whether the Campaign becomes a draft again.
    package var voids = false
    /// Recipients that replace the stored ones, and the new id of their list; `nil` when those stay.
    package var recipients: (list: CampaignID, recipients: [CampaignRecipient])?

    /// - Parameters:
    ///   - planned: The changed Campaign.
    ///   - read: What it was made from.
    ///   - update: The change.
    ///   - list: An id that nothing has, for new recipients.
    package init(
        _ planned: PlannedCampaign,
        from read: PlannedCampaign,
        _ update: CampaignUpdate,
        list: CampaignID
    ) {
        self.planned = planned
        self.read = read
        changesContent = update.changesContent
        recipients = update.newRecipients.map { (list, $0) }
    }
}

extension FiringPlan {
    /// A Campaign's firings; `nil` when its time zone is unknown here.
    package init?(_ campaign: Campaign, acceptedAt: Timestamp) {
        let start = campaign.sendAt.map { max($0, acceptedAt) } ?? acceptedAt
        self.init(schedule: campaign.schedule, pace: campaign.pace, start: start)
    }
}
