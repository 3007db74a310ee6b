import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonCommand

/// An app and its service extension that are killed again and again while they report, into one folder.
///
/// `CARILLON_RESTARTS` says how often; usually 12 times.
struct KilledAppTests {
    private static let restarts =
        ProcessInfo.processInfo.environment["CARILLON_RESTARTS"].flatMap(Int.init) ?? 12
    /// How many events a process reports before it is killed, at most.
    private static let stride = 8

    @Test("An app and its extension that are killed at any point lose no event, and none counts twice")
    func killedAndStartedAgain() async throws {
        let seed = ProcessInfo.processInfo.environment["CARILLON_FAULT_SEEDS"].flatMap(Int.init) ?? 1
        // The limits of a spool are another test's: never more wait than it holds.
        let count = min(1_800, Self.restarts * 3)
        // One phone gets each push once.
        try await FaultWorld.run(devices: 1, recorded: count) { world in
            let (server, api) = try await world.startServer()
            var campaigns: [CampaignID] = []
            for _ in 0..<count { campaigns.append(try await world.send(api)) }
            for campaign in campaigns { _ = try await world.untilSent(api, campaign) }
            let phone = try ReportingPhone(world, pushes: count, server: api.server)

            var jitter = Jitter(seed: seed)
            var (app, `extension`) = (0, 0)
            for restart in 0..<Self.restarts {
                let processes = (try phone.start("app", from: app), try phone.start("extension", from: `extension`))
                let last = min(app + jitter.number(below: Self.stride), count - 1)
                if app < count { _ = try await processes.0.line(containing: "kept \(last)") }
                let isAppFirst = jitter.number(below: 2) == 0
                for process in isAppFirst ? [processes.0, processes.1] : [processes.1, processes.0] {
                    process.killNow()
                }
                app = await phone.next(after: processes.0, from: app)
                `extension` = await phone.next(after: processes.1, from: `extension`)
                try #require(app <= count && `extension` <= count, "restart \(restart)")
            }
            #expect(try await phone.start("extension", from: `extension`).lines().last == "end")
            #expect(try await phone.start("app", from: app).lines().last == "end")

            for campaign in campaigns {
                let funnel = try await world.funnel(api, campaign)
                #expect(funnel.opened == 1, "seed \(seed)")
                #expect(funnel.received == 1, "seed \(seed)")
            }
            server.killNow()
        }
    }
}

/// A phone whose app and extension run as processes.
private struct ReportingPhone {
    private let arguments: [String]

    /// Takes the pushes that the simulated Apple has accepted to the phone.
    init(_ world: FaultWorld, pushes count: Int, server: URL) throws {
        struct Payload: Decodable {
            struct Own: Decodable {
                var o: String
                var r: String
            }
            var carillon: Own
        }
        let folder = world.folder.appendingPathComponent("phone", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let pushes = try world.apple.requests(limit: count).map { request in
            let payload = try JSONDecoder().decode(Payload.self, from: Data(request.request.body))
            return "\(payload.carillon.o) \(payload.carillon.r)\n"
        }
        try #require(Set(pushes).count == count)
        try pushes.joined().write(to: folder.appendingPathComponent("pushes"), atomically: true, encoding: .utf8)
        arguments = [server.absoluteString, world.appKey, folder.path]
    }

    func start(_ role: String, from index: Int) throws -> ChildProcess {
        try ChildProcess(arguments + [role, "\(index)"], program: "ReportingApp")
    }

    /// Where a process that was killed has to go on: after the last event that it promised to keep.
    func next(after process: ChildProcess, from index: Int) async -> Int {
        let last = await process.lines().last { $0.hasPrefix("kept ") }
        return last.flatMap { Int($0.dropFirst(5)) }.map { $0 + 1 } ?? index
    }
}
