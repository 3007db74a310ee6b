package import CarillonModel

/// Bounds how many notifications a dispatcher has handed to the push service without having committed their outcomes.
///
/// What is in the window when a process is killed is what is sent again. A pure value; the rules it guards:
/// - never more notifications are in it than its limit, and of those that a repeat does not replace never more than
///   theirs;
/// - one App never has all of it: an eighth is left to others;
/// - room goes to the App that has the least in it, oldest request first, and a large request is not passed over
///   for ever by small ones; what a repeat does not replace goes first, for somebody waits for it.
package struct SendWindow: Sendable {
    /// How large a window is.
    package struct Limits: Hashable, Sendable {
        /// How many notifications may be in it, from 1.
        package var total = 24_000
        /// How many of them may be such that a repeat is a second notification for the person, from 1.
        package var irreplaceable = 1_000

        package init() {}
    }

    /// Notifications that ask for room together.
    package struct Request: Hashable, Sendable {
        package let app: AppID
        package let count: Int
        /// Whether a repeat takes the place of its first copy on the screen.
        package let isReplaceable: Bool

        package init(app: AppID, count: Int, isReplaceable: Bool) {
            self.app = app
            self.count = count
            self.isReplaceable = isReplaceable
        }
    }

    /// What an App has in the window.
    private struct Share {
        var total = 0
        var irreplaceable = 0
    }

    private let limits: Limits
    private var shares: [AppID: Share] = [:]
    private var waiting: [(id: Int, request: Request)] = []
    private var lastID = 0
    /// How many notifications are in it.
    package private(set) var total = 0
    /// How many of them a repeat does not replace.
    package private(set) var irreplaceable = 0

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// How many requests wait for room.
    package var waitingCount: Int { waiting.count }

    /// Whether as many more would find room as make a request.
    package var hasRoom: Bool { waiting.isEmpty && total + largestRequest(isReplaceable: true) <= limits.total }

    /// How large a request may be: so small that answers make room for the next before all have come.
    package func largestRequest(isReplaceable: Bool) -> Int {
        max(1, isReplaceable ? limits.total / 8 : min(limits.irreplaceable, limits.total) / 8)
    }

    /// Asks for room.
    ///
    /// - Parameter request: At most ``largestRequest(isReplaceable:)`` notifications.
    /// - Returns: The request's name, whether it has its room already, and which others have theirs now: a request that
    ///   waits may give up the place that another one was kept back for.
    package mutating func ask(_ request: Request) -> (id: Int, isGranted: Bool, others: [Int]) {
        precondition(request.count <= largestRequest(isReplaceable: request.isReplaceable))
        lastID += 1
        waiting.append((lastID, request))
        let granted = grant()
        return (lastID, granted.contains(lastID), granted.filter { $0 != lastID })
    }

    /// Takes a request back that waits.
    ///
    /// - Returns: Which requests have room now, and whether it still waited.
    package mutating func withdraw(_ id: Int) -> (granted: [Int], wasWaiting: Bool) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return ([], false) }
        waiting.remove(at: place)
        return (grant(), true)
    }

    /// Gives room back.
    ///
    /// - Returns: Which requests have room now.
    package mutating func release(_ request: Request) -> [Int] {
        guard request.count > 0, var share = shares[request.app] else { return [] }
        total -= request.count
        share.total -= request.count
        if !request.isReplaceable {
            irreplaceable -= request.count
            share.irreplaceable -= request.count
        }
        shares[request.app] = share.total > 0 ? share : nil
        return grant()
    }

    // MARK: - Private

    private mutating func grant() -> [Int] {
        var granted: [Int] = []
        while let place = next() {
            let (id, request) = waiting.remove(at: place)
            total += request.count
            shares[request.app, default: Share()].total += request.count
            if !request.isReplaceable {
                irreplaceable += request.count
                shares[request.app, default: Share()].irreplaceable += request.count
            }
            granted.append(id)
        }
        return granted
    }

    /// Whose turn it is; `nil` when there is no room for that request.
    private func next() -> Int? {
        let urgent = first(isReplaceable: false).flatMap { place in
            irreplaceable + waiting[place].request.count <= limits.irreplaceable ? place : nil
        }
        guard let place = urgent ?? first(isReplaceable: true) else { return nil }
        return total + waiting[place].request.count <= limits.total ? place : nil
    }

    /// The oldest request of the App that has the least in the window, of those that have not their whole share.
    private func first(isReplaceable: Bool) -> Int? {
        let limit = Self.share(of: isReplaceable ? limits.total : limits.irreplaceable)
        func share(_ place: Int) -> Share { shares[waiting[place].request.app] ?? Share() }
        func held(_ place: Int) -> Int { isReplaceable ? share(place).total : share(place).irreplaceable }
        return waiting.indices
            .filter { place in
                let request = waiting[place].request
                return request.isReplaceable == isReplaceable && held(place) + request.count <= limit
                    && share(place).total + request.count <= Self.share(of: limits.total)
            }
            .min { held($0) < held($1) }
    }

    /// How much of a window one App may have.
    private static func share(of limit: Int) -> Int { limit - limit / 8 }
}
