import Foundation
import TestSupport

/// Runs of `carillon` as a program of its own.
enum Program {
    struct Result: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Runs a command until it ends.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - environment: Variables beside `PATH` and `HOME`.
    ///   - input: The standard input.
    /// - Returns: Its status and what it wrote.
    /// - Throws: When it cannot be started.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: FileHandle = .nullDevice
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("carillon")
            process.arguments = arguments
            process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(environment) { $1 }
            let (output, errors) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("err"))
            for file in [output, errors] { try Data().write(to: file) }
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            process.standardInput = input
            let ended = AsyncStream<Void>.makeStream()
            process.terminationHandler = { _ in ended.continuation.finish() }
            try process.start()
            for await _ in ended.stream {}
            return Result(
                status: process.terminationStatus,
                output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8)
            )
        }
    }
}
