import Foundation
import Logging

@testable import CarillonCommand

/// A data folder for one test, and what servers in it need.
enum ServerFolder {
    /// Nobody reads what a test's server logs.
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Makes a folder, and removes it when the body is done.
    static func with<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try DataFolder.make(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
