import Foundation

/// What a run came to, printed as one line of JSON.
struct ClusterReport: Encodable, CustomStringConvertible {
    var suite: String
    var seed: Int
    var network: String
    var troubles: [String]
    /// Chunks in the hands of nodes that were lost.
    var chunksLost = 0
    var chunksTakenOver = 0
    /// Answers to stale leases, by nodes that were not killed since; from the beginning of the world.
    var refusedLeases = 0
    /// From the loss of a node, for longer than a lease, to the first Chunk that another one took over; not where the
    /// database was away.
    var secondsToTakeover: Double?
    var secondsToEnd = 0.0
    var seconds = 0.0
    var repeated = 0
    var realerted = 0
    var shownTwice = 0
    /// How many repeats the nodes' options and what they had waiting allow.
    var repeatsAllowed = 0
    /// Writes of the database that found no room.
    var writesRefused: Int?
    /// What the database said to an index for which it found no room.
    var indexRefused: String?
    /// Until the other App's campaign was sent, and how long it takes when nothing is wrong.
    var othersSecondsToEnd: Double?
    var othersUsualSeconds: Double?

    init(suite: String, seed: Int, network: String, troubles: [String]) {
        self.suite = suite
        self.seed = seed
        self.network = network
        self.troubles = troubles
    }

    var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Also when the run fails; a file or a pipe has it at once.
    func print() {
        Swift.print(description)
        fflush(nil)
    }
}
