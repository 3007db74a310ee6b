import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// The targets of TOAST Push and CORE PUSH, as rules.
struct TargetingTests {
    /// Writes Devices and returns which of them a rule selects.
    private func pick(
        _ kind: StoreKind,
        _ text: String,
        channel: Campaign.Channel = .notification,
        of devices: [(inout SampledDevice) -> Void]
    ) async throws -> [Int64] {
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await AudiencePopulation(devices).write(into: database)
            let audience: Audience = text == "all" ? .all : .rule(try AudienceRule(text: text))
            return try await DeliveryRepository(database: database)
                .readAll(audience, last: devices.count, channel: channel).numbers
        }
    }

    @Test(
        "T-36 Everybody means all device tokens; VoIP tokens only when named",
        arguments: StoreKind.allCases
    )
    func readsEverybody(_ kind: StoreKind) async throws {
        let devices: [(inout SampledDevice) -> Void] = [
            { _ in }, { $0.pushType = .apnsSandbox }, { ($0.hasToken, $0.hasCallToken) = (false, true) },
            { $0.hasToken = false }, { $0.hasCallToken = true },
        ]
        #expect(try await pick(kind, "all", of: devices) == [1, 2, 5])
        #expect(try await pick(kind, "not hasUser", of: devices) == [1, 2, 5])
        #expect(try await pick(kind, "all", channel: .voip, of: devices) == [3, 5])
        #expect(try await pick(kind, "not hasUser", channel: .voip, of: devices) == [3, 5])
    }

    @Test("T-38 ( A AND B ) OR C selects exactly that set", arguments: StoreKind.allCases)
    func picksTags(_ kind: StoreKind) async throws {
        let sets: [Set<Int>] = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2], []]
        let devices = sets.map { tags in { (device: inout SampledDevice) in device.tags = tags } }
        #expect(
            try await pick(kind, "( tag:tag00000 AND tag:tag00001 ) OR tag:tag00002", of: devices) == [3, 4, 5, 6, 7]
        )
        #expect(try await pick(kind, #"tag:"name-0" and tag:"name-1""#, of: devices) == [4, 7])
        #expect(try await pick(kind, "tag:tag00000 and not tag:tag00001", of: devices) == [1, 5])
    }

    @Test("T-39 Countries and kinds of tokens narrow the set", arguments: StoreKind.allCases)
    func narrows(_ kind: StoreKind) async throws {
        let devices: [(inout SampledDevice) -> Void] = [
            { $0.country = "JP" }, { ($0.country, $0.pushType) = ("JP", .apnsSandbox) }, { $0.country = "KR" },
            { $0.country = "US" }, { _ in },
        ]
        #expect(try await pick(kind, "country in [JP, KR]", of: devices) == [1, 2, 3])
        #expect(try await pick(kind, "country in [JP, KR] and pushType = apns", of: devices) == [1, 3])
    }

    @Test("C-56 A category of one dimension selects exactly its members", arguments: StoreKind.allCases)
    func picksCategories(_ kind: StoreKind) async throws {
        let devices: [(inout SampledDevice) -> Void] = [
            { _ in }, { $0.categories = ["": ["2"]] }, { $0.categories = ["": ["1", "40"]] },
            { $0.categories = ["": []] }, { $0.categories = ["1": ["東京"]] },
        ]
        #expect(try await pick(kind, "category = 2", of: devices) == [2])
        #expect(try await pick(kind, "category in [2, 40]", of: devices) == [2, 3])
        // C-08: a Device without categories is in the first one.
        #expect(try await pick(kind, "category = 1", of: devices) == [1, 3])
    }

    @Test("C-57 A label of one of several dimensions selects exactly its members", arguments: StoreKind.allCases)
    func picksLabels(_ kind: StoreKind) async throws {
        let devices: [(inout SampledDevice) -> Void] = [
            { $0.categories = ["1": ["神奈川"]] }, { $0.categories = ["1": ["東京", "神奈川"]] },
            { $0.categories = ["1": ["東京"], "地域 x": ["a\"b"]] }, { $0.categories = ["": ["1"]] }, { _ in },
        ]
        #expect(try await pick(kind, #"category.1 = "神奈川""#, of: devices) == [1, 2])
        #expect(try await pick(kind, #"category.1 = "東京" and not category.1 = "神奈川""#, of: devices) == [3])
        #expect(try await pick(kind, #"category."地域 x" = "a\"b""#, of: devices) == [3])
    }

    @Test("C-63 An area selects Devices with their last position inside", arguments: StoreKind.allCases)
    func picksPlaces(_ kind: StoreKind) async throws {
        // A degree of latitude has 111.195 km.
        let devices: [(inout SampledDevice) -> Void] = [
            { $0.place = (35.68, 139.76) }, { $0.place = (35.68 + 0.0449, 139.76) },
            { $0.place = (35.68 + 0.0451, 139.76) }, { $0.place = (35.68, 139.76 - 0.0553) },
            { $0.place = (35.68, 139.76 - 0.0556) }, { _ in }, { $0.place = (-35.68, -139.76) },
        ]
        #expect(try await pick(kind, "within(35.68, 139.76, 5km)", of: devices) == [1, 2, 4])
        #expect(try await pick(kind, "not within(35.68, 139.76, 5km)", of: devices) == [3, 5, 6, 7])
    }
}
