import ArgumentParser
import Foundation

/// Where bad lines are told: a CSV file, or the standard error.
final class RejectReport {
    private let handle: FileHandle
    private let isFile: Bool
    private var buffer = Data()
    private var failure: (any Error)?

    /// Opens the report.
    ///
    /// - Parameter path: The file, which is made anew; `nil` for the standard error.
    /// - Throws: `ValidationError` when the file cannot be made.
    init(path: String?) throws {
        isFile = path != nil
        guard let path else {
            handle = .standardError
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ValidationError("Cannot write \(path).") }
        handle = file
        buffer.append(Data("line,problem\n".utf8))
    }

    /// Tells a bad line; the reason never repeats what stands in it.
    func add(line: Int, problem: String) {
        let text = isFile ? "\(line),\"\(problem.replacing("\"", with: "\"\""))\"\n" : "line \(line): \(problem)\n"
        buffer.append(Data(text.utf8))
        if buffer.count > 1 << 16 { flush() }
    }

    /// Writes what is left.
    func close() throws {
        flush()
        if let failure { throw failure }
        if isFile { try handle.close() }
    }

    /// A failure is told at the end: the good lines matter more than the report of the bad ones.
    private func flush() {
        do { try handle.write(contentsOf: buffer) } catch { failure = failure ?? error }
        buffer.removeAll(keepingCapacity: true)
    }
}
