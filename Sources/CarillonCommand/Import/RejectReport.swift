import ArgumentParser
import Foundation

/// The report of rejected lines: a CSV file, or standard error.
final class RejectReport {
    private let handle: FileHandle
    private let isFile: Bool
    private var buffer = Data()
    private var failure: (any Error)?

    /// Opens the report.
    ///
    /// - Parameter path: The file, which is replaced; `nil` for standard error.
    /// - Throws: `ValidationError` when the file cannot be created.
    init(path: String?) throws {
        isFile = path != nil
        guard let path else {
            handle = .standardError
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CommandFailure(.cannotCreate, "Cannot write \(path).") }
        handle = file
        buffer.append(Data("line,problem\n".utf8))
    }

    /// Adds a rejected line; the reason never repeats its content.
    func add(line: Int, problem: String) {
        let text = isFile ? "\(line),\"\(problem.replacing("\"", with: "\"\""))\"\n" : "line \(line): \(problem)\n"
        buffer.append(Data(text.utf8))
        if buffer.count > 1 << 16 { flush() }
    }

    /// Writes buffered lines.
    func close() throws {
        flush()
        if let failure { throw failure }
        if isFile { try handle.close() }
    }

    /// An error is reported at the end: the valid lines matter more than the report of rejected ones.
    private func flush() {
        do { try handle.write(contentsOf: buffer) } catch { failure = failure ?? error }
        buffer.removeAll(keepingCapacity: true)
    }
}
