package import CarillonModel

extension CampaignRequest {
    /// A request that says nothing yet.
    package static var undecided: CampaignRequest {
        var request = CampaignRequest(audience: .redacted, message: .blank)
        request.undecided = CampaignPart.allCases
        request.draft = true
        return request
    }

    /// Creates a request for what a Campaign's content says.
    package init(of campaign: Campaign) {
        self.init(audience: campaign.audience, message: campaign.message)
        variants = campaign.variants
        holdout = campaign.holdout
        adWording = campaign.adWording
        isAd = campaign.isAd
        channel = campaign.channel
    }

    /// What is wrong with message and variants together; `nil` when nothing is.
    package var contentProblem: FieldError? {
        do {
            try checkVariants("variants", isResolved: true)
            if channel == .voip { try message.checkCall("message") }
            return nil
        } catch let error as FieldError {
            return error
        } catch {
            return FieldError(field: "variants", problem: "must be content that can be sent")
        }
    }
}
