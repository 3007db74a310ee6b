extension ChunkCommit {
    /// Cuts a commit into short transactions, so that requests of apps and Operators do not wait for them.
    ///
    /// A notification's row and its token's verdict stay together. The ending comes last, in a part without verdicts,
    /// so that verdicts are written before the Chunk is complete.
    ///
    /// - Parameter limit: The maximum cost of a part, where a plain row costs one; at least 1.
    /// - Returns: One or more parts, to be committed in this order.
    package func parts(cost limit: Int) -> [ChunkCommit] {
        var cutter = CommitCutter(self, limit: limit)
        return cutter.cut()
    }
}

/// Cuts a commit in one pass.
private struct CommitCutter {
    private static let rowCost = 1
    private static let retryCost = 2
    private static let verdictCost = 4
    private static let sendCost = 2

    private let whole: ChunkCommit
    private let limit: Int
    private var parts: [ChunkCommit] = []
    private var part: ChunkCommit
    private var cost = 0

    init(_ whole: ChunkCommit, limit: Int) {
        self.whole = whole
        self.limit = limit
        part = Self.empty(like: whole)
    }

    mutating func cut() -> [ChunkCommit] {
        let mostCost =
            whole.rows.count + whole.retries.count * Self.retryCost + whole.verdicts.count * Self.verdictCost
            + whole.sends.count * Self.sendCost
        let endsAfterVerdicts = !whole.verdicts.isEmpty && whole.ending != .goesOn
        guard mostCost > limit || endsAfterVerdicts else { return [whole] }
        // Verdicts are in the order of their rows.
        var verdicts = whole.verdicts[...]
        var sends = whole.sends[...]
        for row in whole.rows {
            part.rows.append(row)
            cost += Self.rowCost
            while let verdict = verdicts.first, verdict.device == row.device, verdict.pushType == row.pushType {
                part.verdicts.append(verdicts.removeFirst())
                cost += Self.verdictCost
            }
            if let send = sends.first, send.device == row.device, send.pushType == row.pushType {
                part.sends.append(sends.removeFirst())
                cost += Self.sendCost
            }
            endPartIfFull()
        }
        for retry in whole.retries {
            part.retries.append(retry)
            cost += Self.retryCost
            endPartIfFull()
        }
        part.verdicts += verdicts
        part.sends += sends
        if endsAfterVerdicts, !part.verdicts.isEmpty {
            parts.append(part)
            part = Self.empty(like: whole)
        }
        part.waves = whole.waves
        part.confirmsKey = whole.confirmsKey
        part.ending = whole.ending
        part.clearsFailures = whole.clearsFailures
        return parts + [part]
    }

    private mutating func endPartIfFull() {
        guard cost >= limit else { return }
        parts.append(part)
        part = Self.empty(like: whole)
        cost = 0
    }

    private static func empty(like commit: ChunkCommit) -> ChunkCommit {
        var empty = ChunkCommit(lease: commit.lease, at: commit.at)
        empty.reasons = commit.reasons
        empty.memory = commit.memory
        empty.split = commit.split
        return empty
    }
}
