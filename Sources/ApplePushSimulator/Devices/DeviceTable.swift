import Foundation

/// All device tokens the simulator has heard of, with a small record for each.
///
/// Holds millions: a token's bytes lie in one long array, its record is 20 bytes, and it is found by an open hash
/// table of positions. Nothing is ever removed but by a reset.
struct DeviceTable: Sendable {
    /// The position of a record.
    typealias Index = Int

    struct Record {
        fileprivate var tokenStart: UInt32
        fileprivate var tokenLength: UInt16
        fileprivate var flags: Flags = []
        /// Position in `topics` plus one; 0: not bound to a topic.
        fileprivate var topic: UInt16 = 0
        /// How often a notification was accepted.
        var accepted: UInt32 = 0
        /// The newest notification on its screen; 0: none.
        var screen: UInt32 = 0
    }

    private var bytes: [UInt8] = []
    private var records: [Record] = []
    /// The topics that tokens are bound to.
    private var topics: [[UInt8]] = []
    private var ends: [Index: Registration.End] = [:]
    /// A record's position plus one, or 0.
    ///
    /// The size is a power of two, and at least a third stays free.
    private var slots = [UInt32](repeating: 0, count: 1024)

    var count: Int { records.count }

    /// Whether there is no room for another token: positions and offsets have 32 bits.
    var isFull: Bool {
        records.count >= Self.limit || bytes.count > Int(UInt32.max) - DeviceTokenSyntax.lengths.upperBound
    }

    /// The most tokens that are told apart; further ones are accepted in open mode but leave no trace of their own.
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

    /// Adds a token that ``find(_:)`` does not know.
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

    /// Forgets what was accepted and shown.
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
        // Contiguous for arrays and their slices, which is all that comes here.
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

/// What Apple knows of a device token beside its bytes.
struct Registration: Hashable, Sendable {
    /// Since when a token has been dead.
    struct End: Hashable, Sendable {
        var since: SimulatedTime
        /// `ExpiredToken` rather than `Unregistered`.
        var isExpiry = false
    }

    /// Whether the simulator gave it out.
    var isIssued: Bool
    /// The topic it was issued for; nil: any.
    var topic: String?
    /// The environment it was issued for; nil: any.
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

    /// How a token stands in an environment, without its details.
    enum Standing {
        /// The simulator never gave it out: it is good wherever open mode is.
        case unbound
        case issued
        /// It was given out for the other environment.
        case elsewhere
        /// It is dead.
        case ended
    }

    func standing(of index: Index, in environment: PushEnvironment) -> Standing {
        let flags = records[index].flags
        if flags.contains(.ended), !flags.contains(environment == .sandbox ? .production : .sandbox) { return .ended }
        guard flags.contains(.issued) else { return .unbound }
        return flags.contains(environment == .sandbox ? .production : .sandbox) ? .elsewhere : .issued
    }

    /// The topic a token is bound to; nil: none.
    func topic(of index: Index) -> [UInt8]? {
        let topic = records[index].topic
        return topic == 0 ? nil : topics[Int(topic) - 1]
    }

    /// Marks a token as given out, for a topic and an environment if they are named.
    ///
    /// - Returns: False when there are too many topics to tell apart (65,535).
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

    /// Declares a token dead, or alive again with nil.
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
    /// Notes that two copies were seen at once.
    ///
    /// Returns whether that is news.
    mutating func markShownTwice(_ index: Index) -> Bool {
        records[index].flags.insert(.shownTwice).inserted
    }

    /// Notes that a copy that replaced another alerted again.
    ///
    /// Returns whether that is news.
    mutating func markRealerted(_ index: Index) -> Bool {
        records[index].flags.insert(.realerted).inserted
    }

    /// Whether a feed has ever followed the token, so that it belongs to a phone that can be switched off.
    func isOwned(_ index: Index) -> Bool {
        records[index].flags.contains(.owned)
    }

    mutating func markOwned(_ index: Index) {
        records[index].flags.insert(.owned)
    }
}
