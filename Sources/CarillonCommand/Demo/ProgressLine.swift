import Foundation

/// One progress line: redrawn in place in a terminal, printed at each tenth elsewhere.
struct ProgressLine: Sendable {
    private let title: String
    private let total: Int
    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private var lastTenth = -1

    init(_ title: String, total: Int, isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.title = title
        self.total = max(total, 1)
        self.isTerminal = isTerminal
        self.write = write
    }

    /// Shows a count.
    ///
    /// - Parameters:
    ///   - count: The completed count.
    ///   - note: A further text.
    mutating func show(_ count: Int, note: String = "") {
        let share = Double(count) / Double(total)
        let tenth = Int(share * 10)
        guard isTerminal || tenth > lastTenth else { return }
        lastTenth = tenth
        let line =
            "  \(Text.padded(title, 12)) \(Bar(share: share, width: 40).padded) "
            + "\(Text.grouped(count)) of \(Text.grouped(total)) \(note)"
        write(isTerminal ? "\r\u{1B}[2K" + line : line + "\n")
    }

    /// Ends the line.
    func end() {
        if isTerminal { write("\n") }
    }
}
