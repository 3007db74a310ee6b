package import CarillonModel
package import CarillonOperatorModel
package import Logging

/// Records who did what, and returns the entries.
///
/// Entries of one time are written together: the chain has one end, and each transaction waits for the one before. An
/// entry that cannot be written is logged as an error with all its fields; the recorded action has happened by then.
package actor AuditLog {
    /// How long entries are stored.
    package static let keptFor = Duration.seconds(86_400 * 366)
    private static let batchSize = 500

    private let store: any AuditStore
    private let clock: any WallClock
    private let logger: Logger
    private let pseudonyms: AuditPseudonyms?
    private var waiting: [Waiting] = []
    private var isWriting = false

    private struct Waiting {
        var record: AuditRecord
        var written: CheckedContinuation<Void, Never>
    }

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the entries.
    ///   - clock: The entries' time.
    ///   - logger: Receives entries that cannot be written.
    ///   - pseudonyms: Pseudonyms of people and Devices; `nil` when none are recorded.
    package init(store: any AuditStore, clock: any WallClock, logger: Logger, pseudonyms: AuditPseudonyms? = nil) {
        self.pseudonyms = pseudonyms
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Writes an entry; returns when it is durable, or could not be written.
    ///
    /// Cancelling the caller does not cancel the write.
    package func append(_ record: AuditRecord) async {
        await withCheckedContinuation { written in
            waiting.append(Waiting(record: record, written: written))
            guard !isWriting else { return }
            isWriting = true
            Task { await self.writeAll() }
        }
    }

    /// Returns entries, the latest first.
    ///
    /// - Parameters:
    ///   - query: The filter.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/store(_:)``.
    nonisolated package func entries(
        _ query: AuditQuery,
        limit: Int
    ) async throws(EngineError) -> Page<AuditEntry> {
        let limit = min(max(1, limit), 1_000)
        let found = try await stored(try await store.entries(query, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Verifies the whole chain.
    ///
    /// - Parameters:
    ///   - noted: The latest entry of an earlier check.
    ///   - pageSize: How many entries are read at a time.
    /// - Returns: The range that was verified.
    /// - Throws: ``AuditFault``, or ``EngineError/store(_:)``.
    nonisolated package func verify(
        noted: (id: AuditEntryID, hash: String)? = nil,
        pageSize: Int = 1_000
    ) async throws -> AuditChain {
        var chain = AuditChain(noted: noted)
        var query = AuditQuery()
        while true {
            let page = try await entries(query, limit: pageSize)
            for entry in page.items { try chain.add(entry) }
            guard page.nextCursor != nil, let last = page.items.last else { break }
            query.before = last.id
        }
        do throws(AuditFault) {
            try chain.end()
        } catch .beginsLate {
            // Retention may have deleted the beginning while the chain was read; its entry comes after the latest one.
            var later = AuditQuery(first: chain.latest?.id ?? AuditEntryID(rawValue: 0))
            while true {
                let page = try await entries(later, limit: pageSize)
                for entry in page.items { chain.addDropped(by: entry) }
                guard page.nextCursor != nil, let last = page.items.last else { break }
                later.before = last.id
            }
            try chain.end()
        }
        return chain
    }

    /// Returns the App of an object; `nil` when it is the server's or unknown, or the store fails.
    nonisolated package func app(ofObject object: String) async -> AppID? {
        try? await store.app(ofObject: object)
    }

    /// Returns the pseudonym of a person or Device.
    ///
    /// - Parameters:
    ///   - kind: `user` or `device`.
    ///   - id: Its id.
    ///   - app: Its App.
    /// - Returns: The kind, a colon and 32 hexadecimal digits.
    /// - Throws: ``EngineError/store(_:)`` when the pseudonyms' key is not available.
    nonisolated package func pseudonym(
        _ kind: String,
        _ id: String,
        app: AppID
    ) async throws(EngineError) -> String {
        guard let pseudonyms else { throw .store(.failed("This audit log has no pseudonyms.")) }
        return try await stored(try await pseudonyms.name(kind, id, app: app))
    }

    /// The time of an entry that is written now.
    nonisolated package var now: Timestamp { clock.now() }

    // MARK: - Private

    private func writeAll() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.batchSize))
            waiting.removeFirst(batch.count)
            await write(batch.map(\.record))
            for entry in batch { entry.written.resume() }
        }
        isWriting = false
    }

    /// Writes records together, and one by one when that fails, so that one bad record does not block others.
    private func write(_ records: [AuditRecord]) async {
        do throws(StoreError) {
            try await store.append(records)
        } catch {
            guard records.count > 1, case .failed = error else {
                for record in records { report(record, error) }
                return
            }
            for record in records { await write([record]) }
        }
    }

    private func report(_ record: AuditRecord, _ error: StoreError) {
        logger.error(
            "An entry of the audit log cannot be written",
            metadata: [
                "carillon.error": "\(error)", "carillon.actor": "\(record.actor)",
                "carillon.address": "\(record.address ?? "-")", "carillon.action": "\(record.action)",
                "carillon.app": "\(record.app.map { "\($0)" } ?? "-")",
                "carillon.object": "\(record.object ?? "-")", "carillon.status": "\(record.status)",
            ]
        )
    }
}
