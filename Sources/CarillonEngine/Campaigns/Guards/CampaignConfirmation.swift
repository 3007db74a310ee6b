package import CarillonOperatorModel

/// Who sends or changes a Campaign, and what limits apply.
package struct CampaignCaller: Hashable, Sendable {
    package var author: CampaignAuthor
    /// The maximum number of Devices of a Campaign; `nil` for no limit.
    package var recipientsPerCampaign: Int?
    /// The maximum number of Devices of an hour's Campaigns; `nil` for no limit.
    package var recipientsPerHour: Int?

    package init(_ author: CampaignAuthor) { self.author = author }
}

/// Two versions of a Campaign of which one has to give way.
package struct CampaignConflict: Hashable, Sendable {
    /// What is stored.
    package var current: Campaign
    /// What the request would have made of the version that it names; it was not stored.
    package var yours: Campaign

    package init(current: Campaign, yours: Campaign) {
        self.current = current
        self.yours = yours
    }
}

/// The result of saving a draft.
package enum DraftSaving: Hashable, Sendable {
    case saved(Campaign)
    /// Another change was faster; nothing was written.
    case outdated(CampaignConflict)
}

/// What an Operator confirms.
package struct CampaignConfirmation: Hashable, Sendable {
    /// The version on the page.
    package var version: Int
    /// The number of Devices on the page.
    package var reach: Int
    /// What was typed; `nil` when nothing was asked.
    package var typed: String?
    /// The one-time key of the form, 1 through 64 characters.
    package var key: String
    /// Whether the last password or code is recent.
    package var isFresh: Bool
    /// The warnings that were ticked.
    package var ticked: Set<String>

    package init(
        version: Int,
        reach: Int,
        typed: String? = nil,
        key: String,
        isFresh: Bool = false,
        ticked: Set<String> = []
    ) {
        self.version = version
        self.reach = reach
        self.typed = typed
        self.key = key
        self.isFresh = isFresh
        self.ticked = ticked
    }
}

/// What a confirmation led to.
package enum ConfirmationResult: Hashable, Sendable {
    /// It is scheduled, or being sent.
    case sent(Campaign)
    /// It can be undone until its ``Campaign/heldUntil``.
    case held(Campaign)
    /// A second person has to approve it.
    case waiting(Campaign)
    /// Nothing was sent: it reaches another number of Devices than the page said.
    case recount(reach: Int, step: GuardStep)
    /// The same form was sent before; nothing more happened.
    case repeated(Campaign)
    /// Nothing was sent: it was changed since the page was made.
    case outdated(CampaignConflict)
}

/// What an approval led to.
package enum ApprovalResult: Hashable, Sendable {
    /// It is scheduled.
    case sent(Campaign)
    /// It can be undone until its ``Campaign/heldUntil``.
    case held(Campaign)
    /// Nothing was approved: it reaches another number of Devices than the page said.
    case recount(reach: Int)
}
