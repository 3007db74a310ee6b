import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

/// Users who get no Campaigns, for comparison.
@Suite(.timeLimit(.minutes(2)))
struct ControlGroupTests {
    private static let deviceCount = 400

    private func world(percent: Int?) async throws -> DeliveryWorld {
        let world = try await DeliveryWorld()
        // Two Devices per User; the last hundred have none.
        try await world.addDevices(Self.deviceCount) { .init(user: $0 <= 300 ? "user-\($0 / 2)" : nil) }
        var change = AppUpdate()
        change.sendingRules = SendingRules()
        change.sendingRules?.controlGroup = percent
        _ = try await world.apps.update(world.app, change)
        return world
    }

    private func keptBack(_ world: DeliveryWorld, _ campaign: Campaign) async throws -> Set<Int> {
        Set(try await world.deliveries(campaign.id).filter { $0.value.reason == "ControlGroup" }.keys)
    }

    @Test("A stable share of Users gets no Campaign on any of their Devices") func holdsUsersBack() async throws {
        let world = try await world(percent: 20)

        let first = try await keptBack(world, try await world.send(world.request()))
        let second = try await keptBack(world, try await world.send(world.request(.all, DeliveryWorld.message("two"))))

        #expect(first == second)
        #expect((40...120).contains(first.count))
        for number in stride(from: 2, to: 300, by: 2) {
            #expect(first.contains(number) == first.contains(number + 1), "\(number)")
        }
        #expect(first.contains { $0 > 300 })
        #expect(Set(world.sender.counts.keys.map { Int($0.rawValue) }).isDisjoint(with: first))
        #expect(world.sender.counts.count == Self.deviceCount - first.count)
    }

    @Test("Devices with another skip reason keep it") func keepsOtherReasons() async throws {
        let world = try await world(percent: 50)
        let first = try await keptBack(world, try await world.send(world.request()))
        try await world.addDevices(1, from: Self.deviceCount + 1) { _ in
            .init(consent: [], user: "user-\(first.min()! / 2)")
        }
        let campaign = try await world.send(world.request())
        #expect(try await world.deliveries(campaign.id)[Self.deviceCount + 1]?.reason == "NoConsent")
        #expect(try await world.funnel(campaign.id).skipped["ControlGroup"] == first.count)
    }

    @Test("Transactional Campaigns, silent messages, calls and tests go to everybody")
    func exemptsMessages() async throws {
        let world = try await world(percent: 50)
        let kept = try await keptBack(world, try await world.send(world.request()))
        let member = try #require(kept.min())
        var transactional = world.request()
        transactional.isTransactional = true
        #expect(try await keptBack(world, try await world.send(transactional)).isEmpty)
        var silent = Message(content: [:])
        silent.silent = true
        let quiet = try await world.send(world.request(.all, silent))
        #expect(try await keptBack(world, quiet).isEmpty)
        let test = try await world.dispatching(world.dispatcher()) {
            let sent = try await world.campaigns.test(
                app: world.app,
                TestSendRequest(device: DeliveryWorld.id(member), message: DeliveryWorld.message())
            )
            return try await world.wait(for: .sent, of: sent.id)
        }
        #expect(try await keptBack(world, test).isEmpty)
        // Each Device gets the transactional and the silent one, and one the test.
        #expect(world.sender.counts[DeviceNumber(rawValue: Int64(member))] == 3)
    }

    @Test("Without the rule nobody is skipped, and another App's group differs") func dependsOnTheApp() async throws {
        let world = try await world(percent: nil)
        #expect(try await keptBack(world, try await world.send(world.request())).isEmpty)

        let one = try #require(ControlGroup(of: AppID(rawValue: 1), percent: 10))
        let large = try #require(ControlGroup(of: AppID(rawValue: 1), percent: 30))
        let other = try #require(ControlGroup(of: AppID(rawValue: 2), percent: 10))
        let users = (0..<10_000).map { Array("user-\($0)".utf8) }
        let members = Set(users.filter(one.has))
        #expect((850...1_150).contains(members.count))
        #expect(members.isSubset(of: Set(users.filter(large.has))))
        // The groups are independent.
        #expect((50...150).contains(members.intersection(users.filter(other.has)).count))
        #expect(ControlGroup(of: AppID(rawValue: 1), percent: 0) == nil)
    }
}
