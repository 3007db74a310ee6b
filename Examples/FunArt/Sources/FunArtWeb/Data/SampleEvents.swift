import Foundation

/// An event in the form of the Ministry of Culture's open data (`doFindTypeJ`).
struct CultureEvent: Codable, Hashable, Sendable {
    struct Session: Codable, Hashable, Sendable {
        var time: String
        var endTime: String
        var location: String
        var locationName: String
        var onSales: String
        var price: String
        var latitude: String?
        var longitude: String?
    }

    var version = "1.4"
    var uid: String
    var title: String
    var category: String
    var showInfo: [Session]
    var showUnit = ""
    var discountInfo = ""
    var descriptionFilterHtml = ""
    var imageUrl = ""
    var masterUnit: [String] = []
    var subUnit: [String] = []
    var supportUnit: [String] = []
    var otherUnit: [String] = []
    var webSales = ""
    var sourceWebPromote = ""
    var comment = ""
    var editModifyDate = ""
    var sourceWebName = ""
    var startDate: String
    var endDate: String
    var hitRate = 0

    enum CodingKeys: String, CodingKey {
        case version
        case uid = "UID"
        case title, category, showInfo, showUnit, discountInfo, descriptionFilterHtml, imageUrl, masterUnit, subUnit
        case supportUnit, otherUnit, webSales, sourceWebPromote, comment, editModifyDate, sourceWebName, startDate
        case endDate, hitRate
    }
}

/// Events from today on: the same ones on the same day.
struct SampleEvents: Sendable {
    /// How far ahead sessions are, in days.
    private static let days = 35

    let today: Day
    let count: Int
    /// Where the pictures are; empty for none.
    var pictures = ""

    /// All events, and some that were announced later.
    ///
    /// - Parameter extras: The kinds of those, oldest first.
    /// - Returns: The events.
    func all(extras: [String] = []) -> [CultureEvent] {
        var random = SampleRandom(seed: 20_140_414)
        var events = (0..<count).map { number in
            event(number, SampleTitles.kinds[number % SampleTitles.kinds.count], &random)
        }
        for (number, kind) in extras.enumerated() {
            var random = SampleRandom(seed: UInt64(9_000 + number))
            events.append(extra(number, kind, &random))
        }
        return events
    }

    /// The file as the ministry's server sends it.
    func file(extras: [String] = []) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(all(extras: extras))
    }

    // MARK: - Private

    private func event(_ number: Int, _ kind: String, _ random: inout SampleRandom) -> CultureEvent {
        let isNear = random.chance(62)
        let venue = random.pick(isNear ? SampleVenue.kaohsiung : SampleVenue.elsewhere)
        let sessionCount = random.chance(30) ? Int.random(in: 2...4, using: &random) : 1
        let first = Int.random(in: 0..<Self.days, using: &random)
        let sale = SampleSale(&random)
        let offsets = (0..<sessionCount).map { first + 2 * $0 }
        let hour = random.pick([10, 14, 15, 19, 19, 20])
        let title =
            "\(random.pick(SampleTitles.moods))・\(random.pick(SampleTitles.groups))"
            + random.pick(SampleTitles.subjects(kind))
        return make(id(number), title, kind, venue, offsets, hour, sale, hasPicture: random.chance(60), &random)
    }

    /// One session in Kaohsiung, soon: so that a follower gets one notification.
    private func extra(_ number: Int, _ kind: String, _ random: inout SampleRandom) -> CultureEvent {
        let title = "新增場次・\(random.pick(SampleTitles.groups))\(random.pick(SampleTitles.subjects(kind)))"
        let venue = random.pick(SampleVenue.kaohsiung)
        let days = [3 + number % 4]
        return make(id(100_000 + number), title, kind, venue, days, 19, SampleSale(&random), hasPicture: true, &random)
    }

    private func make(
        _ id: String,
        _ title: String,
        _ kind: String,
        _ venue: SampleVenue,
        _ offsets: [Int],
        _ hour: Int,
        _ sale: SampleSale,
        hasPicture: Bool,
        _ random: inout SampleRandom
    ) -> CultureEvent {
        let days = offsets.map { today.adding($0).slashed }
        var event = CultureEvent(
            uid: id,
            title: title,
            category: kind,
            showInfo: days.map { session($0, hour, venue, sale) },
            startDate: days.first ?? today.slashed,
            endDate: days.last ?? today.slashed
        )
        event.masterUnit = [random.pick(SampleTitles.organizers)]
        event.showUnit = random.pick(SampleTitles.groups) + "藝術團"
        if random.chance(70) { event.descriptionFilterHtml = "\(title)。這是虛構的範例活動，在\(venue.name)舉行，歡迎參加。" }
        if hasPicture, !pictures.isEmpty { event.imageUrl = "\(pictures)/\(kind)-\(id.suffix(4)).svg" }
        if sale.isSold { event.webSales = "https://tickets.example/events/\(id)" }
        event.sourceWebPromote = "https://events.example/\(id)"
        event.sourceWebName = random.chance(90) ? "全國藝文活動範例系統" : ""
        event.hitRate = Int.random(in: 0..<2_000, using: &random)
        return event
    }

    private func session(_ day: String, _ hour: Int, _ venue: SampleVenue, _ sale: SampleSale) -> CultureEvent.Session {
        CultureEvent.Session(
            time: "\(day) \(hour):30:00",
            endTime: "\(day) \(hour + 2):00:00",
            location: venue.address,
            locationName: venue.name,
            onSales: sale.isSold ? "Y" : "N",
            price: sale.price,
            latitude: venue.position.map { "\($0.latitude)" },
            longitude: venue.position.map { "\($0.longitude)" }
        )
    }

    /// 24 hexadecimal digits.
    private func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "5a" + String(repeating: "0", count: 22 - digits.count) + digits
    }
}

/// Whether tickets are sold, and for how much.
private struct SampleSale {
    var isSold: Bool
    var price: String

    init(_ random: inout SampleRandom) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: (isSold, price) = (false, "")
        case 4: (isSold, price) = (false, "免費入場")
        default:
            isSold = true
            price = random.pick(["300", "500/800/1200", "全票250元，學生票150元", "一般 600<br>優待 480", ""])
        }
    }
}

extension Day {
    /// `2026/11/26`, as the ministry writes it.
    fileprivate var slashed: String { text.replacingOccurrences(of: "-", with: "/") }
}
