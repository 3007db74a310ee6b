public import CarillonModel
public import Foundation

extension CarillonClient {
    /// Reports what happened to a push.
    ///
    /// The event is on disk when this returns; ``run()`` sends it.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - push: The push.
    ///   - action: The pressed button's id, for `action`.
    ///   - reply: What was typed; cut at 1,000 characters.
    ///   - location: Where the phone is; left out when it is invalid, and unless ``isLocationEnabled``.
    /// - Returns: Whether the event is new; false when the same was reported before.
    @discardableResult
    public func report(
        _ kind: Event.Kind,
        of push: ReceivedPush,
        action: String? = nil,
        reply: String? = nil,
        location: DeviceLocation? = nil
    ) async -> Bool {
        var event = Event(kind, occurrence: push.occurrence, receipt: push.receipt, at: time.now())
        event.action = action.map { String($0.prefix(64)) }
        event.reply = reply.map { String($0.prefix(1_000)) }
        if let location, isLocationEnabled, (try? location.validate()) != nil {
            event.latitude = location.latitude
            event.longitude = location.longitude
        }
        let isNew = await events.record(event)
        signal.wake()
        return isNew
    }

    /// Uploads the events that wait.
    ///
    /// - Parameter seconds: The longest wait; the upload goes on after it.
    /// - Returns: How many events still wait.
    @discardableResult
    public func flush(within seconds: TimeInterval? = nil) async -> Int {
        let report = try? await withDeadline(
            of: seconds ?? configuration.deadline,
            time
        ) { [events] () throws(CarillonError) in await events.flush(retryNow: true) }
        if let report { return report.waiting }
        return await events.waitingCount()
    }

    /// How many events wait on this phone.
    public var waitingEventCount: Int {
        get async { await events.waitingCount() }
    }
}

extension CarillonClient {
    /// Keeps the server up to date until the task is cancelled: retries what failed, and registers again at least weekly.
    ///
    /// Call it once; several at a time are harmless.
    public func run() async {
        while !Task.isCancelled {
            let pause = await work()
            await signal.wait(atMost: pause, time)
        }
    }

    /// Sends at once what is to be sent, as when the app comes to the foreground or the network is back.
    ///
    /// Facts that changed while the app was in the background, as the time zone, are sent too.
    public func refresh() async {
        let facts = facts()
        try? await registrations.change { facts.write(to: &$0) }
        try? await registrations.synchronize(retryNow: true)
        _ = await events.flush(retryNow: true)
        await inboxes.synchronize(facts, retryNow: true)
        try? await calls.synchronize(facts, retryNow: true)
        _ = await parts.synchronize(self, retryNow: true)
        signal.wake()
    }

    /// Sends what is due.
    ///
    /// - Returns: Seconds until something else is due.
    private func work() async -> TimeInterval {
        var pause: TimeInterval = 6 * 3_600
        do throws(CarillonError) {
            try await registrations.synchronize(retryNow: false)
        } catch {
            // Storage that cannot be read does not tell when something is due.
            if error.code == .storage { pause = 60 }
        }
        _ = await events.flush(retryNow: false)
        await inboxes.synchronize(facts(), retryNow: false)
        if await calls.nextDue() != nil { try? await calls.synchronize(facts(), retryNow: false) }
        let others = await parts.synchronize(self, retryNow: false)
        let now = time.now()
        let dues = [
            await registrations.nextDue(), await events.nextDue(), await inboxes.nextDue(), await calls.nextDue(),
        ]
        for due in dues.compactMap(\.self) + others {
            pause = min(pause, Double(due.rawValue - now.rawValue) / 1_000)
        }
        return max(pause, 1)
    }
}
