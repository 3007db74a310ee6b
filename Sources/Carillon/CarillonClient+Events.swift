public import CarillonModel
public import Foundation

extension CarillonClient {
    /// Reports what happened to a push.
    ///
    /// It is on disk when this returns, and sent while ``run()`` runs.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - push: Which push it was.
    ///   - action: The pressed button's id, for `action`.
    ///   - reply: What was typed; cut at 1,000 characters.
    ///   - place: Where the phone is, if the App is to know; it is left out unless ``isLocationEnabled``.
    /// - Returns: Whether it is new; false when the same was reported before.
    @discardableResult
    public func report(
        _ kind: Event.Kind,
        of push: ReceivedPush,
        action: String? = nil,
        reply: String? = nil,
        at place: (latitude: Double, longitude: Double)? = nil
    ) async -> Bool {
        var event = Event(kind, occurrence: push.occurrence, receipt: push.receipt, at: time.now())
        event.action = action.map { String($0.prefix(64)) }
        event.reply = reply.map { String($0.prefix(1_000)) }
        if let place, isLocationEnabled, abs(place.latitude) <= 90, abs(place.longitude) <= 180 {
            event.latitude = place.latitude
            event.longitude = place.longitude
        }
        let isNew = await events.record(event)
        signal.wake()
        return isNew
    }

    /// Brings events that wait to the server.
    ///
    /// - Parameter seconds: How long to wait at most; it goes on after that.
    /// - Returns: How many events wait still.
    @discardableResult
    public func flush(within seconds: TimeInterval? = nil) async -> Int {
        let report = try? await withDeadline(
            of: seconds ?? configuration.deadline,
            time
        ) { [events] () throws(CarillonError) in await events.flush(hurry: true) }
        if let report { return report.waiting }
        return await events.waitingCount()
    }

    /// How many events wait on this phone.
    public func waitingEventCount() async -> Int { await events.waitingCount() }
}

extension CarillonClient {
    /// Keeps the server up to date until the task is cancelled: sends what could not be sent, and everything at least
    /// weekly.
    ///
    /// Call it once; several at a time are harmless.
    public func run() async {
        while !Task.isCancelled {
            let pause = await work()
            await signal.wait(atMost: pause, time)
        }
    }

    /// Looks at once whether something is to be sent, as when the app comes to the front or finds a network.
    ///
    /// Facts that changed while the app was away, as the time zone, are told too.
    public func refresh() async {
        let facts = facts()
        try? await registrations.tell { facts.write(to: &$0) }
        try? await registrations.synchronize(hurry: true)
        _ = await events.flush(hurry: true)
        await inboxes.bring(facts, hurry: true)
        try? await calls.synchronize(facts, hurry: true)
        signal.wake()
    }

    /// Does what is due.
    ///
    /// - Returns: How many seconds may pass until something else is.
    private func work() async -> TimeInterval {
        var pause: TimeInterval = 6 * 3_600
        do throws(CarillonError) {
            try await registrations.synchronize(hurry: false)
        } catch {
            // Storage that cannot be read gives no time to come back at.
            if error.code == .storage { pause = 60 }
        }
        _ = await events.flush(hurry: false)
        await inboxes.bring(facts(), hurry: false)
        if await calls.nextDue() != nil { try? await calls.synchronize(facts(), hurry: false) }
        let now = time.now()
        let dues = [
            await registrations.nextDue(), await events.nextDue(), await inboxes.nextDue(), await calls.nextDue(),
        ]
        for due in dues.compactMap(\.self) {
            pause = min(pause, Double(due.rawValue - now.rawValue) / 1_000)
        }
        return max(pause, 1)
    }
}
