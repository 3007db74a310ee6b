import CarillonImporters
import CarillonModel

/// What a format makes of files.
struct Reading {
    var fates: [RowFate] = []
    var notes: [ImportNote: Int] = [:]
    var unreadColumns: [String] = []
    /// Why the last file was not read to its end.
    var failure: (any Error)?
    var lastLine = 0
    var lostLineCount = 0

    var devices: [ImportRecord] {
        fates.compactMap { if case .device(let record) = $0 { record } else { nil } }
    }

    var users: [ImportRecord] {
        fates.compactMap { if case .user(let record) = $0 { record } else { nil } }
    }

    var others: [OtherDevice] {
        fates.compactMap { if case .other(let device) = $0 { device } else { nil } }
    }

    var leftOut: [String] {
        fates.compactMap { if case .leftOut(let reason, let line) = $0 { "\(line) \(reason.rawValue)" } else { nil } }
    }

    var refused: [String] {
        fates.compactMap { if case .refused(let line, let problem) = $0 { "\(line) \(problem)" } else { nil } }
    }

    /// One word a fate, which can be compared.
    var words: [String] {
        fates.map { fate in
            switch fate {
            case .device(let record): "device \(record)"
            case .user(let record): "user \(record)"
            case .other(let device): "other \(device)"
            case .leftOut(let reason, let line): "leftOut \(reason) \(line)"
            case .dead(let record): "dead \(record)"
            case .refused(let line, let problem): "refused \(line) \(problem)"
            case .joined: "joined"
            case .half(let half): "half \(half)"
            case .claim(let claim): "claim \(claim as Any)"
            }
        }
    }

    /// Reads a file in parts of some bytes.
    init<Format: SourceFormat>(
        _ format: Format,
        _ bytes: some Collection<UInt8>,
        partSizes: [Int] = [4_096],
        isSurvey: Bool = false
    ) {
        var reader = SourceReader(format, isSurvey: isSurvey)
        var reading = ([RowFate](), [ImportNote: Int]())
        let note = { (fate: RowFate, notes: Set<ImportNote>) in
            reading.0.append(fate)
            for note in notes { reading.1[note, default: 0] += 1 }
        }
        var rest = Array(bytes)[...]
        var turn = 0
        do {
            while !rest.isEmpty {
                let part = Array(rest.prefix(max(1, partSizes[turn % partSizes.count])))
                try part.withUnsafeBufferPointer { try reader.read($0, note) }
                rest = rest.dropFirst(part.count)
                turn += 1
            }
            try reader.finish(note)
        } catch {
            failure = error
        }
        (fates, notes) = reading
        unreadColumns = reader.unread.names
        lastLine = reader.lastLine
        lostLineCount = reader.lostLineCount
    }

    init<Format: SourceFormat>(_ format: Format, _ text: String, partSizes: [Int] = [4_096]) {
        self.init(format, Array(text.utf8), partSizes: partSizes)
    }
}

/// A token of 32 bytes, all of them the same.
func token(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return String(repeating: digits.count == 1 ? "0" + digits : digits, count: 32)
}

func deviceToken(_ byte: UInt8) -> DeviceToken? { DeviceToken(hexadecimal: token(byte)) }

/// Options with an environment and a consent, which most sources need.
func options(
    environment: PushType? = .apns,
    consent: Bool? = nil,
    _ change: (inout SourceOptions) -> Void = { _ in }
) -> SourceOptions {
    var options = SourceOptions()
    (options.environment, options.consent) = (environment, consent)
    change(&options)
    return options
}
