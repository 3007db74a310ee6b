import CarillonModel
import CarillonOperatorModel

/// Checks a Campaign's content against the limits by rendering all editions.
struct ContentCheck {
    /// A rendered edition.
    struct Rendered {
        var edition: Edition
        var rendering: Rendering
    }

    let editions: Editions
    let fields: [PersonalField]
    let recipientPlaces: RecipientPlaces
    private(set) var rendered: [Rendered] = []
    /// The problems, most severe first.
    private(set) var problems: [FieldError] = []

    init(
        _ campaign: Campaign,
        _ rules: AppContentRules,
        occurrence: OccurrenceID,
        at now: Timestamp,
        by sender: any Sender
    ) {
        var content = ContentRules(campaign)
        content.payloadLimit = rules.payloadLimit
        editions = Editions(campaign.message, isAd: campaign.isAd, rules: content)
        fields = editions.personalFields
        recipientPlaces = editions.recipientPlaces
        checkAd(campaign, rules)
        checkPlaces()
        if campaign.message.silent, campaign.variants != nil {
            problems.append(FieldError(field: "variants", problem: "must be missing: the message is silent"))
        }
        guard problems.isEmpty else { return }
        let order = RenderingOrder(
            occurrence: occurrence,
            sentAt: now,
            channel: campaign.channel,
            dialect: rules.dialect
        )
        var tooLarge: [(over: Int, problem: FieldError)] = []
        for edition in editions.all {
            do throws(RenderingError) {
                let rendering = try editions.rendering(edition, order, fields: fields, by: sender)
                rendered.append(Rendered(edition: edition, rendering: rendering))
            } catch {
                tooLarge.append((error.byteCount - error.limit, problem(error, of: edition)))
            }
        }
        problems += tooLarge.sorted { $0.over > $1.over }.map(\.problem)
    }

    /// Korea's rules require labels for ads; elsewhere they are optional, and an ad without them is not sent to Korean
    /// phones.
    private mutating func checkAd(_ campaign: Campaign, _ rules: AppContentRules) {
        guard campaign.isAd, !campaign.message.silent, rules.adRule == .korean, campaign.adWording == nil else {
            return
        }
        for name in ["contact", "removeGuide"] {
            problems.append(
                FieldError(field: "adWording." + name, problem: "is required: the App's rules for ads are Korea's")
            )
        }
    }

    private mutating func checkPlaces() {
        guard fields.count <= SlotMark.capacity,
            editions.all.allSatisfy({ editions.placeCount(of: $0, fields) <= SlotMark.capacity })
        else {
            let problem = "must have at most \(SlotMark.capacity) places in a language"
            return problems.append(FieldError(field: "message.content", problem: problem))
        }
    }

    private func problem(_ error: RenderingError, of edition: Edition) -> FieldError {
        let name = editions.field(of: edition)
        let words = edition.hasAdWords ? " with the words for ads" : ""
        return FieldError(
            field: name,
            problem: "must render to at most \(error.limit) bytes, not \(error.byteCount)\(words)"
        )
    }
}

extension Editions {
    /// The request's field of an edition's content.
    func field(of edition: Edition) -> String {
        guard let language = edition.language else { return "message.data" }
        if let variant = edition.variant, rules.variants[variant].content != nil {
            return "variants.\(variant).content.\(language)"
        }
        return "message.content." + language
    }
}
