import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What the form of the step Delivery has in its fields for a draft.
enum DeliveryFields {
    /// The fields of a draft.
    ///
    /// - Parameters:
    ///   - draft: The draft.
    ///   - zone: The zone of the Operator, in which a time without a zone is shown.
    ///   - isNew: Whether nothing was chosen yet, so that the usual expiry is proposed.
    /// - Returns: The fields.
    static func fields(of draft: Campaign, zone: String, isNew: Bool) -> FormFields {
        var all: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) { if let value { all.append((name, value)) } }
        times(of: draft, zone, add)
        if !isNew {
            add("kind", (draft.channel == .voip ? DeliveryForm.Kind.call : draft.isAd ? .ad : .information).rawValue)
        }
        add("contact", draft.adWording?.contact)
        add("removeGuide", draft.adWording?.removeGuide)
        add("position", draft.adWording?.position?.rawValue)
        add("nightPolicy", draft.nightPolicy.rawValue)
        pace(of: draft, add)
        duration("validFor", isNew && draft.validFor == nil ? 86_400 : draft.validFor, add)
        duration("retryFor", draft.retryFor, add)
        add("statisticsID", draft.statisticsID?.description)
        if draft.isTransactional { add("isTransactional", "yes") }
        add("holdout", draft.holdout.map(String.init))
        variants(of: draft, add)
        return FormFields(all)
    }

    // MARK: - Private

    private typealias Adding = (String, String?) -> Void

    private static func times(of draft: Campaign, _ zone: String, _ add: Adding) {
        add("zone", draft.schedule?.zone ?? zone)
        guard let schedule = draft.schedule else {
            add("when", (draft.sendAt == nil ? DeliveryForm.When.now : .at).rawValue)
            guard let sendAt = draft.sendAt, let clock = LocalClock(named: zone) else { return }
            return addTime(clock.wall(at: sendAt), add)
        }
        if case .at(let walls) = schedule.recurrence {
            add("when", (schedule.isLocal ? DeliveryForm.When.local : .at).rawValue)
            if let first = walls.first { addTime(first, add) }
            add("moreTimes", walls.dropFirst().map(\.words).joined(separator: "\n"))
            return add("passed", schedule.passed?.rawValue)
        }
        add("when", DeliveryForm.When.repeat.rawValue)
        add("times", schedule.times.map(\.description).joined(separator: ", "))
        add("from", schedule.from?.description)
        add("until", schedule.until?.description)
        if schedule.isLocal { add("repeatLocal", "yes") }
        switch schedule.recurrence {
        case .at, .daily: add("repeat", "daily")
        case .weekly(let days):
            add("repeat", "weekly")
            for day in Weekday.allCases where days.contains(day) { add("weekday", day.rawValue) }
        case .monthly(let days):
            add("repeat", "monthly")
            add("days", days.sorted().map(String.init).joined(separator: ", "))
        }
    }

    private static func addTime(_ wall: WallTime, _ add: Adding) {
        let parts = wall.words.split(separator: " ")
        add("date", parts.first.map(String.init))
        add("time", parts.last.map(String.init))
    }

    private static func pace(of draft: Campaign, _ add: Adding) {
        switch draft.pace {
        case nil: add("pace", "none")
        case .perMinute(let number):
            add("pace", "perMinute")
            add("perMinute", String(number))
        case .over(let seconds):
            add("pace", "over")
            duration("over", seconds, add)
        case .groups(let count, let every):
            add("pace", "groups")
            add("groups", String(count))
            duration("every", every, add)
        }
    }

    private static func duration(_ name: String, _ seconds: Int?, _ add: Adding) {
        guard let seconds else { return }
        let (number, unit) = DurationUnit.split(seconds)
        add(name, String(number))
        add(name + "Unit", unit.rawValue)
    }

    private static func variants(of draft: Campaign, _ add: Adding) {
        let variants = (draft.variants ?? []).prefix(DeliveryForm.variantCount)
        let whole = 100 - (draft.holdout ?? 0)
        let sum = max(1, variants.reduce(0) { $0 + $1.weight })
        var left = whole
        for (index, variant) in variants.enumerated() {
            // The last one takes what rounding leaves, so that all together are the whole.
            let share = index == variants.count - 1 ? left : variant.weight * whole / sum
            left -= share
            add("variantName\(index + 1)", variant.name)
            add("variantShare\(index + 1)", String(share))
            for (language, content) in (variant.content ?? [:]).sorted(by: { $0.key < $1.key }) {
                add("variantTitle\(index + 1).\(language)", content.title)
                add("variantBody\(index + 1).\(language)", content.body)
            }
        }
    }
}
