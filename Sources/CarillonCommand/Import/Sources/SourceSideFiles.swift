import CarillonImporters
import CarillonModel
import Foundation

/// The files that an import writes besides: refused rows, and devices of other platforms.
final class SourceSideFiles {
    private let rejects: RejectReport
    private let others: FileHandle?
    private let encoder: JSONEncoder
    private var buffer = Data()

    /// - Parameters:
    ///   - rejects: A file for the refused rows; `nil` for the standard error.
    ///   - others: A file for the devices of other platforms; `nil` for none. Only its owner may read it.
    /// - Throws: `CommandFailure` when a file cannot be made.
    init(rejects: String?, others: String?) throws {
        self.rejects = try RejectReport(path: rejects)
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let others else {
            self.others = nil
            return
        }
        let isMade = FileManager.default.createFile(
            atPath: others,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade, let handle = FileHandle(forWritingAtPath: others) else {
            throw CommandFailure(.cannotCreate, "Cannot write \(others).")
        }
        self.others = handle
    }

    /// Adds a refused row; the reason never has a value.
    func reject(_ file: SourceFile, _ line: SourceLine, _ problem: String) {
        rejects.add(line: line.line, problem: line.file == 0 ? problem : "\(file.name): \(problem)")
    }

    /// A line of the file for other platforms.
    private struct OtherLine: Encodable {
        var platform: String
        var address: String
        var registration: Registration
        var consentTimes: ConsentTimes?
        var tags: [String]
        var attributes: [String: JSONValue]
        var seenAt: Timestamp?
    }

    /// Stores a device of another platform for the day on which it can be imported.
    func keep(_ device: OtherDevice) throws {
        guard others != nil else { return }
        let record = device.record
        let line = OtherLine(
            platform: device.platform,
            address: device.address,
            registration: record.registration,
            consentTimes: record.consentTimes == ConsentTimes() ? nil : record.consentTimes,
            tags: record.tags,
            attributes: record.attributes,
            seenAt: record.seenAt
        )
        buffer.append(try encoder.encode(line))
        buffer.append(0x0A)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes what is left.
    func close() throws {
        try flush()
        try others?.close()
        try rejects.close()
    }

    private func flush() throws {
        try others?.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
