import CarillonModel
import CarillonOperatorModel

/// The parts of a Campaign in words.
struct CampaignText: Sendable {
    let look: Look

    private var texts: Texts { look.texts }

    /// Its name, or how its message begins, or its id.
    func name(_ campaign: Campaign) -> String {
        let contents = campaign.message.content
        let content = contents["default"] ?? contents.sorted { $0.key < $1.key }.first?.value
        let beginning = (content?.title ?? content?.body).map { $0.count > 60 ? "\($0.prefix(60))…" : $0 }
        return [campaign.name, beginning].compactMap(\.self).first { !$0.trimmed.isEmpty } ?? campaign.id.description
    }

    func state(_ campaign: Campaign) -> PillView {
        if campaign.state == .paused, campaign.alarm != nil {
            return PillView(words: texts("campaign.state.halted"), colour: "bad")
        }
        return PillView(words: texts.word("campaign.state", campaign.state.rawValue), colour: colour(campaign.state))
    }

    func state(_ occurrence: Occurrence.State) -> PillView {
        let colour =
            switch occurrence {
            case .planned, .sending: "active"
            case .paused, .cancelling: "warn"
            case .cancelled: "muted"
            case .sent: "good"
            case .missed: "bad"
            }
        return PillView(words: texts.word("occurrence.state", occurrence.rawValue), colour: colour)
    }

    func audience(_ audience: Audience) -> String {
        switch audience {
        case .all: texts("audience.all")
        case .users(let users): texts("audience.users", count: users.count)
        case .devices(let devices): texts("audience.devices", count: devices.count)
        case .rule(let rule): rule.text
        case .saved(let id): id.description
        case .redacted: texts("audience.redacted")
        }
    }

    func kind(_ campaign: Campaign) -> String {
        if campaign.channel == .voip { return texts("campaign.kind.call") }
        return texts(campaign.isAd ? "campaign.kind.ad" : "campaign.kind.information")
    }

    /// When it begins next, or began.
    func beginning(_ campaign: Campaign) -> Timestamp? {
        campaign.nextAt ?? campaign.startedAt ?? campaign.sendAt
    }

    func pace(_ pace: Pace) -> String {
        switch pace {
        case .perMinute(let count): texts("campaign.pace.perMinute", count: count)
        case .over(let seconds): texts("campaign.pace.over", ["time": look.times.duration(seconds: seconds)])
        case .groups(let count, let every):
            texts("campaign.pace.groups", count: count, ["time": look.times.duration(seconds: every)])
        }
    }

    /// The days and times of a schedule.
    func schedule(_ schedule: Schedule) -> String {
        let times = look.list(schedule.times.map(\.description))
        let days =
            switch schedule.recurrence {
            case .at(let listed): look.list(listed.prefix(10).map(\.words))
            case .daily: texts("campaign.schedule.daily", ["times": times])
            case .weekly(let days):
                texts(
                    "campaign.schedule.weekly",
                    ["days": look.list(weekdays(days)), "times": times]
                )
            case .monthly(let days):
                texts(
                    "campaign.schedule.monthly",
                    ["days": look.list(days.sorted().map(String.init)), "times": times]
                )
            }
        let key = schedule.isLocal ? "campaign.schedule.local" : "campaign.schedule.zone"
        return texts(key, ["days": days, "zone": schedule.zone])
    }

    // MARK: - Private

    private func weekdays(_ days: Set<Weekday>) -> [String] {
        Weekday.allCases.filter(days.contains).map { texts.word("weekday", $0.rawValue) }
    }

    private func colour(_ state: Campaign.State) -> String {
        switch state {
        case .draft, .expired, .cancelled: "muted"
        case .held, .scheduled, .sending: "active"
        case .needsApproval, .refused, .paused, .cancelling: "warn"
        case .sent: "good"
        }
    }
}

extension WallTime {
    /// A local date and time as 2026-12-24 09:30.
    var words: String { description.replacing("T", with: " ") }
}
