public import CarillonModel

/// Identifies a process that serves or dispatches, until it ends.
public struct NodeID: TimeOrderedID {
    /// The prefix of the text form: `nod`.
    public static let prefix = "nod"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The connections of one push key to one of APNs' environments, as a node sees them.
public struct NodeLane: Hashable, Sendable, Codable {
    /// `production` or `sandbox`.
    public var environment: String
    /// The key's id at Apple.
    public var keyID: String
    /// The Apps that use the key.
    public var apps: [AppID]
    /// Connections that are open or being made.
    public var connections = 0
    /// Requests that were sent and not answered yet.
    public var streams = 0
    /// How many APNs allows at once.
    public var streamLimit = 0
    /// Notifications that wait for a connection or a stream.
    public var waiting = 0
    /// Answers a second, over the last seconds.
    public var answersPerSecond = 0.0
    /// Notifications that APNs accepted since the node began.
    public var accepted = 0
    /// Notifications that APNs refused since then, by reason.
    public var refused: [String: Int] = [:]
    /// The reason of the last GOAWAY; empty when it stated none.
    public var goAway: String?
    /// When it was noticed.
    public var goAwayAt: Timestamp?
    /// The age of the provider token in seconds; missing before the first.
    public var tokenAge: Int?
    /// Whether it is slowed because too many device tokens are bad.
    public var isSlowed = false

    /// Creates a lane without traffic.
    package init(environment: String, keyID: String, apps: [AppID]) {
        (self.environment, self.keyID, self.apps) = (environment, keyID, apps)
    }
}

/// What APNs answered to a node in one minute.
public struct NodeMinute: Hashable, Sendable, Codable {
    /// When it began.
    public var at: Timestamp
    /// Accepted notifications.
    public var accepted = 0
    /// Refused notifications, also those of `tooMany`.
    public var refused = 0
    /// Notifications that were refused with 429.
    public var tooMany = 0

    /// Creates a minute without answers.
    package init(at: Timestamp) { self.at = at }
}

/// What a node reports of itself.
package struct NodeFacts: Hashable, Sendable, Codable {
    package var name: String
    package var role: String
    package var version: String
    package var startedAt: Timestamp
    package var lanes: [NodeLane] = []
    package var minutes: [NodeMinute] = []

    package init(name: String, role: String, version: String, startedAt: Timestamp) {
        (self.name, self.role, self.version, self.startedAt) = (name, role, version, startedAt)
    }
}

/// A node of the server.
public struct Node: Hashable, Sendable, Codable {
    /// Its id, another one after each start.
    public var id: NodeID
    /// The name of its machine, or the one that was configured.
    public var name: String
    /// `all`, `api` or `dispatch`.
    public var role: String
    /// The program's version.
    public var version: String
    /// When it began.
    public var startedAt: Timestamp
    /// Its last heartbeat.
    public var seenAt: Timestamp
    /// Whether its heartbeats have stopped.
    public var isLost: Bool
    /// By how many milliseconds its clock is ahead of the database's; missing where there is one clock.
    public var clockOffset: Int?
    /// Since when it takes no work, because an admin quieted it; missing unless it is quiet.
    public var quietSince: Timestamp?
    /// The Operator or API key that quieted it.
    public var quietBy: String?
    /// Chunks that it has leased.
    public var chunks: Int
    /// Its connections to APNs.
    public var lanes: [NodeLane]
    /// What APNs answered in the last hour, minute by minute, the latest last.
    public var minutes: [NodeMinute]

    /// Creates a node from what it reports.
    package init(id: NodeID, _ facts: NodeFacts, seenAt: Timestamp, isLost: Bool, chunks: Int) {
        self.id = id
        (name, role, version, startedAt) = (facts.name, facts.role, facts.version, facts.startedAt)
        (self.seenAt, self.isLost, self.chunks) = (seenAt, isLost, chunks)
        (lanes, minutes) = (facts.lanes, facts.minutes)
    }
}
