package import CarillonModel

/// Bounds how many notifications a dispatcher has handed to the push service without having committed their outcomes.
///
/// After a process was killed, the notifications in the window are sent again. A pure value; it guarantees:
/// - It never has more notifications than its limit, and never more irreplaceable ones than theirs.
/// - One App never fills it: an eighth stays for others.
/// - Room goes to the App with the least in it, oldest request first. Small requests do not overtake a large one for
///   ever. Irreplaceable requests go first, for a person waits for them.
package struct SendWindow: Sendable {
    /// The size of a window.
    package struct Limits: Hashable, Sendable {
        /// Maximum number of notifications in it, at least 1.
        package var total = 24_000
        /// Maximum number of those whose second copy the person would see as a second notification, at least 1.
        package var irreplaceable = 1_000

        package init() {}
    }

    /// Notifications that request room together.
    package struct Request: Hashable, Sendable {
        package let app: AppID
        package let count: Int
        /// Whether a second copy replaces the first on the screen.
        package let isReplaceable: Bool

        package init(app: AppID, count: Int, isReplaceable: Bool) {
            self.app = app
            self.count = count
            self.isReplaceable = isReplaceable
        }
    }

    /// An App's share of the window.
    private struct Share {
        var total = 0
        var irreplaceable = 0
    }

    private let limits: Limits
    private var shares: [AppID: Share] = [:]
    private var waiting: [(id: Int, request: Request)] = []
    private var lastID = 0
    /// The number of notifications in it.
    package private(set) var total = 0
    /// The number of irreplaceable ones.
    package private(set) var irreplaceable = 0

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// The number of waiting requests.
    package var waitingCount: Int { waiting.count }

    /// Whether another request of the maximum size would fit.
    package var hasRoom: Bool { waiting.isEmpty && total + largestRequest(isReplaceable: true) <= limits.total }

    /// Maximum size of a request: so small that answers make room for the next before all have come.
    package func largestRequest(isReplaceable: Bool) -> Int {
        max(1, isReplaceable ? limits.total / 8 : min(limits.irreplaceable, limits.total) / 8)
    }

    /// Requests room.
    ///
    /// - Parameter request: At most ``largestRequest(isReplaceable:)`` notifications.
    /// - Returns: The request's id, whether it is granted already, and which others are granted now: a waiting request
    ///   may free the room that was reserved for it.
    package mutating func ask(_ request: Request) -> (id: Int, isGranted: Bool, others: [Int]) {
        precondition(request.count <= largestRequest(isReplaceable: request.isReplaceable))
        lastID += 1
        waiting.append((lastID, request))
        let granted = grant()
        return (lastID, granted.contains(lastID), granted.filter { $0 != lastID })
    }

    /// Withdraws a waiting request.
    ///
    /// - Returns: The requests that are granted now, and whether this one still waited.
    package mutating func withdraw(_ id: Int) -> (granted: [Int], wasWaiting: Bool) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return ([], false) }
        waiting.remove(at: place)
        return (grant(), true)
    }

    /// Releases room.
    ///
    /// - Returns: The requests that are granted now.
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

    /// The next request to grant; `nil` when there is no room for it.
    private func next() -> Int? {
        let urgent = first(isReplaceable: false).flatMap { place in
            irreplaceable + waiting[place].request.count <= limits.irreplaceable ? place : nil
        }
        guard let place = urgent ?? first(isReplaceable: true) else { return nil }
        return total + waiting[place].request.count <= limits.total ? place : nil
    }

    /// The oldest request of the App with the least in the window, among Apps below their share.
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

    /// The part of a window that one App may have.
    private static func share(of limit: Int) -> Int { limit - limit / 8 }
}
