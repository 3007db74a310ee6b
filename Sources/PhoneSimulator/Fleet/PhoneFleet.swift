package import Carillon
package import CarillonServiceExtension
package import Foundation
import NIOConcurrencyHelpers
import SimulatorFeed
import UserNotifications

/// Many simulated phones that register with a server, receive from the APNs simulator and react.
package final class PhoneFleet: Sendable {
    /// The configuration of a fleet.
    package struct Plan: Sendable {
        package var count: Int
        /// The server's URL for phones.
        package var server: URL
        package var appKey: String
        /// The APNs simulator's control API.
        package var control: URL
        package var topic: String
        package var pushType = PushType.apns
        package var behavior = PersonBehavior()
        /// The parent of the phones' folders.
        package var folder: URL
        package var seed: UInt64 = 1
        package var media: any MediaSource = SuppliedMedia()
        /// How many phones register, and how many notifications are handled, at a time.
        package var width = 32

        package init(count: Int, server: URL, appKey: String, control: URL, topic: String, folder: URL) {
            self.count = count
            self.server = server
            self.appKey = appKey
            self.control = control
            self.topic = topic
            self.folder = folder
        }
    }

    package let plan: Plan
    package let phones: [SimulatedPhone]
    private let tokens: [String]
    private let numbers: [String: Int]
    private let control: SimulatorControl
    private let counts: NIOLockedValueBox<FleetStatistics>
    /// Notifications that arrived and are not handled, and persons who are about to react.
    private let busy = NIOLockedValueBox(0)

    /// Gets device tokens and makes the phones, without registering them.
    ///
    /// - Parameter plan: The configuration.
    /// - Throws: Any error when the APNs simulator makes no tokens or a folder cannot be made.
    package init(_ plan: Plan) async throws {
        self.plan = plan
        control = SimulatorControl(url: plan.control)
        let environment = plan.pushType == .apns ? "production" : "sandbox"
        tokens = try await control.tokens(plan.count, topic: plan.topic, environment: environment)
        numbers = Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($0.element.lowercased(), $0.offset) })
        var configuration = CarillonConfiguration(server: plan.server, appKey: plan.appKey)
        configuration.pushType = plan.pushType
        let transport = URLSessionTransport(connections: 16)
        phones = try tokens.enumerated().map { number, token in
            guard let deviceToken = DeviceToken(hexadecimal: token) else {
                throw SimulatorControl.Failure(description: "the simulator gave a token that is none")
            }
            var setup = SimulatedPhone.Setup(
                configuration: configuration,
                profile: .numbered(number),
                deviceToken: Data(deviceToken.bytes),
                transport: transport,
                media: plan.media
            )
            setup.pushType = plan.pushType
            // After a tap on one notification the app is in the foreground for the next one.
            setup.showsInFront = true
            return try SimulatedPhone(setup, folder: plan.folder.appendingPathComponent("phone-\(number)"))
        }
        var statistics = FleetStatistics()
        statistics.phones = plan.count
        counts = NIOLockedValueBox(statistics)
    }

    /// The counts so far.
    package var statistics: FleetStatistics {
        var statistics = counts.withLockedValue { $0 }
        for phone in phones {
            let screen = phone.screen
            if !screen.shownTwice.isEmpty { statistics.shownTwice += 1 }
            if !screen.realerted.isEmpty { statistics.realerted += 1 }
            statistics.complaints += phone.system.complaints.count
        }
        return statistics
    }

    /// Registers all phones, some at a time.
    ///
    /// - Parameter progress: Called after each, with the number of registered phones.
    /// - Returns: Why phones were not registered, by number.
    @discardableResult
    package func register(progress: @escaping @Sendable (Int) -> Void = { _ in }) async -> [Int: any Error] {
        await withTaskGroup(of: (Int, (any Error)?).self) { group in
            var failures: [Int: any Error] = [:]
            var next = 0
            var done = 0
            while done < phones.count {
                while next < phones.count, next - done < plan.width {
                    let (number, phone) = (next, phones[next])
                    group.addTask {
                        do {
                            try await phone.register(user: UserID(rawValue: "person-\(number)"))
                            return (number, nil)
                        } catch {
                            return (number, error)
                        }
                    }
                    next += 1
                }
                guard let (number, error) = await group.next() else { break }
                done += 1
                if let error { failures[number] = error }
                counts.withLockedValue { if error == nil { $0.registered += 1 } else { $0.refused += 1 } }
                progress(done)
            }
            return failures
        }
    }

    /// Receives notifications, shows them and lets persons react, until the task is cancelled.
    ///
    /// A feed that ends is opened again.
    ///
    /// - Parameter onOpen: Called when the phones are connected, and each time the feed is opened again.
    package func run(onOpen: @escaping @Sendable () -> Void = {}) async {
        let lanes = (0..<max(1, plan.width)).map { _ in AsyncStream.makeStream(of: FeedLine.self) }
        await withDiscardingTaskGroup { group in
            for lane in lanes { group.addTask { await self.serve(lane.stream) } }
            group.addTask {
                await self.follow(onOpen) { line in
                    guard let number = self.numbers[line.token] else { return }
                    self.busy.withLockedValue { $0 += 1 }
                    lanes[number % lanes.count].continuation.yield(line)
                }
                for lane in lanes { lane.continuation.finish() }
            }
        }
    }

    /// Waits until every event is uploaded and nobody is about to react.
    ///
    /// - Parameters:
    ///   - delivered: How many notifications must have reached phones before: those that the simulator accepted may
    ///     still be in transit.
    ///   - seconds: The longest wait.
    /// - Returns: How many events still wait.
    package func wait(delivered: Int = 0, within seconds: Double) async -> Int {
        let end = Date().addingTimeInterval(seconds)
        while true {
            var waiting = 0
            for phone in phones {
                let count = await phone.waitingEventCount()
                if count > 0 { await phone.flush() }
                waiting += await phone.waitingEventCount()
            }
            if waiting == 0, busy.withLockedValue({ $0 }) == 0, statistics.delivered >= delivered { return 0 }
            guard Date() < end, (try? await Task.sleep(nanoseconds: 50_000_000)) != nil else { return waiting }
        }
    }

    /// Ends all apps.
    package func switchOff() async {
        for phone in phones { await phone.switchOff() }
    }

    // MARK: - Private

    private func follow(
        _ onOpen: @escaping @Sendable () -> Void,
        _ onLine: @escaping @Sendable (FeedLine) -> Void
    ) async {
        while !Task.isCancelled {
            try? await control.follow(tokens, onOpen: onOpen, onLine: onLine)
            // The simulator is restarting.
            try? await Task.sleep(nanoseconds: 200_000_000)
        }
    }

    /// Handles the notifications of some phones, one after the other, so that each phone gets them in order.
    private func serve(_ lines: AsyncStream<FeedLine>) async {
        await withDiscardingTaskGroup { group in
            for await line in lines {
                defer { busy.withLockedValue { $0 -= 1 } }
                guard let number = numbers[line.token] else { continue }
                let phone = phones[number]
                let arrival = await phone.receive(SimulatedPush(payload: line.payload, collapseID: line.collapseID))
                count(arrival)
                guard arrival.presentation != .hidden else { continue }
                // The reaction depends on the seed, the phone and the notification, not on the order.
                let random = SeededRandom(seed: plan.seed &* 0x2545_F491_4F6C_DD1D ^ UInt64(number))
                let (choice, delay) = plan.behavior.choose(random)
                guard choice != .nothing else { continue }
                busy.withLockedValue { $0 += 1 }
                group.addTask {
                    try? await Task.sleep(nanoseconds: UInt64(delay * 1e9))
                    if !Task.isCancelled { await self.react(choice, phone, arrival.identifier) }
                    self.busy.withLockedValue { $0 -= 1 }
                }
            }
        }
    }

    private func react(_ choice: PersonBehavior.Choice, _ phone: SimulatedPhone, _ identifier: String) async {
        switch choice {
        case .nothing: break
        case .tap:
            if await phone.respond(.tap, to: identifier) { counts.withLockedValue { $0.opened += 1 } }
        case .dismiss:
            if await phone.respond(.dismiss, to: identifier) { counts.withLockedValue { $0.dismissed += 1 } }
        case .press:
            guard let action = phone.system.firstAction(of: identifier) else {
                // A notification without buttons can only be tapped.
                return await react(.tap, phone, identifier)
            }
            if await phone.respond(.press(action: action), to: identifier) {
                counts.withLockedValue { $0.actions += 1 }
            }
        }
    }

    private func count(_ arrival: SimulatedArrival) {
        counts.withLockedValue { counts in
            counts.delivered += 1
            if arrival.extensionTimedOut { counts.extensionTimeouts += 1 }
            switch arrival.presentation {
            case .hidden: counts.hidden += 1
            case .shown: counts.shown += 1
            case .replaced: counts.replaced += 1
            }
        }
    }
}
