import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite("Numbers on icons", .timeLimit(.minutes(5)))
struct BadgeTests {
    private func world(_ count: Int = 2) async throws -> DeliveryWorld {
        let world = try await DeliveryWorld()
        try await world.addDevices(count)
        return world
    }

    /// Sends a Campaign with a badge, and returns what its payloads say.
    private func send(
        _ badge: Badge,
        to audience: Audience = .all,
        _ world: DeliveryWorld
    ) async throws -> [Int: String] {
        let before = world.sender.sent.count
        var message = DeliveryWorld.message("x")
        message.badge = badge
        _ = try await world.deliver(world.request(audience, message))
        let sent = world.sender.sent.dropFirst(before)
        return Dictionary(
            uniqueKeysWithValues: sent.map { notification in
                let text = String(decoding: notification.payload.dropLast(25), as: UTF8.self)
                let badge = text.dropFirst("default:x".count).replacing(#","badge":"#, with: ",")
                return (Int(notification.device.rawValue), String(badge))
            }
        )
    }

    private func report(_ badge: Int, of number: Int, _ world: DeliveryWorld, user: String? = nil) async throws {
        let devices = Devices(store: world.stores.devices, apps: world.apps, inboxes: world.inboxes, clock: world.time)
        var update = RegistrationUpdate()
        update.badge = badge
        if let user { update.user = .set(UserID(rawValue: user)) }
        _ = try await devices.update(
            app: world.app,
            device: DeliveryWorld.id(number),
            secret: DeliveryWorld.secret,
            update
        )
    }

    /// Lets Devices claim Users without a proof.
    private func makeOpen(_ world: DeliveryWorld) async throws {
        var change = AppUpdate()
        change.identity = .open
        _ = try await world.apps.update(world.app, change)
    }

    @Test("+1 adds to what each Device has, and begins with 1") func adds() async throws {
        let world = try await world()
        #expect(try await send(.increment(by: 1), to: .devices([DeliveryWorld.id(2)]), world) == [2: ",1"])
        #expect(try await send(.increment(by: 1), world) == [1: ",1", 2: ",2"])
        #expect(try await send(.increment(by: 10), world) == [1: ",11", 2: ",12"])
    }

    @Test("It counts from what the app set, and a number that a message sets") func beginsAnew() async throws {
        let world = try await world()
        _ = try await send(.increment(by: 5), world)
        try await report(0, of: 1, world)
        try await report(40, of: 2, world)
        #expect(try await send(.increment(by: 1), world) == [1: ",1", 2: ",41"])
        _ = try await send(7, to: .devices([DeliveryWorld.id(1)]), world)
        #expect(try await send(.increment(by: 1), world) == [1: ",8", 2: ",42"])
    }

    @Test("The number ends at 99,999") func isBounded() async throws {
        let world = try await world(1)
        _ = try await send(.increment(by: 1), world)
        try await report(99_990, of: 1, world)
        #expect(try await send(.increment(by: 99), world) == [1: ",99999"])
        #expect(try await send(.increment(by: 1), world) == [1: ",99999"])
    }

    @Test("Only accepted notifications count, and a retry says the same number") func countsAccepted() async throws {
        let world = try await world()
        world.sender.answer { $0.device.rawValue == 1 ? .dropMessage(.init(rawValue: "Bad")) : .accepted }
        _ = try await send(.increment(by: 1), world)
        world.sender.answer { _ in .accepted }
        #expect(try await send(.increment(by: 1), world) == [1: ",1", 2: ",2"])

        world.sender.answer { _ in .retryLater(.notSent, after: nil) }
        var message = DeliveryWorld.message("x")
        message.badge = .increment(by: 1)
        let campaign = try await world.campaigns.create(app: world.app, world.request(.all, message))
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.retrying == 2 }
            world.sender.answer { _ in .accepted }
            while try await world.advanceToNextRetry(of: campaign.id) {}
        }
        let tries = world.sender.sent.suffix(4).map { String(decoding: $0.payload.dropLast(25), as: UTF8.self) }
        #expect(tries.sorted() == ["2", "2", "3", "3"].map { #"default:x,"badge":"# + $0 })
        #expect(try await send(.increment(by: 1), world) == [1: ",3", 2: ",4"])
    }

    @Test("The number stays with the phone when its User changes, and goes with the Device") func followsPhone()
        async throws
    {
        let world = try await world(1)
        try await makeOpen(world)
        _ = try await send(.increment(by: 1), world)
        try await report(3, of: 1, world, user: "a")
        try await report(4, of: 1, world, user: "b")
        let sent = try await send(.increment(by: 1), world)
        #expect(Array(sent.values) == [",5"])
        let devices = Devices(store: world.stores.devices, apps: world.apps, inboxes: world.inboxes, clock: world.time)
        try await devices.delete(app: world.app, device: DeliveryWorld.id(1), secret: DeliveryWorld.secret)
        #expect(try await world.rowCount("SELECT count(*) FROM device_badges") == 0)
    }

    @Test("A number that is set is not counted where no message adds to it") func costsNothing() async throws {
        let world = try await world()
        #expect(try await send(3, world) == [1: "", 2: ""])
        try await report(0, of: 1, world)
        try await report(5, of: 1, world)
        #expect(try await send(3, world) == [1: "", 2: ""])
        #expect(try await world.rowCount("SELECT count(*) FROM device_badges") == 0)
    }

    @Test("An App whose Users are not proven may add to numbers") func needsNoProof() async throws {
        let world = try await world()
        try await makeOpen(world)
        #expect(try await send(.increment(by: 1), world) == [1: ",1", 2: ",1"])
    }
}
