import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers
import Testing

/// Stop flags of nodes that share a store.
struct CampaignSignalsTests {
    private let campaign = CampaignID(rawValue: 1)
    private let occurrence = OccurrenceID(rawValue: 2)
    private let app = AppID(rawValue: 3)

    @Test("A Campaign that one node stopped continues everywhere when another node resumes it")
    func resumesOnAllNodes() {
        let nodes = SignalNodes(count: 3)
        nodes.halt(campaign, through: 0)
        nodes.deliverAll()
        #expect((0..<3).allSatisfy { nodes.isStopped(campaign, at: $0) })

        nodes.resume(campaign, through: 1)
        nodes.deliverAll()

        #expect((0..<3).allSatisfy { !nodes.isStopped(campaign, at: $0) })
    }

    @Test("A node that misses a notification sees the resumed Campaign in the store") func readsResumedCampaigns() {
        let nodes = SignalNodes(count: 3)
        nodes.halt(campaign, through: 0)
        nodes.deliverAll()
        nodes.resume(campaign, through: 1)
        nodes.loseAll()
        #expect(nodes.isStopped(campaign, at: 0))

        nodes.advance(by: .milliseconds(1))
        for node in 0..<3 { nodes.look(at: node) }

        #expect((0..<3).allSatisfy { !nodes.isStopped(campaign, at: $0) })
    }

    @Test("A store state read before the stop does not remove the flag") func ignoresOutdatedStates() {
        let nodes = SignalNodes(count: 2)
        nodes.signals[0].stop(campaign)
        nodes.deliverAll()
        nodes.advance(by: .seconds(1))

        for node in 0..<2 { nodes.look(at: node) }
        #expect((0..<2).allSatisfy { nodes.isStopped(campaign, at: $0) })

        // An overview that was read before the write and arrives late changes nothing either.
        let before = nodes.now
        nodes.advance(by: .milliseconds(1))
        nodes.confirm(campaign, through: 0)
        nodes.signals[0].reconcile(sending: [campaign], seenSince: before)
        #expect(nodes.isStopped(campaign, at: 0))
    }

    @Test("Flags expire, also on nodes without a dispatcher") func flagsExpire() {
        let nodes = SignalNodes(count: 2)
        for number in 0..<10_000 {
            nodes.halt(CampaignID(rawValue: Int64(number)), through: 0)
            nodes.deliverAll()
            nodes.advance(by: .seconds(1))
        }

        #expect(nodes.signals.map(\.stopCount).allSatisfy { $0 < 100 })
        #expect(!nodes.isStopped(CampaignID(rawValue: 0), at: 1))
    }

    @Test(
        "Lost, late and repeated notifications never stop a Campaign that the store is sending",
        arguments: 0..<200
    )
    func agreesWithTheStore(_ seed: UInt64) {
        let luck = SeededLuck(seed)
        let nodes = SignalNodes(count: 3)
        let campaigns = (1...4).map { CampaignID(rawValue: Int64($0)) }
        for _ in 0..<300 {
            let (node, campaign) = (luck.next(3), campaigns[luck.next(4)])
            switch luck.next(8) {
            case 0: nodes.halt(campaign, through: node)
            case 1: nodes.signals[node].stop(campaign)
            case 2: nodes.confirm(campaign, through: node)
            case 3: nodes.resume(campaign, through: node)
            case 4: nodes.look(at: node)
            case 5: nodes.advance(by: .milliseconds(luck.next(5_000)))
            default: nodes.deliverOne(luck)
            }
        }
        nodes.deliverAll()
        nodes.advance(by: .seconds(30))
        for node in 0..<3 { nodes.look(at: node) }

        for campaign in campaigns where !nodes.isStoppedInStore(campaign) {
            #expect((0..<3).allSatisfy { !nodes.isStopped(campaign, at: $0) }, "\(campaign)")
        }
    }

    @Test("K-67 An App that one node pauses stops at all, until its sending is allowed or seen in the store")
    func pausesApps() {
        let nodes = SignalNodes(count: 3)
        nodes.signals[0].pause(app)
        nodes.deliverAll()
        #expect((0..<3).allSatisfy { nodes.signals[$0].isPaused(app) })
        // What the store listed before the pause was stored says nothing.
        let before = nodes.now
        nodes.advance(by: .milliseconds(1))
        nodes.signals[0].confirmPause(of: app)
        nodes.deliverAll()
        nodes.signals[1].reconcile(apps: [app], seenSince: before)
        #expect(nodes.signals[1].isPaused(app))

        nodes.signals[2].allow(app)
        nodes.loseAll()
        #expect(!nodes.signals[2].isPaused(app))
        nodes.advance(by: .milliseconds(1))
        nodes.signals[1].reconcile(apps: [app], seenSince: nodes.now)
        #expect(!nodes.signals[1].isPaused(app))
        #expect(nodes.signals[0].isPaused(app))
        nodes.advance(by: .seconds(30))
        #expect(!nodes.signals[0].isPaused(app))
    }

    @Test("Notifications are the same after encoding and decoding") func encodesNotifications() {
        let notifications: [CampaignNotification] = [
            .work, .stop(campaign), .stopped(campaign), .allow(campaign), .stopOccurrence(occurrence),
            .pauseApp(app), .pausedApp(app), .allowApp(app),
        ]
        for notification in notifications { #expect(CampaignNotification(notification.text) == notification) }
        #expect(CampaignNotification("stopped") == nil)
    }
}

/// Signals of several nodes, their notifications, and the stored state.
private final class SignalNodes {
    private struct Letter {
        var node: Int
        var notification: CampaignNotification
    }

    let signals: [CampaignSignals]
    private let time: NIOLockedValueBox<ContinuousClock.Instant>
    private let letters = NIOLockedValueBox<[Letter]>([])
    private var stopped: Set<CampaignID> = []

    init(count: Int) {
        let time = NIOLockedValueBox(ContinuousClock.now)
        self.time = time
        signals = (0..<count).map { _ in CampaignSignals(now: { time.withLockedValue { $0 } }) }
        for signals in signals {
            signals.notifyOthers { [letters] notification in
                letters.withLockedValue { letters in
                    // As with PostgreSQL, a node receives its own notifications too.
                    for node in 0..<count { letters.append(Letter(node: node, notification: notification)) }
                }
            }
        }
    }

    var now: ContinuousClock.Instant { time.withLockedValue { $0 } }

    func advance(by duration: Duration) { time.withLockedValue { $0 += duration } }

    func isStopped(_ campaign: CampaignID, at node: Int) -> Bool {
        signals[node].isStopped(campaign, OccurrenceID(rawValue: 0))
    }

    func isStoppedInStore(_ campaign: CampaignID) -> Bool { stopped.contains(campaign) }

    func halt(_ campaign: CampaignID, through node: Int) {
        signals[node].stop(campaign)
        confirm(campaign, through: node)
    }

    func confirm(_ campaign: CampaignID, through node: Int) {
        stopped.insert(campaign)
        signals[node].confirmStop(campaign)
    }

    func resume(_ campaign: CampaignID, through node: Int) {
        stopped.remove(campaign)
        signals[node].allow(campaign)
    }

    /// A dispatcher looks for work.
    func look(at node: Int) {
        let sending = (0..<10).map { CampaignID(rawValue: $0) }.filter { !stopped.contains($0) }
        signals[node].reconcile(sending: sending, seenSince: now)
    }

    func deliverOne(_ luck: SeededLuck) {
        let letter: Letter? = letters.withLockedValue { letters in
            guard !letters.isEmpty else { return nil }
            let place = luck.next(letters.count)
            // A quarter is repeated, a quarter is lost.
            switch luck.next(4) {
            case 0: return letters[place]
            case 1:
                letters.remove(at: place)
                return nil
            default: return letters.remove(at: place)
            }
        }
        if let letter { signals[letter.node].receive(letter.notification) }
    }

    func deliverAll() {
        let all = letters.withLockedValue { letters in
            defer { letters = [] }
            return letters
        }
        for letter in all { signals[letter.node].receive(letter.notification) }
    }

    func loseAll() { letters.withLockedValue { $0 = [] } }
}
