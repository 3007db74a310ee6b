import CarillonModel

/// A set of 64-bit keys in eight to sixteen bytes each.
struct KeySet {
    /// A hash table with open addressing, its size a power of two; 0 marks a free slot.
    private var slots: [UInt64] = Array(repeating: 0, count: 1_024)
    private var count = 0

    /// Adds a key.
    ///
    /// - Returns: False when it was present.
    mutating func insert(_ key: UInt64) -> Bool {
        let key = key == 0 ? 1 : key
        var slot = Int(truncatingIfNeeded: key) & (slots.count - 1)
        while slots[slot] != 0 {
            if slots[slot] == key { return false }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = key
        count += 1
        if count * 4 > slots.count * 3 { grow() }
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for key in old where key != 0 {
            var slot = Int(truncatingIfNeeded: key) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = key
        }
    }
}

/// The keys of an import's lines so far: tokens, Devices and Users.
///
/// Keys are hashes: a collision only sends a line through the slower statement.
struct ImportKeys {
    private var tokens = KeySet()
    private var devices = KeySet()
    private var users = KeySet()
    private let hasTokens: Bool
    private let hasUsers: Bool

    /// - Parameters:
    ///   - hasTokens: Whether two lines may have one token.
    ///   - hasUsers: Whether what one line says of a User counts for others.
    init(tokens hasTokens: Bool = true, users hasUsers: Bool = true) {
        self.hasTokens = hasTokens
        self.hasUsers = hasUsers
    }

    /// Adds a line's keys.
    ///
    /// - Returns: Whether its token, its Device and its User were all new.
    mutating func insert(_ line: ImportedDevice) -> Bool {
        var isNew = !hasTokens || tokens.insert(line.tokenKey)
        if let key = line.deviceKey { isNew = devices.insert(key) && isNew }
        if hasUsers, let key = line.userKey { isNew = users.insert(key) && isNew }
        return isNew
    }
}

/// Finds lines that share a token, a Device or a User with another one.
///
/// They are written one by one, in their order. Keys are hashes, as in ``ImportKeys``.
package struct RepeatedLines {
    /// By the line's index.
    package let isRepeated: [Bool]

    package init(_ lines: [ImportedDevice]) {
        let tokens = Self.repeated(lines) { $0.tokenKey }
        let devices = Self.repeated(lines) { $0.deviceKey }
        let users = Self.repeated(lines) { $0.userKey }
        guard !(tokens.isEmpty && devices.isEmpty && users.isEmpty) else {
            isRepeated = Array(repeating: false, count: lines.count)
            return
        }
        isRepeated = lines.map { line in
            tokens.contains(line.tokenKey) || line.deviceKey.map(devices.contains) == true
                || line.userKey.map(users.contains) == true
        }
    }

    private static func repeated(_ lines: [ImportedDevice], _ key: (ImportedDevice) -> UInt64?) -> Set<UInt64> {
        var met = KeySet()
        var repeated: Set<UInt64> = []
        for line in lines {
            if let key = key(line), !met.insert(key) { repeated.insert(key) }
        }
        return repeated
    }
}

extension ImportedDevice {
    fileprivate var tokenKey: UInt64 {
        var hasher = Hasher()
        token.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    fileprivate var deviceKey: UInt64? { device.map { UInt64(bitPattern: Int64($0.hashValue)) } }

    fileprivate var userKey: UInt64? {
        registration.user.map { UInt64(bitPattern: Int64($0.hashValue)) }
    }
}
