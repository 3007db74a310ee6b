import Foundation

/// The progress of earlier runs, read from their outcome file.
///
/// It takes four bytes a line of the token file, so that a million tokens need 4 MB.
struct ResumePoint {
    /// The outcome file belongs to another token file.
    struct OtherTokens: Error, Hashable, CustomStringConvertible {
        let line: Int
        var description: String {
            "The outcome file has another device token for line \(line): it belongs to another token file."
        }
    }

    /// The common first half of the ids of earlier runs; `nil` when there were none.
    private(set) var run: UInt64?
    /// Number of finished lines.
    private(set) var finished = 0
    /// By line number: 0 for an unfinished line, else a hash of its token.
    private var marks: [UInt32] = []

    init() {}

    /// Reads a line of the outcome file; a later one about the same token replaces an earlier one.
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

    /// Whether a line is finished.
    ///
    /// - Parameters:
    ///   - line: The line's number.
    ///   - token: Its token as lower-case hexadecimal, empty for an invalid line.
    /// - Returns: `false` for a line without an earlier outcome.
    /// - Throws: ``OtherTokens`` when the earlier run had another token on that line.
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
    /// The id of a notification by run and line: the same for every attempt (RFC 9562, version 8).
    init(run: UInt64, line: Int) {
        let high = run & ~0xF000 | 0x8000
        let low = 0x8000_0000_0000_0000 | UInt64(line) & 0x3FFF_FFFF_FFFF_FFFF
        self.init(uuid: withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The run of ``init(run:line:)``.
    var firstHalf: UInt64 {
        withUnsafeBytes(of: uuid) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}
