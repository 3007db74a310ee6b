import Foundation

/// What an earlier run has done, read from its outcome file.
///
/// It holds four bytes a line of the token file, so that a million tokens need 4 MB.
struct ResumePoint {
    /// An outcome file and a token file that do not belong together.
    struct OtherTokens: Error, Hashable, CustomStringConvertible {
        let line: Int
        var description: String {
            "The outcome file has another device token for line \(line): it belongs to another token file."
        }
    }

    /// What the earlier runs' notifications have in common, the first half of their ids; `nil` when there were none.
    private(set) var run: UInt64?
    /// How many lines need nothing more.
    private(set) var finished = 0
    /// By line number: 0 for a line that is still to do, else a mark of its token.
    private var marks: [UInt32] = []

    init() {}

    /// Takes a line of the outcome file; a later one about the same token replaces an earlier one.
    mutating func read(_ text: Substring) {
        guard let row = OutcomeRow(text: text), row.line <= 1_000_000_000 else { return }
        if row.line >= marks.count {
            marks += repeatElement(0, count: max(row.line + 1 - marks.count, marks.count))
        }
        if marks[row.line] != 0 { finished -= 1 }
        marks[row.line] = row.isFinal ? Self.mark(row.token) : 0
        if row.isFinal { finished += 1 }
        if let id = row.id { run = id.firstHalf }
    }

    /// Whether a line needs nothing more.
    ///
    /// - Parameters:
    ///   - line: The line's number.
    ///   - token: Its token as lower-case hexadecimal, empty for a bad line.
    /// - Returns: `false` for a line that no earlier run has seen.
    /// - Throws: ``OtherTokens`` when the earlier run found another token on it.
    func isDone(line: Int, token: String) throws -> Bool {
        guard line < marks.count, marks[line] != 0 else { return false }
        guard marks[line] == Self.mark(token) else { throw OtherTokens(line: line) }
        return true
    }

    /// FNV-1a, made odd so that it is never 0.
    private static func mark(_ token: String) -> UInt32 {
        token.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 } | 1
    }
}

extension UUID {
    /// The id of one run's notification for a line: the same whenever it is sent again (RFC 9562, version 8).
    init(run: UInt64, line: Int) {
        let high = run & ~0xF000 | 0x8000
        let low = 0x8000_0000_0000_0000 | UInt64(line) & 0x3FFF_FFFF_FFFF_FFFF
        self.init(uuid: withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The eight bytes that ``init(run:line:)`` took from its run.
    var firstHalf: UInt64 {
        withUnsafeBytes(of: uuid) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}
