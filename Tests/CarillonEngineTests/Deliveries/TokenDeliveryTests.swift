import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Which tokens are sent to, and what happens to refused ones.
@Suite(.timeLimit(.minutes(5)))
struct TokenDeliveryTests {
    private func send(_ world: DeliveryWorld) async throws -> CampaignID {
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: campaign.id) }
        return campaign.id
    }

    private func users(_ world: DeliveryWorld) -> Users {
        Users(store: world.stores.users, apps: world.apps, clock: world.time)
    }

    @Test("T-21 all Devices of a User get a notification where a User has many tokens")
    func reachesAllDevices() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2) { _ in .init(user: "u1") }

        _ = try await send(world)

        #expect(Set(world.sender.sent.map(\.device.rawValue)) == [1, 2])
    }

    @Test("C-14 a Device with a User is reached by the User's id")
    func reachesUser() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { .init(user: $0 == 2 ? "u1" : "u9") }
        let user = try #require(UserID(rawValue: "u1"))

        let campaign = try await world.campaigns.create(app: world.app, world.request(.users([user])))
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: campaign.id) }

        #expect(world.sender.sent.map(\.device.rawValue) == [2])
    }

    @Test("T-25 Devices of two tenants with one token both get theirs, at the plain token")
    func reachesTenants() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        _ = try await world.database.write { connection in
            try connection.run("UPDATE devices SET token = $1, tenant = 'b' WHERE number = 2", DeliveryWorld.token(1))
        }

        _ = try await send(world)

        #expect(world.sender.sent.map(\.token) == [DeliveryWorld.token(1), DeliveryWorld.token(1)])
    }

    @Test("T-55 a sandbox token is sent through the sandbox, a production token through production")
    func keepsEnvironments() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2) { .init(pushType: $0 == 1 ? .apns : .apnsSandbox) }

        _ = try await send(world)

        let types = Dictionary(uniqueKeysWithValues: world.sender.sent.map { ($0.device.rawValue, $0.pushType) })
        #expect(types == [1: .apns, 2: .apnsSandbox])
    }

    @Test("T-28 a Device without a registration within the App's token lifetime gets nothing")
    func leavesExpiredOut() async throws {
        let world = try await DeliveryWorld()
        var rule = AppUpdate()
        rule.tokenLifetimeDays = 10
        _ = try await world.apps.update(world.app, rule)
        let day: Int64 = 86_400_000
        let now: Timestamp = world.time.now()
        try await world.addDevices(3) { number in
            var device = DeliveryWorld.Device()
            device.registeredAt = Timestamp(rawValue: now.rawValue - [9, 10, 11][number - 1] * day)
            return device
        }

        let campaign = try await send(world)

        #expect(Set(world.sender.sent.map(\.device.rawValue)) == [1, 2])
        #expect(try await world.funnel(campaign).targeted == 2)
    }

    @Test("T-26 C-60 an unregistered token is dropped, listed with its Campaign, and not used again")
    func listsDeadTokens() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { _ in .init(user: "u1") }
        let reason = FailureReason(rawValue: "Unregistered")
        world.sender.answer { $0.device.rawValue == 2 ? .dropDeviceToken(reason, since: nil) : .accepted }
        let campaign = try await send(world)

        let page = try await users(world).invalidTokens(app: world.app, showsTokens: true)
        let listed = try #require(page.items.first)
        #expect(page.items.count == 1)
        #expect(listed.device == DeliveryWorld.id(2))
        #expect(listed.user == UserID(rawValue: "u1"))
        #expect(listed.reason == "Unregistered")
        #expect(listed.campaign == campaign)
        #expect(listed.token?.bytes == DeliveryWorld.token(2))
        #expect(try await users(world).invalidTokens(app: world.app, showsTokens: false).items.first?.token == nil)

        world.sender.answer { _ in .accepted }
        _ = try await send(world)
        #expect(world.sender.counts[DeviceNumber(rawValue: 2)] == 1)
        #expect(world.sender.counts[DeviceNumber(rawValue: 1)] == 2)
    }

    @Test("T-27 invalid tokens are listed by Campaign and time, at most a hundred per page")
    func pagesDeadTokens() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(250)
        world.sender.answer { _ in .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: nil) }
        let campaign = try await send(world)
        let users = users(world)
        let now: Timestamp = world.time.now()

        var (seen, cursor): (Set<DeviceID>, String?) = ([], nil)
        var sizes: [Int] = []
        repeat {
            let page = try await users.invalidTokens(
                app: world.app,
                campaign: campaign,
                after: cursor.flatMap(InvalidTokenQuery.Position.init(text:)),
                limit: 1_000,
                showsTokens: false
            )
            sizes.append(page.items.count)
            seen.formUnion(page.items.map(\.device))
            cursor = page.nextCursor
        } while cursor != nil
        #expect(sizes == [100, 100, 50])
        #expect(seen.count == 250)

        func count(_ campaign: CampaignID? = nil, from: Timestamp? = nil, until: Timestamp? = nil) async throws -> Int {
            try await users.invalidTokens(
                app: world.app,
                campaign: campaign,
                from: from,
                until: until,
                limit: 100,
                showsTokens: false
            ).items.count
        }
        #expect(try await count(CampaignID(rawValue: 1)) == 0)
        #expect(try await count(from: now.advanced(by: .seconds(60))) == 0)
        #expect(try await count(from: now.advanced(by: .seconds(-60))) == 100)
        #expect(try await count(until: now.advanced(by: .seconds(-60))) == 0)
        #expect(try await count(until: now.advanced(by: .seconds(60))) == 100)

        world.time.advance(by: .seconds(31 * 86_400))
        #expect(try await count() == 0)
        while try await users.removeOldInvalidTokens() {}
        #expect(try await world.rowCount("SELECT count(*) FROM invalid_tokens") == 0)
    }
}
