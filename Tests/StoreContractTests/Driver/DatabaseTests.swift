import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@Suite struct DatabaseTests {
    @Test("Values are read as they were bound", arguments: StoreKind.allCases)
    func bindsValues(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            try await makeTable(database)

            try await database.write { connection in
                try connection.run(
                    "INSERT INTO t (id, name, data) VALUES ($1, $2, $3)",
                    1,
                    "né\u{0}x",
                    [0, 255] as [UInt8]
                )
                try connection.run("INSERT INTO t (id, name, data) VALUES ($1, $2, $3)", 2, "", [] as [UInt8])
                try connection.run(
                    "INSERT INTO t (id, name, data) VALUES ($1, $2, $3)",
                    Int64.max,
                    String?.none,
                    [UInt8]?.none
                )
            }

            let rows = try await database.read { connection in
                try connection.all("SELECT id, name, data FROM t ORDER BY id") { row in
                    Row(id: row.int64(0), name: row.optionalString(1), data: row.optionalArray(2))
                }
            }
            #expect(
                rows == [
                    // PostgreSQL's texts accept every character but this one.
                    Row(id: 1, name: kind == .postgreSQL ? "né\u{2400}x" : "né\u{0}x", data: [0, 255]),
                    Row(id: 2, name: "", data: []),
                    Row(id: .max, name: nil, data: nil),
                ]
            )
        }
    }

    @Test("A write that throws undoes only itself", arguments: StoreKind.allCases)
    func undoesFailedWrites(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            try await makeTable(database)

            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 1...200 {
                    group.addTask {
                        try? await database.write(priority: id.isMultiple(of: 3) ? .bulk : .serving) {
                            connection in
                            try connection.run("INSERT INTO t (id, name) VALUES ($1, 'x')", id)
                            if id.isMultiple(of: 2) { throw StoreError.failed("on purpose") }
                        }
                    }
                }
                try await group.waitForAll()
            }

            let ids = try await database.read { connection in
                try connection.all("SELECT id FROM t ORDER BY id") { $0.int(0) }
            }
            #expect(ids == (1...200).filter { !$0.isMultiple(of: 2) })
        }
    }

    private struct Row: Hashable, Sendable {
        var id: Int64
        var name: String?
        var data: [UInt8]?
    }

    private func makeTable(_ database: any Database) async throws {
        try await database.write { connection in
            try connection.execute(
                script: "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, name TEXT, data \(connection.dialect.bytes))"
            )
        }
    }
}
