package import CarillonModel

extension ContentAlert {
    /// What alerts go out together: those about the new rows of a version, or the bundles of one time.
    package enum Batch: Hashable, Sendable {
        /// The number of the version.
        case rows(slot: Int64)
        case bundles(dueAt: Timestamp)
    }

    /// What came of an alert.
    ///
    /// A problem stays until a whole batch of its kind goes out without one: what succeeds for another row says nothing of
    /// the row that failed.
    package struct State: Hashable, Sendable {
        /// What came of alerts of one kind.
        fileprivate struct Kind: Hashable, Sendable, Codable {
            var problem: String?
            var problemAt: Timestamp?
            /// The batch that has it.
            var problemBatch: Int64?
            /// The batch that a Campaign was made of last.
            var sentBatch: Int64?
        }

        /// When a Campaign was made last.
        package private(set) var campaignAt: Timestamp?
        fileprivate var rows = Kind()
        fileprivate var bundles = Kind()

        package init() {}

        /// Why no Campaign could be made, the latest problem that stays.
        package var problem: String? { latest?.problem }
        package var problemAt: Timestamp? { latest?.problemAt }

        /// A Campaign was made.
        package mutating func succeed(_ batch: Batch, at now: Timestamp) {
            campaignAt = max(now, campaignAt ?? now)
            change(batch) { $0.sentBatch = batch.number }
        }

        /// No Campaign could be made of some of a batch.
        package mutating func fail(_ problem: String, _ batch: Batch, at now: Timestamp) {
            change(batch) { ($0.problem, $0.problemAt, $0.problemBatch) = (problem, now, batch.number) }
        }

        /// All of a batch was gone through: a problem of an earlier one is over if anything was sent of this one.
        package mutating func end(_ batch: Batch) {
            change(batch) { kind in
                guard kind.problemBatch != batch.number, kind.sentBatch == batch.number else { return }
                (kind.problem, kind.problemAt, kind.problemBatch) = (nil, nil, nil)
            }
        }

        private var latest: Kind? {
            [rows, bundles].filter { $0.problem != nil }.max { left, right in
                guard let first = left.problemAt, let second = right.problemAt else { return left.problemAt == nil }
                return first < second
            }
        }

        private mutating func change(_ batch: Batch, _ body: (inout Kind) -> Void) {
            switch batch {
            case .rows: body(&rows)
            case .bundles: body(&bundles)
            }
        }
    }
}

extension ContentAlert.State: Codable {
    private enum CodingKeys: String, CodingKey { case campaignAt, rows, bundles, problem, problemAt }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        campaignAt = try fields.decodeIfPresent(Timestamp.self, forKey: .campaignAt)
        rows = try fields.decodeIfPresent(Kind.self, forKey: .rows) ?? Kind()
        bundles = try fields.decodeIfPresent(Kind.self, forKey: .bundles) ?? Kind()
        // As it was stored before each kind had its own.
        guard let problem = try fields.decodeIfPresent(String.self, forKey: .problem) else { return }
        rows.problem = problem
        rows.problemAt = try fields.decodeIfPresent(Timestamp.self, forKey: .problemAt)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(campaignAt, forKey: .campaignAt)
        try fields.encode(rows, forKey: .rows)
        try fields.encode(bundles, forKey: .bundles)
    }
}

extension ContentAlert.Batch {
    /// Tells it from other batches of its kind.
    fileprivate var number: Int64 {
        switch self {
        case .rows(let slot): slot
        case .bundles(let dueAt): dueAt.rawValue
        }
    }
}
