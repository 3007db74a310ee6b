import Foundation

/// Where a demonstration is shown: standard output, or standard error when the output is for a program.
struct DemoScreen: Sendable {
    var isJSON: Bool

    var isTerminal: Bool { isatty(isJSON ? STDERR_FILENO : STDOUT_FILENO) == 1 }

    /// Writes a line.
    func say(_ line: String = "") {
        write(line + "\n")
    }

    /// Writes text as it is.
    func write(_ text: String) {
        let handle = isJSON ? FileHandle.standardError : FileHandle.standardOutput
        handle.write(Data(text.utf8))
    }

    /// Writes what a program reads.
    func result(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// A line that shows how far something is.
    func progress(_ title: String, total: Int) -> ProgressLine {
        ProgressLine(title, total: total, isTerminal: isTerminal) { write($0) }
    }
}
