import CarillonModel
package import CarillonOperatorModel

/// The rules for a Campaign's content besides its message; immutable once the Campaign is accepted.
package struct ContentRules: Hashable, Sendable {
    /// The labels that an ad adds to its content for phones whose language is Korean.
    package var adWording: AdWording?
    /// The variants of the content; empty for the message's content only.
    package var variants: [Variant]
    /// The percentage of Devices that get nothing.
    package var holdout: Int
    /// Maximum bytes of a payload, if below the push service's limit.
    package var payloadLimit: Int?

    package init(
        adWording: AdWording? = nil,
        variants: [Variant] = [],
        holdout: Int = 0,
        payloadLimit: Int? = nil
    ) {
        self.adWording = adWording
        self.variants = variants
        self.holdout = holdout
        self.payloadLimit = payloadLimit
    }

    /// Creates the rules of a Campaign.
    package init(_ campaign: Campaign) {
        self.init(
            adWording: campaign.adWording,
            variants: campaign.variants ?? [],
            holdout: campaign.holdout ?? 0
        )
    }

    /// The assignment of variants to Devices; `nil` when all get the same.
    package func split(of campaign: CampaignID) -> VariantSplit? {
        VariantSplit(campaign, weights: variants.map(\.weight), holdout: holdout)
    }
}

/// An App's settings for its Campaigns.
package struct AppContentRules: Hashable, Sendable {
    package var dialect: App.Dialect
    package var adRule: App.AdRule
    package var adWordPosition: AdWording.Position
    package var payloadLimit: Int?
    /// Whether the App has a push key; without one nothing can be sent.
    package var hasPushKey: Bool
    /// Whether messages may name Users: because Users are verified, or because the App's settings allow it.
    package var allowsPersonalMessages: Bool
    /// What is asked before a Campaign is sent.
    package var sendGuards = SendGuards()
    /// Whether all sending of the App is paused.
    package var isSendingPaused = false

    package init(
        dialect: App.Dialect,
        adRule: App.AdRule,
        adWordPosition: AdWording.Position,
        payloadLimit: Int?,
        hasPushKey: Bool,
        allowsPersonalMessages: Bool
    ) {
        self.dialect = dialect
        self.adRule = adRule
        self.adWordPosition = adWordPosition
        self.payloadLimit = payloadLimit
        self.hasPushKey = hasPushKey
        self.allowsPersonalMessages = allowsPersonalMessages
    }
}
