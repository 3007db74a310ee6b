import CarillonModel
import CarillonOperatorModel

extension CampaignText {
    /// What a Campaign is, in rows.
    func facts(_ campaign: Campaign) -> [FactView] {
        let texts = look.texts
        func label(_ name: String) -> String { texts.word("campaign.fact", name) }
        func time(_ name: String, _ time: Timestamp?) -> FactView? { FactView(label(name), look.table(time)) }
        var facts: [FactView?] = [
            FactView(label("audience"), audience(campaign.audience)),
            FactView(label("kind"), kind(campaign)),
            time("created", campaign.createdAt),
            time("changed", campaign.updatedAt),
            time("sendAt", campaign.sendAt),
            campaign.schedule.map { FactView(label("schedule"), schedule($0)) },
            campaign.pace.map { FactView(label("pace"), pace($0)) },
            time("next", campaign.nextAt),
            time("started", campaign.startedAt),
            time("finished", campaign.finishedAt),
        ]
        if let started = campaign.startedAt, let finished = campaign.finishedAt, finished >= started {
            let seconds = Int((finished.rawValue - started.rawValue) / 1_000)
            facts.append(FactView(label("duration"), look.times.duration(seconds: seconds)))
        }
        facts += [
            campaign.validFor.map { FactView(label("validFor"), look.times.duration(seconds: $0)) },
            campaign.isAd ? FactView(label("night"), texts.word("campaign.night", campaign.nightPolicy.rawValue)) : nil,
            campaign.isTransactional ? FactView(label("transactional"), texts("campaign.transactional")) : nil,
            campaign.holdout.map { FactView(label("holdout"), look.numbers.percent($0, of: 100)) },
            campaign.template.map { FactView(label("template"), code: $0.description) },
            campaign.statisticsID.map { FactView(label("statistics"), code: $0.description) },
        ]
        return facts.compactMap(\.self)
    }
}

extension ChartsView {
    /// What the page of a Campaign counts.
    static var ofCampaign: [Series] {
        [
            Series("accepted") { $0.accepted },
            Series("notAccepted") { $0.failedByToken + $0.failedOtherwise },
            Series("opened") { $0.opened },
        ]
    }

    /// What the statistics of an App count.
    static var ofApp: [Series] {
        [
            Series("accepted") { $0.accepted },
            Series("notAccepted") { $0.failedByToken + $0.failedOtherwise },
            Series("received") { $0.received },
            Series("opened") { $0.opened },
            Series("launched") { $0.launched },
        ]
    }
}
