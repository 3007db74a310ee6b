import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@Suite struct DeviceLabelTests {
    private func person() async throws -> Person {
        let registry = try await Registry()
        return Person(registry: registry, app: try await registry.app().app.id)
    }

    // MARK: Categories

    @Test("C-08 a Device without a category is in category 1")
    func standardCategory() async throws {
        let person = try await person()

        #expect(try await person.register(nil).categories == .list(["1"]))
        #expect(try await person.record().categories == .list(["1"]))
    }

    @Test("C-09 a list puts the Device in each listed category")
    func listedCategories() async throws {
        let person = try await person()
        let told = try await person.register(nil) { $0.categories = .list(["1", "2", "10", "\"3\\\""]) }

        #expect(told.categories == .list(["1", "2", "10", "\"3\\\""]))
        #expect(try await person.record() == told)
    }

    @Test("C-10 categories of several dimensions are stored, in any language")
    func dimensions() async throws {
        let categories = DeviceCategories.dimensions(["1": ["関東"], "地域": ["関西", "九州"], "empty": []])
        let person = try await person()

        #expect(try await person.register(nil) { $0.categories = categories }.categories == categories)
        #expect(try await person.record().categories == categories)
    }

    @Test("C-11 several labels of one dimension are stored")
    func labels() async throws {
        let person = try await person()
        try await person.register(nil) { $0.categories = .dimensions(["4": ["B", "C", "D"]]) }

        #expect(try await person.record().categories == .dimensions(["4": ["B", "C", "D"]]))
    }

    @Test(
        "C-12 a single id, an array and an object are parsed from a form field",
        arguments: [
            ("1", .list(["1"])), ("0", .list(["0"])), (#"["1","2"]"#, .list(["1", "2"])),
            ("[1,12]", .list(["1", "12"])),
            (#"{"1":["A"],"4":["B",7]}"#, .dimensions(["1": ["A"], "4": ["B", "7"]])), ("[]", .list([])),
        ] as [(String, DeviceCategories)]
    )
    func readsForms(_ text: String, _ categories: DeviceCategories) {
        #expect(DeviceCategories(text: text) == categories)
    }

    @Test(
        "A form field without categories is refused",
        arguments: [
            "", "[", "[[]]", "{\"a\":1}", "[true]", "[null]", "[\"\"]", "a\u{7}", String(repeating: "x", count: 65),
        ]
    )
    func refusesOtherText(_ text: String) {
        #expect(DeviceCategories(text: text) == nil)
    }

    @Test("C-13 a registration needs no identifier of the phone")
    func needsNoHardwareID() async throws {
        let person = try await person()

        #expect(try await person.register(nil).model == nil)
    }

    @Test("C-15 another registration replaces categories and User")
    func replaces() async throws {
        let person = try await person()
        try await person.register("u1") { $0.categories = .list(["2", "3"]) }

        try await person.register("u2") { $0.categories = .list(["4"]) }
        #expect(try await person.record().categories == .list(["4"]))
        #expect(try await person.record().user?.rawValue == "u2")

        try await person.register(nil)
        #expect(try await person.record().categories == .standard)
        #expect(try await person.record().user == nil)
    }

    // MARK: Places

    @Test("The last position is stored with its time, and deleted by null") func storesPositions() async throws {
        let person = try await person()
        let place = DeviceLocation(latitude: 35.6586, longitude: 139.7454, at: Timestamp(rawValue: 1_799_000_000_001))
        try await person.register("u1") {
            $0.location = place
            $0.categories = .list(["9"])
        }
        #expect(try await person.record().location == place)

        var update = RegistrationUpdate()
        update.language = .set("ja")
        #expect(try await change(person, update).location == place)
        update.location = .set(nil)
        update.categories = .set(nil)
        #expect(try await change(person, update).location == nil)
        #expect(try await person.record().location == nil)
        #expect(try await person.record().categories == .standard)
    }

    private func change(_ person: Person, _ update: RegistrationUpdate) async throws -> DeviceRecord {
        try await person.registry.devices.update(
            app: person.app,
            device: person.device,
            secret: person.secret,
            update
        )
    }

    // MARK: Times of consent

    @Test("A consent has the time when it was given, until it is withdrawn") func timesConsents() async throws {
        let person = try await person()
        let clock = person.registry.clock
        let start = clock.now()
        let first = try await person.register(nil, consent: Consent(notifications: true, nightAds: true))
        #expect(first.consentTimes == ConsentTimes(notifications: start, nightAds: start))

        clock.advance(milliseconds: 1_000)
        let second = try await person.register(nil, consent: Consent(notifications: true, ads: true))
        #expect(second.consentTimes == ConsentTimes(notifications: start, ads: clock.now()))

        clock.advance(milliseconds: 1_000)
        try await person.register(nil, consent: Consent(notifications: false))
        clock.advance(milliseconds: 1_000)
        let last = try await person.register(nil, consent: Consent(notifications: true))
        #expect(last.consentTimes == ConsentTimes(notifications: clock.now()))
        #expect(try await person.record() == last)
    }

    @Test("A repeated consent keeps its time, also under another number") func keepsTimesOfConsents() async throws {
        let person = try await person()
        let start = person.registry.clock.now()
        for user in ["u1", "u1", "u2", nil] {
            let record = try await person.register(user) {
                $0.categories = .list(["5"])
                $0.location = DeviceLocation(latitude: 1, longitude: 2, at: start)
            }
            #expect(record.consentTimes == ConsentTimes(notifications: start))
            #expect(try await person.record() == record)
            person.registry.clock.advance(milliseconds: 1_000)
        }
    }
}
