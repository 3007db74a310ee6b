/// How many parts a message of GTFS-Realtime has, counted without decoding it: a part of two bytes takes hundreds in memory.
struct RealtimeParts: Hashable {
    private(set) var entityCount = 0
    /// Updates of stops, of all entities.
    private(set) var stopCount = 0
    /// Whether it has groups, which the format does not have: a decoder passes over them, and the counts end there.
    private(set) var hasGroups = false

    /// Counts as far as the message can be read; the decoder refuses what cannot.
    init(of message: [UInt8]) {
        message.withUnsafeBytes { bytes in
            var entities = Members(bytes[...], of: 2)
            while let entity = entities.next() {
                entityCount += 1
                var trips = Members(entity, of: 3)
                while let trip = trips.next() {
                    var stops = Members(trip, of: 2)
                    while stops.next() != nil { stopCount += 1 }
                    if stops.hasGroups { hasGroups = true }
                }
                if trips.hasGroups { hasGroups = true }
            }
            if entities.hasGroups { hasGroups = true }
        }
    }
}

/// The members of one field of an encoded message, those that are messages themselves.
private struct Members {
    private(set) var hasGroups = false
    private var rest: Slice<UnsafeRawBufferPointer>
    private let field: UInt64

    init(_ message: Slice<UnsafeRawBufferPointer>, of field: UInt64) {
        rest = message
        self.field = field
    }

    mutating func next() -> Slice<UnsafeRawBufferPointer>? {
        while let tag = number() {
            switch tag & 7 {
            case 0: guard number() != nil else { return nil }
            case 1: guard skip(8) != nil else { return nil }
            case 2:
                guard let size = number(), let body = skip(size) else { return nil }
                if tag >> 3 == field { return body }
            case 5: guard skip(4) != nil else { return nil }
            default:
                hasGroups = true
                return nil
            }
        }
        return nil
    }

    private mutating func skip(_ count: UInt64) -> Slice<UnsafeRawBufferPointer>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private mutating func number() -> UInt64? {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst() {
            number |= UInt64(byte & 0x7F) << shift
            guard byte >= 0x80 else { return number }
            shift += 7
            guard shift < 64 else { return nil }
        }
        return nil
    }
}
