import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite struct VoIPTests {
    private func person() async throws -> Person {
        let registry = try await Registry()
        return Person(registry: registry, app: try await registry.app().app.id)
    }

    @Test("T-128 the VoIP token is registered, read and removed separately from the device token")
    func standsApart() async throws {
        let person = try await person()
        let devices = person.registry.devices
        try await person.register("u1") { $0.token = DeviceToken(repeating: 1) }
        let start = person.registry.clock.now()

        let record = try await devices.registerVoIP(
            VoIPRegistration(token: DeviceToken(repeating: 2), pushType: .apnsVoIPSandbox),
            of: person.caller
        )
        let expected = VoIPRecord(pushType: .apnsVoIPSandbox, tokenState: .active, registeredAt: start)
        #expect(record == expected)

        // Neither changes of the device token nor a change of User affect it.
        try await person.register("u1") { $0.token = DeviceToken(repeating: 3) }
        #expect(try await devices.voIPRecord(of: person.caller) == expected)
        try await person.register("u2")
        #expect(try await devices.voIPRecord(of: person.caller) == expected)
        #expect(try await person.record().tokenState == .none)

        try await person.register("u2") { $0.token = DeviceToken(repeating: 3) }
        try await devices.removeVoIP(of: person.caller)
        try await devices.removeVoIP(of: person.caller)
        #expect(try await person.record().tokenState == .active)
        await #expect(throws: EngineError.notFound(.voIPToken)) {
            try await devices.voIPRecord(of: person.caller)
        }
    }

    @Test("T-126 a Device without a device token and without consent registers a VoIP token")
    func needsNoConsent() async throws {
        let person = try await person()
        try await person.register(nil, consent: Consent(notifications: false))

        let record = try await person.registry.devices.registerVoIP(
            VoIPRegistration(token: DeviceToken(repeating: 2)),
            of: person.caller
        )

        #expect(record.pushType == .apnsVoIP)
        #expect(try await person.record().tokenState == .none)
    }

    @Test("A Device has one VoIP token, and registering it again updates the time") func updatesTheTime() async throws {
        let person = try await person()
        let devices = person.registry.devices
        try await person.register(nil)
        let tokens = [(1, PushType.apnsVoIP), (2, .apnsVoIP), (2, .apnsVoIPSandbox), (2, .apnsVoIPSandbox)]
        for (byte, pushType) in tokens {
            person.registry.clock.advance(milliseconds: 1_000)
            let registration = VoIPRegistration(token: DeviceToken(repeating: UInt8(byte)), pushType: pushType)
            let record = try await devices.registerVoIP(registration, of: person.caller)
            #expect(try await devices.voIPRecord(of: person.caller) == record)
            #expect(record.registeredAt == person.registry.clock.now())
            let rows = try await person.registry.database.read { connection in
                try connection.all("SELECT token FROM call_tokens") { row in row.array(0)[0] }
            }
            #expect(rows == [UInt8(byte)])
        }
    }

    @Test("A VoIP token belongs to the Device that registers it last") func movesTokens() async throws {
        let first = try await person()
        let second = Person(registry: first.registry, app: first.app)
        try await first.register("u1")
        try await second.register("u2")
        let registration = VoIPRegistration(token: DeviceToken(repeating: 1))
        _ = try await first.registry.devices.registerVoIP(registration, of: first.caller)

        _ = try await first.registry.devices.registerVoIP(registration, of: second.caller)

        await #expect(throws: EngineError.notFound(.voIPToken)) {
            try await first.registry.devices.voIPRecord(of: first.caller)
        }
        #expect(try await first.registry.devices.voIPRecord(of: second.caller).tokenState == .active)
    }

    @Test("Only the Device itself can register, read or remove its VoIP token") func requiresTheSecret() async throws {
        let person = try await person()
        let devices = person.registry.devices
        let registration = VoIPRegistration(token: DeviceToken(repeating: 1))
        await #expect(throws: EngineError.notFound(.device)) {
            try await devices.registerVoIP(registration, of: person.caller)
        }
        try await person.register(nil)
        let stranger = DeviceCaller(app: person.app, device: person.device, secret: "another secret of 20 bytes")
        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            try await devices.registerVoIP(registration, of: stranger)
        }
        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            try await devices.voIPRecord(of: stranger)
        }
        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            try await devices.removeVoIP(of: stranger)
        }
    }
}
