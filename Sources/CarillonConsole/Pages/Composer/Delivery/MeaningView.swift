import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What a time and a pace mean, in a table and sentences.
struct MeaningView: Hashable, Sendable {
    /// A time zone.
    struct Row: Hashable, Sendable {
        let zone: String
        let zoneDevices: String
        let clock: String
        /// What is to be known about the zone; empty for nothing.
        let zoneNote: String
    }

    let caption: String
    let zoneRows: [Row]
    let hasZones: Bool
    let sentences: [String]
    /// Whether a choice is missing about zones in which the time is over.
    let asksPassed: Bool

    /// Creates it.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign as it is typed.
    ///   - reach: Its Devices, and those of each zone.
    ///   - now: The wall clock.
    ///   - look: The words of the page.
    init(_ campaign: Campaign, reach: (devices: Int, zones: [String: Int]), at now: Timestamp, _ look: Look) {
        let texts = look.texts
        let forecast = TimeForecast(
            schedule: campaign.schedule,
            sendAt: campaign.sendAt,
            devices: reach.zones,
            at: now
        )
        caption = texts(forecast?.isLocal == true ? "delivery.meaning.local" : "delivery.meaning.fixed")
        let words = MeaningWords(look: look)
        zoneRows = forecast.map { forecast in forecast.largest.map { words.row($0, forecast) } } ?? []
        hasZones = !zoneRows.isEmpty
        asksPassed = forecast.map { !$0.passed.isEmpty } ?? false
        var sentences = forecast.map { words.sentences($0, passed: campaign.schedule?.passed) } ?? []
        if forecast == nil, campaign.schedule != nil { sentences.append(texts("delivery.meaning.over")) }
        sentences += words.pace(campaign, forecast, devices: reach.devices, at: now)
        self.sentences = sentences
    }
}

/// The sentences of a time and a pace.
private struct MeaningWords {
    let look: Look

    private var texts: Texts { look.texts }

    func row(_ zone: TimeForecast.Zone, _ forecast: TimeForecast) -> MeaningView.Row {
        var notes: [String] = []
        if zone.isPassed { notes.append(texts("delivery.meaning.isOver")) }
        if let change = zone.change { notes.append(texts("delivery.meaning.short." + change.kind.rawValue)) }
        if zone.isNight { notes.append(texts("delivery.meaning.isNight")) }
        return MeaningView.Row(
            zone: zone.name ?? texts("delivery.meaning.noZone"),
            zoneDevices: look.numbers.full(zone.devices),
            clock: zone.wall.words,
            zoneNote: look.list(notes)
        )
    }

    func sentences(_ forecast: TimeForecast, passed: Schedule.PassedTime?) -> [String] {
        var sentences: [String] = []
        if forecast.isLocal {
            if let first = forecast.first, let last = forecast.last {
                let times = ["first": look.times.sentence(first).text, "last": look.times.sentence(last).text]
                sentences.append(texts("delivery.meaning.waves", count: forecast.zones.count, times))
            }
            let over = forecast.passed
            if !over.isEmpty {
                let devices = over.reduce(0) { $0 + $1.devices }
                let zones = look.list(over.prefix(6).map { $0.name ?? texts("delivery.meaning.noZone") })
                let key = "delivery.meaning.passed." + (passed?.rawValue ?? "open")
                sentences.append(texts(key, count: devices, ["zones": zones]))
            }
            sentences += forecast.changes.prefix(6).compactMap { zone in
                zone.change.map { self.change($0, in: zone.name ?? texts("delivery.meaning.noZone")) }
            }
        } else if let change = forecast.change, let zone = forecast.scheduleZone {
            sentences.append(self.change(change, in: zone))
        }
        if forecast.nightDevices > 0 {
            sentences.append(texts("delivery.meaning.night", count: forecast.nightDevices))
        }
        return sentences
    }

    /// How long it takes, and how many opens it brings.
    func pace(_ campaign: Campaign, _ forecast: TimeForecast?, devices: Int, at now: Timestamp) -> [String] {
        guard devices > 0 else { return [] }
        let pace = PaceForecast(campaign.pace, devices: devices)
        var sentences: [String] = []
        let opens = look.numbers.full(pace.opensPerSecond)
        let rates = [
            "opens": opens, "percent": String(PaceForecast.opening.percent),
            "seconds": String(PaceForecast.opening.within),
        ]
        if campaign.pace != nil {
            let end = pace.end(from: max(forecast?.last ?? now, now))
            sentences.append(
                texts("delivery.meaning.ends", rates.merging(["time": look.times.sentence(end).text]) { $1 })
            )
        } else {
            sentences.append(texts("delivery.meaning.atOnce", rates))
            if devices > 10_000 { sentences.append(texts("delivery.meaning.offer")) }
        }
        if pace.exceeds(validFor: campaign.validFor) { sentences.append(texts("delivery.wrong.expires")) }
        return sentences
    }

    private func change(_ change: ClockChange, in zone: String) -> String {
        func clock(_ wall: WallTime) -> String { String(wall.words.suffix(5)) }
        return texts(
            "delivery.meaning." + change.kind.rawValue,
            [
                "time": clock(change.wall), "zone": zone, "day": change.wall.day.description,
                "goes": clock(change.goesAt),
            ]
        )
    }
}
