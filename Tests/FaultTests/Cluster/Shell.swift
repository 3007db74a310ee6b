import Foundation
import TestSupport

/// Runs programs that end by themselves.
enum Shell {
    struct Failure: Error, CustomStringConvertible {
        var command: String
        var status: Int32
        var output: String

        var description: String { "\(command) ended with \(status): \(output)" }
    }

    /// A program that the machine has not.
    struct Missing: Error, CustomStringConvertible {
        var program: String

        var description: String { "The machine lacks \(program)." }
    }

    /// Runs a program to its end.
    ///
    /// - Parameter command: An absolute path and arguments.
    /// - Returns: What it printed.
    /// - Throws: ``Failure`` when it ended with anything but 0.
    @discardableResult
    static func run(_ command: String...) throws -> String { try run(command) }

    @discardableResult
    static func run(_ command: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.start()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(command: command.joined(separator: " "), status: process.terminationStatus, output: output)
        }
        return output
    }
}
