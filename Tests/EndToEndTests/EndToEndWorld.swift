import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import Foundation
import PhoneSimulator
import Testing
import UserNotifications

@testable import CarillonCommand

/// A running server, a simulated Apple and registered phones whose notifications are being received.
struct EndToEndWorld: Sendable {
    let running: DemoWorld.Running
    let app: AppID
    let fleet: PhoneFleet

    /// Makes a world, runs a body in it, and takes it away.
    static func run(phones: Int, _ body: @escaping @Sendable (EndToEndWorld) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-end-to-end-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await DemoWorld(folder: folder, port: 0).whileRunning { running in
            let demonstration = Demonstration(world: running, screen: DemoScreen(isJSON: true), phones: phones)
            let secrets = try await demonstration.makeApp()
            var plan = demonstration.plan(appKey: secrets.appKey)
            plan.behavior = PersonBehavior(tapRate: 0.5, dismissRate: 0.2, pressRate: 0.2, slowestReaction: 0)
            let fleet = try await PhoneFleet(plan)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await fleet.run() }
                let failures = await fleet.register()
                #expect(failures.isEmpty)
                try await body(EndToEndWorld(running: running, app: secrets.app.id, fleet: fleet))
                group.cancelAll()
            }
            await fleet.switchOff()
        }
    }

    /// Sends a campaign, waits until it is over and until the phones' events are at the server.
    func sendAndSettle(audience: Audience) async throws -> Funnel {
        let request = CampaignRequest(audience: audience, message: DemoMessage.message)
        let before = fleet.statistics.delivered
        let campaign: Campaign = try await running.api.post("v1/campaigns", ["app": app.description], request)
        let path = "v1/campaigns/\(campaign.id)"
        try await until("the campaign is over") {
            let now: Campaign = try await running.api.get(path)
            return now.state == .sent
        }
        let funnel: Funnel = try await running.api.get(path + "/funnel")
        #expect(await fleet.wait(delivered: before + funnel.accepted, within: 60) == 0)
        return try await running.api.get(path + "/funnel")
    }

    /// Has the simulated Apple call a phone's token dead since a time, in milliseconds since 1970.
    func expire(phone: Int, at milliseconds: Int64) async throws {
        let give = try #require(fleet.phones[phone].system.token)
        let token = try await give()
        let text = token.map { String(format: "%02x", $0) }.joined()
        try running.apple.expire(text, timestamp: .init(milliseconds: milliseconds))
    }

    private func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "It took too long until \(what).")
        }
    }
}
