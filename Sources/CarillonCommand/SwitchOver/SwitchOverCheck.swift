import CarillonOperatorModel

/// What a check found.
struct SwitchOverCheck: Encodable {
    var source: String
    /// Tokens of the files that hold.
    var tokens: Int
    /// Of these, how many an app has registered here.
    var registered: Int
    /// How many were imported.
    var imported: Int
    /// How many the server does not have.
    var missing: Int
    var missingTags: [String]
    /// Devices of the files that consent to notifications, and to ads; missing when the files do not say it.
    var consents: Int?
    var ads: Int?
    /// How the consents of the devices here differ from the files'; missing when the files do not say them.
    var comparison: ConsentComparison?
    /// What the server says that a message to all reaches.
    var reach: AudienceEstimate.Reach
    /// Whether that is exact.
    var isReachExact: Bool
    /// What the other service says.
    var otherReach: Int?
    /// Rows that cannot be read.
    var refused: Int
    /// Files that end too early or are damaged, and where.
    var damaged: [String]

    /// Why the server cannot take over yet; `nil` when nothing is missing, and no imported device consents to more than
    /// the files say.
    var objection: String? {
        if !damaged.isEmpty { return damaged.joined(separator: "\n") }
        if missing > 0 || !missingTags.isEmpty { return "The server lacks what the files have." }
        guard let more = comparison?.more, more > 0 else { return nil }
        return "\(more) imported devices consent to more here than in the files. Import the files, which lowers it."
    }

    init(
        source: String,
        report: SourceReport,
        counts: CountingTarget.Counts,
        missingTags: [String],
        estimate: AudienceEstimate,
        reach: Int?,
        comparesConsents: Bool
    ) {
        self.source = source
        (registered, imported, missing) = (report.registered, report.replaced, report.added)
        tokens = registered + imported + missing
        self.missingTags = missingTags
        if comparesConsents { (consents, ads, comparison) = (counts.consents, counts.ads, report.consents) }
        self.reach = estimate.reach
        isReachExact = estimate.isExact
        otherReach = reach
        (refused, damaged) = (report.refused.count, report.damaged)
    }

    /// For people.
    var text: String {
        var lines = [
            "\(source): \(tokens) tokens. The server has \(registered + imported): \(registered) that an app has registered, "
                + "\(imported) imported.",
            missing == 0 ? "No token is missing." : "\(missing) tokens are missing: import the files.",
            missingTags.isEmpty
                ? "No tag is missing."
                : "\(missingTags.count) tags are missing: \(missingTags.prefix(10).joined(separator: ", ")).",
        ]
        if refused > 0 { lines.append("\(refused) rows cannot be read; `carillon import` says why.") }
        lines += consentLines
        if let otherReach {
            let difference = reach.notifications - otherReach
            lines.append(
                "The other service says \(otherReach): \(difference == 0 ? "the same" : "\(abs(difference)) \(difference < 0 ? "fewer" : "more") here")."
            )
        }
        return lines.joined(separator: "\n")
    }

    private var consentLines: [String] {
        let about = isReachExact ? "" : "about "
        let reached = "a message to all reaches \(about)\(reach.notifications) here"
        guard let consents, let ads else { return [reached.prefix(1).uppercased() + reached.dropFirst() + "."] }
        var lines = [
            "\(consents) of the files' devices consent to notifications; \(reached).",
            "\(ads) of them consent to ads; an ad to all reaches \(about)\(reach.ads) here by day.",
        ]
        guard let comparison else { return lines }
        func add(_ count: Int, _ text: String) { if count > 0 { lines.append("\(count) \(text)") } }
        add(comparison.fewer, "imported devices consent to less here than in the files: what was lowered here holds.")
        add(comparison.more, "imported devices consent to more here than in the files.")
        add(comparison.registeredFewer, "devices that an app has registered consent to less here: that holds.")
        add(comparison.registeredMore, "devices that an app has registered consent to more here: that holds.")
        return lines
    }
}
