import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The review in words: all of it from the values with which the Campaign is sent.
struct ReviewWords {
    let model: ReviewModel
    let look: Look

    private var texts: Texts { look.texts }
    private var campaign: Campaign { model.draft.campaign }
    private var devices: Int { model.review.reach.devices }

    /// What the button says: with the number, and with the word "Sandbox" where it is one.
    var button: String {
        let key = model.step.needsApproval ? "review.button.ask" : "review.button.send"
        return texts(look.isSandbox ? key + ".sandbox" : key, count: devices)
    }

    /// One paragraph of what will happen.
    var sentences: [String] {
        [first, pace, kind, link, guardSentence, texts("review.evaluated")].compactMap(\.self) + excluded
    }

    /// What is to be known about the guards.
    var guardNotes: [String] {
        var notes: [String] = []
        if model.step.needsApproval { notes.append(texts("review.note.approval")) }
        if model.step.approvalIsOff { notes.append(texts("review.note.approvalOff")) }
        if model.step.isCorrection { notes.append(texts("review.note.correction")) }
        if model.step.needsFresh { notes.append(texts("review.note.fresh")) }
        if campaign.isTransactional { notes.append(texts("review.note.transactional")) }
        return notes
    }

    /// The exact reach and who is left out.
    var reachRows: [FactView] {
        let reach = model.review.reach
        let excluded = Dictionary(reach.excluded.map { (EstimateView.row(of: $0), $1) }, uniquingKeysWith: +)
        var rows = excluded.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            FactView(texts.word("target.row", $0.key), "−" + look.numbers.full($0.value))
        }
        rows.append(FactView(texts("review.reach"), look.numbers.full(reach.devices)))
        rows.append(FactView(texts("review.users"), look.numbers.full(reach.users)))
        let languages = reach.languages.filter { !$0.key.isEmpty }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !languages.isEmpty {
            let list = languages.prefix(12).map { "\($0.key) \(look.numbers.full($0.value))" }
            rows.append(FactView(texts("review.languages"), look.list(list)))
        }
        return rows
    }

    func checks(_ typed: FormFields) -> [ReviewView.Check] {
        let (ticked, paths) = (Set(typed.values("tick")), AppPath(app: campaign.app))
        return model.review.checks.enumerated().map { index, check in
            ReviewView.Check(
                checkID: "check-\(index)",
                checkText: text(check),
                checkTick: check.tick,
                isTicked: check.tick.map(ticked.contains) ?? false,
                isBlocking: check.tick == nil,
                checkPath: check.kind == .sameContent
                    ? check.subject.flatMap { CampaignID($0) }.map(paths.campaign)
                    : paths.edit(campaign.id, check.step),
                checkLink: texts(check.kind == .sameContent ? "review.check.open" : "review.change")
            )
        }
    }

    /// A finding in words.
    func text(_ check: CampaignCheck) -> String {
        if check.kind == .problem {
            let problem = FieldError(field: check.subject ?? "", problem: check.detail ?? "")
            return texts("review.check.problem", ["field": problem.field, "text": texts.problem(problem)])
        }
        let (key, subject) = ("review.check." + check.kind.rawValue, check.subject ?? "")
        return switch check.kind {
        case .timePassed, .night, .noLanguage: texts(key, count: check.number ?? 0, ["subject": subject])
        default: texts(key, ["subject": subject, "number": look.numbers.full(check.number ?? 0)])
        }
    }

    // MARK: - Private

    private var first: String {
        let languages = campaign.message.content.keys.count
        let forecast = TimeForecast(
            schedule: campaign.schedule,
            sendAt: campaign.sendAt,
            devices: model.review.reach.zones,
            at: model.now
        )
        var values = [
            "name": CampaignText(look: look).title(campaign), "app": model.draft.app.name,
            "environment": texts.word("layout", look.isSandbox ? "sandbox" : "production"),
            "audience": look.audience(devices: devices, users: model.review.reach.users),
            "languages": texts("review.what.languages", count: languages), "zone": look.times.zoneText(at: model.now),
        ]
        guard let schedule = campaign.schedule else {
            guard let sendAt = campaign.sendAt, sendAt > model.now else { return texts("review.what.now", values) }
            values["time"] = look.times.sentence(sendAt).text
            return texts("review.what.at", values)
        }
        values["time"] = CampaignText(look: look).schedule(schedule)
        values["first"] = forecast?.first.map { look.times.sentence($0).text } ?? "–"
        values["last"] = forecast?.last.map { look.times.sentence($0).text } ?? "–"
        return texts(schedule.isLocal ? "review.what.local" : "review.what.schedule", values)
    }

    private var pace: String? {
        guard let pace = campaign.pace else { return nil }
        let forecast = PaceForecast(pace, devices: devices)
        let time = look.times.duration(seconds: forecast.seconds + forecast.groups)
        return texts("review.what.pace", ["time": time])
    }

    private var kind: String {
        if campaign.channel == .voip { return texts("review.what.call") }
        let without = model.review.reach.excluded[SkipReason.noAdConsent.rawValue] ?? 0
        return campaign.isAd ? texts("review.what.ad", count: without) : texts("review.what.information")
    }

    /// Who is not among the reach, or gets it later.
    private var excluded: [String] {
        let later = model.review.reach.deferred.values.reduce(0, +)
        return later > 0 ? [texts("review.what.later", count: later)] : []
    }

    private var link: String {
        let links = Set(campaign.message.content.values.compactMap(\.link))
        guard let link = links.sorted().first else { return texts("review.what.opensApp") }
        return texts(links.count == 1 ? "review.what.link" : "review.what.links", ["link": link])
    }

    private var guardSentence: String {
        let hold = Int(model.step.hold.components.seconds)
        if model.step.needsApproval { return texts("review.what.approval", count: hold) }
        return hold == 0 ? texts("review.what.atOnce") : texts("review.what.hold", count: hold)
    }
}

extension CampaignCheck {
    /// The step on which it is put right.
    fileprivate var step: ComposerStepName {
        switch kind {
        case .nobody, .unusualReach, .everyone, .sameContent: .audience
        case .expiresEarly, .noAdWording, .timePassed, .night: .delivery
        case .noFallback, .placeholder, .deadLink, .noLanguage, .untested, .noKey: .content
        case .problem:
            ["audience", "recipients"].contains { subject?.hasPrefix($0) == true }
                ? .audience
                : ["message", "template", "values"].contains { subject?.hasPrefix($0) == true } ? .content : .delivery
        }
    }
}

extension CampaignText {
    /// What people see: the title, else the beginning of the body, else its name.
    func title(_ campaign: Campaign) -> String {
        let content = campaign.message.content[Message.defaultLanguage]
        let text = content?.title ?? content?.body
        return text.map { $0.count > 80 ? "\($0.prefix(80))…" : $0 } ?? name(campaign)
    }
}
