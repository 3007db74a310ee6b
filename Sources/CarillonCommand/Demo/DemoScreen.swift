import Foundation

/// The output of a demonstration: standard output, or standard error when standard output is for a program.
struct DemoScreen: Sendable {
    var isJSON: Bool

    var isTerminal: Bool { isatty(isJSON ? STDERR_FILENO : STDOUT_FILENO) == 1 }

    /// Writes a line.
    func say(_ line: String = "") {
        write(line + "\n")
    }

    /// Writes text verbatim.
    func write(_ text: String) {
        let handle = isJSON ? FileHandle.standardError : FileHandle.standardOutput
        handle.write(Data(text.utf8))
    }

    /// Writes output for a program.
    func result(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Creates a progress line.
    func progress(_ title: String, total: Int) -> ProgressLine {
        ProgressLine(title, total: total, isTerminal: isTerminal) { write($0) }
    }
}
