import CarillonModel
package import CarillonOperatorModel

/// What a Campaign's content depends on beside its message; it does not change once the Campaign is accepted.
package struct ContentRules: Hashable, Sendable {
    /// What an advertisement says beside its content to phones whose language is Korean.
    package var adWording: AdWording?
    /// The contents that it is tried with; none: the message's own.
    package var variants: [Variant]
    /// How many of a hundred Devices get nothing.
    package var holdout: Int
    /// The most bytes of a payload, if it is fewer than the push service's.
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

    /// The rules of a Campaign as the API shows it.
    package init(_ campaign: Campaign) {
        self.init(
            adWording: campaign.adWording,
            variants: campaign.variants ?? [],
            holdout: campaign.holdout ?? 0
        )
    }

    /// Which Devices get which variant; `nil` when all get the same.
    package func split(of campaign: CampaignID) -> VariantSplit? {
        VariantSplit(campaign, weights: variants.map(\.weight), holdout: holdout)
    }
}

/// What an App's settings say of what its Campaigns send.
package struct AppContentRules: Hashable, Sendable {
    package var dialect: App.Dialect
    package var adRule: App.AdRule
    package var adWordPosition: AdWording.Position
    package var payloadLimit: Int?
    /// Without one nothing can be sent.
    package var hasPushKey: Bool
    /// Whether messages may be for Users by name: they prove who they are, or the App says that it does not matter.
    package var allowsPersonalMessages: Bool

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
