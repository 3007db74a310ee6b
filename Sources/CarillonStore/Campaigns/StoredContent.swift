import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What a Campaign's content depends on beside its message, as the column `content` keeps it.
struct StoredContent: Codable {
    var adWording: AdWording?
    var variants: [Variant]?
    var holdout: Int?
    var template: TemplateID?

    /// `nil` when there is nothing to keep.
    init?(_ campaign: Campaign) {
        adWording = campaign.adWording
        variants = campaign.variants
        holdout = campaign.holdout
        template = campaign.template
        if adWording == nil, variants == nil, holdout == nil, template == nil { return nil }
    }

    func complete(_ request: inout CampaignRequest) {
        request.adWording = adWording
        request.variants = variants
        request.holdout = holdout
        request.template = template
    }
}

extension ContentRules {
    /// The rules of a column `content`.
    init(_ content: StoredContent?, payloadLimit: Int? = nil) {
        self.init(
            adWording: content?.adWording,
            variants: content?.variants ?? [],
            holdout: content?.holdout ?? 0,
            payloadLimit: payloadLimit
        )
    }
}
