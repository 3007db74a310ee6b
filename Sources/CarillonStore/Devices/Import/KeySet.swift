import CarillonEngine
import CarillonModel

/// Numbers that were met before, eight to sixteen bytes each.
struct KeySet {
    /// Open addressing, a power of two; 0 marks a free place.
    private var slots: [UInt64] = Array(repeating: 0, count: 1_024)
    private var count = 0

    /// Adds a key.
    ///
    /// - Returns: False when it was there.
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

/// What of an import was met before: tokens, Devices and Users.
///
/// Keys are hashes: two that are equal by chance send a line the long way, and do nothing else.
struct ImportKeys {
    private var tokens = KeySet()
    private var devices = KeySet()
    private var users = KeySet()

    /// Notes a line.
    ///
    /// - Returns: Whether its token, its Device and its User were all new.
    mutating func insert(_ line: ImportedDevice) -> Bool {
        var hasher = Hasher()
        hasher.combine(line.token.bytes)
        hasher.combine(line.registration.pushType)
        hasher.combine(line.registration.tenant)
        var isNew = tokens.insert(UInt64(bitPattern: Int64(hasher.finalize())))
        if let device = line.device {
            isNew = devices.insert(UInt64(bitPattern: Int64(device.hashValue))) && isNew
        }
        if let user = line.registration.user {
            isNew = users.insert(UInt64(bitPattern: Int64(user.hashValue))) && isNew
        }
        return isNew
    }
}
