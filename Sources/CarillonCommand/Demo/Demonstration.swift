#if os(Linux)
import CarillonModel
import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers
import PhoneSimulator

/// The demonstration: an operator and many phones that use only the public APIs.
struct Demonstration {
    /// How long the last events of phones may take, in seconds.
    private static let settlingTime = 30.0

    let world: DemoWorld.Running
    let screen: DemoScreen
    let phones: Int

    /// Registers the phones, sends a campaign to them and shows the funnel.
    ///
    /// - Parameter afterwards: What follows while the phones are still on. Gets the report and the App.
    /// - Throws: What a request to the server or `afterwards` throws.
    func run(afterwards: @Sendable (DemoReport, AppSecrets) async throws -> Void) async throws {
        screen.say("Carillon's main job, end to end on this machine.")
        screen.say("  API               \(world.server)/v1")
        screen.say("  simulated Apple   \(world.control) (control)")
        screen.say()
        let secrets = try await makeApp()
        let fleet = try await PhoneFleet(plan(appKey: secrets.appKey))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fleet.run() }
            defer { group.cancelAll() }
            try await register(fleet)
            let begin = ContinuousClock.now
            let (campaign, sent) = try await send(to: secrets.app.id)
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            _ = await fleet.wait(delivered: sent.accepted, within: Self.settlingTime)
            let funnel: Funnel = try await world.api.get("v1/campaigns/\(campaign.id)/funnel")
            show(funnel, campaign.state, fleet.statistics)
            try await afterwards(report(funnel, fleet.statistics, seconds), secrets)
            await fleet.switchOff()
        }
    }

    /// Creates an App with a push key.
    func makeApp() async throws -> AppSecrets {
        var request = AppRequest(name: "Carillon demo", bundleID: DemoMessage.bundleID, identity: .open)
        request.personalMessages = true
        let secrets: AppSecrets = try await world.api.post("v1/apps", request)
        let key = PushKeyRequest(
            keyID: SampleKey.keyID,
            teamID: SampleKey.teamID,
            privateKey: try String(contentsOf: world.pushKey.file, encoding: .utf8)
        )
        let app: App = try await world.api.put("v1/apps/\(secrets.app.id)/push-key", key)
        screen.say("  App               \(app.name), \(app.bundleID)")
        screen.say()
        return secrets
    }

    /// Phones of the App.
    func plan(appKey: String) -> PhoneFleet.Plan {
        var plan = PhoneFleet.Plan(
            count: phones,
            server: world.server,
            appKey: appKey,
            control: world.control,
            topic: DemoMessage.bundleID,
            folder: world.folder.appendingPathComponent("phones-" + UUID().uuidString)
        )
        plan.behavior.slowestReaction = 1
        return plan
    }

    // MARK: - Private

    private func register(_ fleet: PhoneFleet) async throws {
        let line = NIOLockedValueBox(screen.progress("registered", total: phones))
        let failures = await fleet.register { done in line.withLockedValue { $0.show(done) } }
        line.withLockedValue { $0.end() }
        if let failure = failures.values.first {
            screen.say("  \(failures.count) phones could not register: \(failure)")
        }
    }

    /// Sends the campaign and waits until it ends.
    private func send(to app: AppID) async throws -> (Campaign, Funnel) {
        var request = CampaignRequest(audience: .all, message: DemoMessage.message)
        request.name = "Tonight at eight"
        let campaign: Campaign = try await world.api.post("v1/campaigns", ["app": app.description], request)
        var line = screen.progress("accepted", total: phones)
        defer { line.end() }
        while true {
            let now: Campaign = try await world.api.get("v1/campaigns/\(campaign.id)")
            let funnel: Funnel = try await world.api.get("v1/campaigns/\(campaign.id)/funnel")
            line.show(funnel.accepted, note: "\(now.state.rawValue)")
            switch now.state {
            case .draft, .held, .scheduled, .sending, .cancelling: try await Task.sleep(for: .milliseconds(50))
            case .sent, .cancelled, .paused, .needsApproval, .refused, .expired: return (now, funnel)
            }
        }
    }

    private func show(_ funnel: Funnel, _ state: Campaign.State, _ statistics: FleetStatistics) {
        screen.say()
        screen.say("The funnel (\(state.rawValue))")
        for line in FunnelView(funnel: funnel).lines { screen.say(line) }
        screen.say()
        screen.say(
            "  On the phones: \(statistics.shown) shown, \(statistics.shownTwice) shown twice, "
                + "\(statistics.opened) tapped, \(statistics.dismissed) thrown away, "
                + "\(statistics.actions) buttons pressed"
        )
    }

    private func report(_ funnel: Funnel, _ statistics: FleetStatistics, _ seconds: Double) -> DemoReport {
        DemoReport(
            devices: statistics.registered,
            targeted: funnel.targeted,
            accepted: funnel.accepted,
            failed: funnel.failed.values.reduce(0, +),
            received: funnel.received,
            opened: funnel.opened,
            shownTwice: statistics.shownTwice,
            seconds: (seconds * 1000).rounded() / 1000
        )
    }
}
#endif
