/// The visible notifications of all phones, as a list for each, newest first.
///
/// A notification takes 24 bytes, with two hashes; its text is stored only when the phone is followed.
struct Screens: Sendable {
    /// One notification on a screen.
    struct Entry {
        /// Hash of `apns-collapse-id`; 0 for none.
        var collapse: UInt64
        /// Hash of the Occurrence's id; 0 for none.
        var occurrence: UInt64
        fileprivate(set) var next: UInt32 = 0
        /// The position of the text; 0 for none.
        var details: UInt32 = 0
    }

    /// How the screen changed.
    struct Change: Hashable {
        /// It replaced a notification with the same collapse id.
        var hasReplaced = false
        /// It replaced a copy of the same Occurrence, or of an unknown one.
        var hasReplacedCopy = false
        /// Another notification of the same Occurrence stays visible.
        var isSecondCopy = false
    }

    /// Maximum number of notifications on a screen; beyond that the oldest is removed.
    static let limit = 32

    private var entries: [Entry] = [Entry(collapse: 0, occurrence: 0)]
    private var freed: UInt32 = 0

    /// Shows a notification at the top of a screen.
    ///
    /// - Parameters:
    ///   - entry: The notification.
    ///   - screen: The newest entry of the screen; changed.
    ///   - forget: Called with the details of every removed entry.
    /// - Returns: How the other notifications changed.
    mutating func show(_ entry: Entry, on screen: inout UInt32, forget: (UInt32) -> Void) -> Change {
        var change = Change()
        var previous: UInt32 = 0
        var current = screen
        var length = 1
        while current != 0 {
            let shown = entries[Int(current)]
            let isReplaced = entry.collapse != 0 && shown.collapse == entry.collapse
            if isReplaced {
                change.hasReplaced = true
                change.hasReplacedCopy =
                    entry.occurrence == 0 || shown.occurrence == 0
                    || entry.occurrence == shown.occurrence
            } else if entry.occurrence != 0 && shown.occurrence == entry.occurrence {
                change.isSecondCopy = true
            }
            if isReplaced || length >= Self.limit {
                forget(shown.details)
                remove(current, after: previous, on: &screen)
            } else {
                previous = current
                length += 1
            }
            current = shown.next
        }
        screen = add(entry, before: screen)
        return change
    }

    /// The notifications of a screen, newest first.
    func list(_ screen: UInt32) -> [Entry] {
        var list: [Entry] = []
        var current = screen
        while current != 0 {
            list.append(entries[Int(current)])
            current = entries[Int(current)].next
        }
        return list
    }

    // MARK: - Private

    private mutating func remove(_ entry: UInt32, after previous: UInt32, on screen: inout UInt32) {
        let next = entries[Int(entry)].next
        if previous == 0 {
            screen = next
        } else {
            entries[Int(previous)].next = next
        }
        entries[Int(entry)].next = freed
        freed = entry
    }

    private mutating func add(_ entry: Entry, before next: UInt32) -> UInt32 {
        var entry = entry
        entry.next = next
        guard freed != 0 else {
            entries.append(entry)
            return UInt32(entries.count - 1)
        }
        let place = freed
        freed = entries[Int(place)].next
        entries[Int(place)] = entry
        return place
    }
}
