package import CarillonModel
import Foundation

/// Identifies an event: a push is received once on a phone, opened once, and each button is pressed once.
package struct EventKey: Hashable, Sendable, Codable {
    let text: String

    package init(_ event: Event) {
        text = "\(event.occurrence) \(event.kind.rawValue) \(event.action ?? "")"
    }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// One line of a spool: a type character, a checksum and JSON.
enum SpoolRecord {
    /// An event was added.
    case event(Event)
    /// Events are done.
    case done([EventKey])
    /// The number of oldest events that were dropped because there were too many.
    case dropped(Int)

    init?(line: some Collection<UInt8>) {
        // type, 16 hexadecimal digits, space, JSON
        guard line.count > 18, line.dropFirst(17).first == 0x20, let sign = line.first else { return nil }
        let checksum = String(decoding: line.dropFirst().prefix(16), as: UTF8.self)
        let json = Data(line.dropFirst(18))
        guard checksum == hexadecimal(Checksum.of(CollectionOfOne(sign) + Array(json))) else { return nil }
        let decoder = JSONDecoder()
        switch sign {
        case UInt8(ascii: "+"):
            guard let event = try? decoder.decode(Event.self, from: json) else { return nil }
            self = .event(event)
        case UInt8(ascii: "-"):
            guard let keys = try? decoder.decode([EventKey].self, from: json) else { return nil }
            self = .done(keys)
        case UInt8(ascii: "x"):
            guard let count = try? decoder.decode([Int].self, from: json).first else { return nil }
            self = .dropped(count)
        default: return nil
        }
    }

    func line() throws -> Data {
        let encoder = JSONEncoder()
        let (sign, json): (UInt8, Data) =
            switch self {
            case .event(let event): (UInt8(ascii: "+"), try encoder.encode(event))
            case .done(let keys): (UInt8(ascii: "-"), try encoder.encode(keys))
            case .dropped(let count): (UInt8(ascii: "x"), try encoder.encode([count]))
            }
        var line = Data([sign])
        line.append(contentsOf: hexadecimal(Checksum.of(CollectionOfOne(sign) + Array(json))).utf8)
        line.append(0x20)
        line.append(json)
        line.append(0x0A)
        return line
    }
}

/// The state that the lines of a spool result in.
struct SpoolContents: Sendable {
    struct Entry: Sendable {
        let event: Event
        let key: EventKey
        let size: Int
    }

    /// Events that wait, oldest first.
    private(set) var live: [Entry] = []
    /// Keys of events that are done or were dropped, oldest first.
    private(set) var done: [EventKey] = []
    private(set) var droppedCount = 0
    /// Whether the file's last line is torn.
    var endsTorn = false
    private var known: Set<EventKey> = []
    private var liveBytes = 0
    private var fileBytes = 0

    init() {}

    /// Reads a whole file and skips invalid lines.
    init(text: Data) {
        for line in text.split(separator: 0x0A) {
            guard let record = SpoolRecord(line: line) else { continue }
            apply(record, size: line.count + 1)
        }
        fileBytes = text.count
        endsTorn = text.last.map { $0 != 0x0A } ?? false
    }

    func contains(_ key: EventKey) -> Bool { known.contains(key) }

    mutating func apply(_ record: SpoolRecord, size: Int) {
        fileBytes += size
        switch record {
        case .event(let event):
            let key = EventKey(event)
            guard known.insert(key).inserted else { return }
            live.append(Entry(event: event, key: key, size: size))
            liveBytes += size
        case .done(let keys):
            let gone = Set(keys)
            live.removeAll { gone.contains($0.key) }
            known.formUnion(gone)
            done.append(contentsOf: keys)
            liveBytes = live.reduce(0) { $0 + $1.size }
        case .dropped(let count):
            let gone = live.prefix(count)
            done.append(contentsOf: gone.map(\.key))
            liveBytes -= gone.reduce(0) { $0 + $1.size }
            live.removeFirst(gone.count)
            droppedCount += count
        }
    }

    /// How many of the oldest events exceed the limits.
    func surplus(limits: EventSpool.Limits) -> Int {
        var surplus = max(0, live.count - limits.count)
        var bytes = liveBytes - live.prefix(surplus).reduce(0) { $0 + $1.size }
        while bytes > limits.bytes, surplus < live.count {
            bytes -= live[surplus].size
            surplus += 1
        }
        return surplus
    }

    /// Whether most of a large file is done.
    var isWorthCompacting: Bool { live.isEmpty ? fileBytes > 65_536 : fileBytes > 65_536 + 2 * liveBytes }

    /// Removes the oldest done events.
    mutating func trimDone(to count: Int) {
        for key in done.prefix(max(0, done.count - count)) { known.remove(key) }
        done = Array(done.suffix(count))
    }

    /// The shortest list of records with the same result.
    var records: [SpoolRecord] {
        var records: [SpoolRecord] = []
        if droppedCount > 0 { records.append(.dropped(droppedCount)) }
        if !done.isEmpty { records.append(.done(done)) }
        return records + live.map { .event($0.event) }
    }
}
