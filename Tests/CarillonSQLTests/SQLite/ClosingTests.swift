import Foundation
import GRDBSQLite
import NIOConcurrencyHelpers
import StoreErrors
import TestSupport
import Testing

@testable import CarillonSQL

@Suite struct ClosingTests {
    /// A reader that is about to end its transaction, after its caller has continued.
    private final class Reader: Sendable {
        /// The test only checks whether the connection still exists.
        private struct State: @unchecked Sendable {
            weak var connection: SQLiteConnection?
            var isClosing = false
            var hasLost = false
        }

        private let state = NIOLockedValueBox(State())

        var hasLost: Bool { state.withLockedValue { $0.hasLost } }

        func watch(_ connection: SQLiteConnection) {
            state.withLockedValue { $0.connection = connection }
            sqlite3_trace_v2(
                connection.handle,
                UInt32(SQLITE_TRACE_STMT),
                { _, context, _, _ in
                    if let context { Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue().linger() }
                    return 0
                },
                Unmanaged.passUnretained(self).toOpaque()
            )
        }

        func beginClosing() { state.withLockedValue { $0.isClosing = true } }

        /// Gives the closing thread every chance to remove the connection's statements.
        private func linger() {
            while !state.withLockedValue({ $0.isClosing }) { sched_yield() }
            for _ in 0..<20_000 where !hasLost {
                sched_yield()
                state.withLockedValue { $0.hasLost = $0.connection == nil }
            }
        }
    }

    @Test("A reader's connection is not used before its transaction is over") func waitsForReaders() async throws {
        try await withTemporaryFolder { folder in
            let database = try SQLiteDatabase(
                path: folder.appending(path: "store.sqlite").path,
                options: .init(),
                functions: { _ in }
            )
            let reader = Reader()
            try await database.read { connection in
                _ = try connection.first("SELECT 1") { _ in true }
                if let connection = connection as? SQLiteConnection { reader.watch(connection) }
            }

            reader.beginClosing()
            database.close()

            #expect(!reader.hasLost)
            await #expect(throws: StoreError.self) {
                try await database.read { connection in
                    try connection.first("SELECT 1") { _ in true }
                }
            }
        }
    }
}
