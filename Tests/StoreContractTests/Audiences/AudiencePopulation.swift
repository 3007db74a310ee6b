import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation

/// A Device as the tests model it, besides its rows in a store.
struct SampledDevice {
    var number: Int64
    var id: DeviceID
    var user: UserID?
    var consent: ConsentBits
    var pushType: PushType
    var hasToken: Bool
    var hasCallToken: Bool
    var language: String?
    var country: String?
    var timeZone: String?
    var appVersion: String?
    var osVersion: String?
    var model: String?
    var tags: Set<Int>
    /// Labels by dimension, the empty one for one-dimensional categories; `nil` without categories.
    var categories: [String: Set<String>]?
    var place: (latitude: Double, longitude: Double)?
    var createdAt: Int64
    var registeredAt: Int64
    var history: [History]

    /// The state of an Occurrence for a Device.
    struct History: Hashable {
        var occurrence: Int64
        /// The push service accepted it, and nothing else happened.
        var isDelivery: Bool
        var kind: Event.Kind
        var action: String
    }
}

extension SampledDevice {
    /// A Device with a token and consent to notifications only.
    init(number: Int64) {
        self.init(
            number: number,
            id: DeviceID(rawValue: AudiencePopulation.uuid(number)),
            consent: .notifications,
            pushType: .apns,
            hasToken: true,
            hasCallToken: false,
            tags: [],
            createdAt: 0,
            registeredAt: 0,
            history: []
        )
    }
}

/// Devices of one App, data of Users, and sent Campaigns.
struct AudiencePopulation {
    static let now: Int64 = 1_800_000_000_000
    static let app = AppID(rawValue: 7)

    let tags: [(id: TagID, name: String)]
    let labels: [(dimension: String, label: String)] = [
        ("", "1"), ("", "2"), ("", "40"), ("1", "神奈川"), ("1", "東京"), ("地域 x", "a\"b"),
    ]
    /// Occurrences by Campaign.
    let campaigns: [CampaignID: [Int64]] = [CampaignID(rawValue: 31): [101, 102], CampaignID(rawValue: 32): [201]]
    var attributes: [UserID: [String: JSONValue]] = [:]
    var devices: [SampledDevice] = []

    init(count: Int, using random: inout some RandomNumberGenerator) {
        tags = (0..<6).compactMap { place in TagID(rawValue: "tag0000\(place)").map { ($0, "name-\(place)") } }
        for place in 0..<40 {
            guard let user = UserID(rawValue: "u-\(place)") else { continue }
            attributes[user] = Self.attributes(using: &random)
        }
        for number in 1...count { devices.append(device(Int64(number), using: &random)) }
    }

    /// Devices of a test, with numbers from 1 on.
    init(_ describe: [(inout SampledDevice) -> Void]) {
        tags = (0..<6).compactMap { place in TagID(rawValue: "tag0000\(place)").map { ($0, "name-\(place)") } }
        for (place, describe) in describe.enumerated() {
            var device = SampledDevice(number: Int64(place + 1))
            describe(&device)
            devices.append(device)
        }
    }

    static let texts = ["gold", "silver", "Gold", "", "a \"b\"\n"]
    static let numbers: [JSONValue] = [
        .integer(20), .integer(21), .integer(-3), .number(20.5), .number(-0.25), .integer(9_007_199_254_740_993),
        .number(1e300), .integer(.max),
    ]
    static let languages = ["ko", "ko-KR", "KO_kr", "kok", "ja", "ja-JP", "zh-Hant-TW", "en"]
    static let versions = ["2.9", "2.10", "2.10.0", "iOS 17.4", "17", "v2.10.3-beta", "none", "1.2.3.4.5", "0099.1"]
    static let zones = ["Asia/Tokyo", "Etc/GMT+9", "asia/tokyo"]
    static let models = ["iPhone15,3", "iPad 1"]
    static let countries = ["JP", "kr", "USA"]
    static let actions = ["", "buy", "ko \"1\""]
    static let centre = (latitude: 35.68, longitude: 179.95)

    private static func attributes(using random: inout some RandomNumberGenerator) -> [String: JSONValue] {
        var attributes: [String: JSONValue] = [:]
        for name in ["age", "plan", "a.b-c_d"] where Bool.random(using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: attributes[name] = texts.randomElement(using: &random).map(JSONValue.string)
            case 1: attributes[name] = .bool(Bool.random(using: &random))
            default: attributes[name] = numbers.randomElement(using: &random)
            }
        }
        return attributes
    }

    private func device(_ number: Int64, using random: inout some RandomNumberGenerator) -> SampledDevice {
        func some<Value>(_ values: [Value], using random: inout some RandomNumberGenerator) -> Value? {
            Int.random(in: 0..<4, using: &random) == 0 ? nil : values.randomElement(using: &random)
        }
        let day: Int64 = 86_400_000
        return SampledDevice(
            number: number,
            id: DeviceID(rawValue: Self.uuid(number)),
            user: some(Array(0..<40), using: &random).flatMap { UserID(rawValue: "u-\($0)") },
            consent: ConsentBits(rawValue: .random(in: 0..<8, using: &random)),
            pushType: Bool.random(using: &random) ? .apns : .apnsSandbox,
            hasToken: Int.random(in: 0..<8, using: &random) > 0,
            hasCallToken: Int.random(in: 0..<3, using: &random) == 0,
            language: some(Self.languages, using: &random),
            country: some(Self.countries, using: &random),
            timeZone: some(Self.zones, using: &random),
            appVersion: some(Self.versions, using: &random),
            osVersion: some(Self.versions, using: &random),
            model: some(Self.models, using: &random),
            tags: Set(tags.indices.filter { Int.random(in: 0...($0 + 1), using: &random) == 0 }),
            categories: categories(using: &random),
            place: some(Array(-60...60), using: &random).map { offset in
                let longitude = Self.centre.longitude + Double(offset) / 20
                return (Self.centre.latitude + Double(offset % 7) / 50, longitude > 180 ? longitude - 360 : longitude)
            },
            createdAt: Self.now - .random(in: 0...100, using: &random) * day,
            registeredAt: Self.now - .random(in: 0...60, using: &random) * day,
            history: history(using: &random)
        )
    }

    static func uuid(_ number: Int64) -> UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: number.bigEndian) { bytes.replaceSubrange(8..<16, with: $0) }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private func categories(using random: inout some RandomNumberGenerator) -> [String: Set<String>]? {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return nil
        case 1: return ["": Set(labels.filter { $0.dimension.isEmpty && Bool.random(using: &random) }.map(\.label))]
        default:
            let chosen = labels.filter { !$0.dimension.isEmpty && Bool.random(using: &random) }
            return Dictionary(grouping: chosen, by: \.dimension).mapValues { Set($0.map(\.label)) }
        }
    }

    private func history(using random: inout some RandomNumberGenerator) -> [SampledDevice.History] {
        var history: Set<SampledDevice.History> = []
        for occurrence in campaigns.values.joined().sorted() where Bool.random(using: &random) {
            if Bool.random(using: &random) {
                history.insert(.init(occurrence: occurrence, isDelivery: true, kind: .received, action: ""))
            }
            let kind = Event.Kind.allCases.randomElement(using: &random) ?? .opened
            let action = kind == .action ? Self.actions.dropFirst().randomElement(using: &random) ?? "" : ""
            history.insert(.init(occurrence: occurrence, isDelivery: false, kind: kind, action: action))
        }
        return Array(history)
    }
}
