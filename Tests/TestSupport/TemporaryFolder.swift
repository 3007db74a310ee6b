package import Foundation

/// Lends a folder that is removed afterwards.
///
/// - Parameter body: Is given the folder.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
package func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
