import Foundation

/// All known device tokens, with a small record for each.
///
/// Holds millions: token bytes are in one array, a record has 20 bytes, and a token is found in an open hash table of
/// positions. Only a reset removes anything.
struct DeviceTable: Sendable {
    /// The position of a record.
    typealias Index = Int

    struct Record {
        fileprivate var tokenStart: UInt32
        fileprivate var tokenLength: UInt16
        fileprivate var flags: Flags = []
        /// Position in `topics` plus one; 0 when it is not bound to a topic.
        fileprivate var topic: UInt16 = 0
        /// Number of accepted notifications.
        var accepted: UInt32 = 0
        /// The newest notification on its screen; 0 for none.
        var screen: UInt32 = 0
    }

    private var bytes: [UInt8] = []
    private var records: [Record] = []
    /// The topics of tokens.
    private var topics: [[UInt8]] = []
    private var ends: [Index: Registration.End] = [:]
    /// A record's position plus one, or 0.
    ///
    /// The size is a power of two, and at least a third is free.
    private var slots = [UInt32](repeating: 0, count: 1024)

    var count: Int { records.count }

    /// Whether no token can be added: positions and offsets have 32 bits.
    var isFull: Bool {
        records.count >= Self.limit || bytes.count > Int(UInt32.max) - DeviceTokenSyntax.lengths.upperBound
    }

    /// Maximum number of stored tokens; further ones are accepted in open mode but not recorded.
    static let limit = 20_000_000

    func find(_ token: [UInt8]) -> Index? {
        var slot = hash(token) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Index(slots[slot] - 1)
            if isToken(of: index, token) {
                return index
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Inserts a token that ``find(_:)`` does not find.
    mutating func insert(_ token: [UInt8]) -> Index {
        if records.count * 3 >= slots.count * 2 {
            grow()
        }
        records.append(Record(tokenStart: UInt32(bytes.count), tokenLength: UInt16(token.count)))
        bytes.append(contentsOf: token)
        occupy(slotFor: token, with: records.count - 1)
        return records.count - 1
    }

    subscript(index: Index) -> Record {
        get { records[index] }
        _modify { yield &records[index] }
    }

    func token(of index: Index) -> ArraySlice<UInt8> {
        let record = records[index]
        return bytes[Int(record.tokenStart)..<Int(record.tokenStart) + Int(record.tokenLength)]
    }

    /// Resets counts and screens.
    ///
    /// Tokens, registrations and owners stay.
    mutating func clearHistory() {
        for index in records.indices {
            records[index].accepted = 0
            records[index].screen = 0
            records[index].flags.remove([.shownTwice, .realerted])
        }
    }

    // MARK: - Private

    private func isToken(of index: Index, _ token: [UInt8]) -> Bool {
        let record = records[index]
        guard Int(record.tokenLength) == token.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            token.withUnsafeBytes { token in
                guard let known = bytes.baseAddress, let wanted = token.baseAddress else { return false }
                return memcmp(known + Int(record.tokenStart), wanted, token.count) == 0
            }
        }
    }

    private func hash(_ token: some Collection<UInt8>) -> Int {
        var hasher = Hasher()
        // Arrays and their slices, the only arguments, are contiguous.
        token.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for index in records.indices {
            occupy(slotFor: token(of: index), with: index)
        }
    }

    private mutating func occupy(slotFor token: some Collection<UInt8>, with index: Index) {
        var slot = hash(token) & (slots.count - 1)
        while slots[slot] != 0 {
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = UInt32(index) + 1
    }
}

// MARK: - Registrations

/// Apple's record of a device token.
struct Registration: Hashable, Sendable {
    /// When and why a token became invalid.
    struct End: Hashable, Sendable {
        var since: SimulatedTime
        /// `ExpiredToken` instead of `Unregistered`.
        var isExpiry = false
    }

    /// Whether the simulator issued it.
    var isIssued: Bool
    /// The topic it was issued for; nil for any.
    var topic: String?
    /// The environment it was issued for; nil for any.
    var environment: PushEnvironment?
    var end: End?
}

extension DeviceTable {
    fileprivate struct Flags: OptionSet {
        let rawValue: UInt8
        static let issued = Flags(rawValue: 1)
        static let sandbox = Flags(rawValue: 2)
        static let production = Flags(rawValue: 4)
        static let ended = Flags(rawValue: 8)
        static let shownTwice = Flags(rawValue: 16)
        static let realerted = Flags(rawValue: 32)
        static let owned = Flags(rawValue: 64)
    }

    func registration(of index: Index) -> Registration {
        let record = records[index]
        return Registration(
            isIssued: record.flags.contains(.issued),
            topic: record.topic == 0 ? nil : String(decoding: topics[Int(record.topic) - 1], as: UTF8.self),
            environment: record.flags.contains(.sandbox)
                ? .sandbox : record.flags.contains(.production) ? .production : nil,
            end: record.flags.contains(.ended) ? ends[index] : nil
        )
    }

    /// The state of a token in an environment.
    enum Standing {
        /// The simulator did not issue it: it is valid in open mode only.
        case unbound
        case issued
        /// It was issued for the other environment.
        case elsewhere
        /// It is invalid.
        case ended
    }

    func standing(of index: Index, in environment: PushEnvironment) -> Standing {
        let flags = records[index].flags
        if flags.contains(.ended), !flags.contains(environment == .sandbox ? .production : .sandbox) { return .ended }
        guard flags.contains(.issued) else { return .unbound }
        return flags.contains(environment == .sandbox ? .production : .sandbox) ? .elsewhere : .issued
    }

    /// The topic a token is bound to; nil for none.
    func topic(of index: Index) -> [UInt8]? {
        let topic = records[index].topic
        return topic == 0 ? nil : topics[Int(topic) - 1]
    }

    /// Marks a token as issued, optionally for a topic and an environment.
    ///
    /// - Returns: False when there are too many topics (65,535).
    mutating func issue(_ index: Index, topic: String?, environment: PushEnvironment?) -> Bool {
        if let topic {
            guard let position = position(of: topic) else { return false }
            records[index].topic = position
        }
        records[index].flags.insert(.issued)
        switch environment {
        case .sandbox: records[index].flags.insert(.sandbox)
        case .production: records[index].flags.insert(.production)
        case nil: break
        }
        return true
    }

    /// Marks a token as invalid, or as valid with nil.
    mutating func end(_ index: Index, _ end: Registration.End?) {
        ends[index] = end
        if end == nil {
            records[index].flags.remove(.ended)
        } else {
            records[index].flags.insert(.ended)
        }
    }

    private mutating func position(of topic: String) -> UInt16? {
        let topic = Array(topic.utf8)
        if let known = topics.firstIndex(of: topic) {
            return UInt16(known + 1)
        }
        guard topics.count < Int(UInt16.max) - 1 else { return nil }
        topics.append(topic)
        return UInt16(topics.count)
    }
}

// MARK: - Marks

extension DeviceTable {
    /// Records that two copies were visible at once.
    ///
    /// Returns whether this is the first time.
    mutating func markShownTwice(_ index: Index) -> Bool {
        records[index].flags.insert(.shownTwice).inserted
    }

    /// Records that a copy that replaced another alerted again.
    ///
    /// Returns whether this is the first time.
    mutating func markRealerted(_ index: Index) -> Bool {
        records[index].flags.insert(.realerted).inserted
    }

    /// Whether a feed has ever followed the token: its phone can be offline.
    func isOwned(_ index: Index) -> Bool {
        records[index].flags.contains(.owned)
    }

    mutating func markOwned(_ index: Index) {
        records[index].flags.insert(.owned)
    }
}
