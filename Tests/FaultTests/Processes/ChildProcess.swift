import Foundation
import NIOConcurrencyHelpers
import TestSupport

/// The built `carillon` as a process of its own, to be killed and frozen.
final class ChildProcess: Sendable {
    /// The process ended, or said nothing, where a line was awaited.
    struct Silence: Error, CustomStringConvertible {
        var arguments: [String]
        var output: String

        var description: String { "carillon \(arguments.first ?? "") ended or said too little: \(output)" }
    }

    private struct Output {
        var text = ""
        var isOver = false
        var waiting: [(pattern: String, continuation: CheckedContinuation<String?, Never>)] = []
    }

    private let process = Process()
    private let output = NIOLockedValueBox(Output())
    private let arguments: [String]

    /// Starts a process.
    ///
    /// Standard error goes to a file in the folder that `CARILLON_FAULT_LOGS` names, or nowhere.
    ///
    /// - Parameters:
    ///   - arguments: What it is told.
    ///   - program: Its name; it lies beside the bundle of tests.
    ///   - launcher: An absolute path and arguments of what becomes the program when it has prepared something.
    ///   - log: Names the file.
    /// - Throws: What the system said when it cannot be started.
    init(
        _ arguments: [String],
        program: String = "carillon",
        launcher: [String] = [],
        log: String = "process"
    ) throws {
        self.arguments = arguments
        let pipe = Pipe()
        let command = launcher + [Self.folder.appendingPathComponent(program).path] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = pipe
        process.standardError = try Self.log(log) ?? FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.start()
        // A thread of its own that lives as long as the process: Foundation's handlers do not survive a handle that goes.
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            while true {
                let data = Self.available(in: handle.fileDescriptor)
                self?.take(data)
                if data.isEmpty { return }
            }
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var identifier: Int32 { process.processIdentifier }

    /// The first line of output that contains a text.
    ///
    /// - Throws: ``Silence`` when the process ended without it.
    func line(containing pattern: String) async throws -> String {
        let line = await withCheckedContinuation { continuation in
            let found: String?? = output.withLockedValue { output in
                if let line = Self.line(in: output.text, containing: pattern) { return .some(line) }
                if output.isOver { return .some(nil) }
                output.waiting.append((pattern, continuation))
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
        guard let line else { throw Silence(arguments: arguments, output: output.withLockedValue { $0.text }) }
        return line
    }

    /// Sends a signal.
    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Ends the process at once, as a power cut does, and waits until it is gone.
    func killNow() {
        send(SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until the process ends by itself.
    ///
    /// - Returns: Its exit status.
    func ended() async -> Int32 {
        _ = try? await line(containing: "\u{0}")
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Waits until the process has ended, by itself or by a signal.
    ///
    /// - Returns: All whole lines that it wrote.
    func lines() async -> [String] {
        _ = await ended()
        return output.withLockedValue { $0.text.split(separator: "\n", omittingEmptySubsequences: false) }
            .dropLast().map(String.init)
    }

    // MARK: - Private

    private static func log(_ name: String) throws -> FileHandle? {
        guard let folder = ProcessInfo.processInfo.environment["CARILLON_FAULT_LOGS"] else { return nil }
        let file = URL(fileURLWithPath: folder).appendingPathComponent(name + ".log")
        if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        return handle
    }

    /// Reads what there is, nothing at the end; Foundation's own reading ends the process when a signal interrupts it.
    private static func available(in descriptor: Int32) -> Data {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            return Data(buffer.prefix(max(0, count)))
        }
    }

    /// Executables lie beside the bundle of tests.
    private static var folder: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    }

    private func take(_ data: Data) {
        let ready = output.withLockedValue { output in
            output.text += String(decoding: data, as: UTF8.self)
            output.isOver = output.isOver || data.isEmpty
            var ready: [(CheckedContinuation<String?, Never>, String?)] = []
            output.waiting.removeAll { pattern, continuation in
                let line = Self.line(in: output.text, containing: pattern)
                guard line != nil || output.isOver else { return false }
                ready.append((continuation, line))
                return true
            }
            return ready
        }
        for (continuation, line) in ready { continuation.resume(returning: line) }
    }

    /// Only whole lines count.
    private static func line(in text: String, containing pattern: String) -> String? {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .first { $0.contains(pattern) }.map(String.init)
    }
}
