import CarillonEngine

/// What streams of the same page have in common: those of one language and zone show the same.
struct StreamLook: Hashable, Sendable {
    /// The page.
    var page: String
    var language: Language
    var zone: String

    init(_ page: String, _ look: Look) {
        self.page = page
        language = look.language
        zone = look.times.zoneName
    }
}

/// One rendering of a state for all streams that show it: two hundred open pages format their numbers once a second, and
/// not two hundred times.
actor SharedRendering<Stamp: Equatable & Sendable, Value: Sendable> {
    /// How many pages, languages and zones are held.
    private static var capacity: Int { 1_000 }

    private var held: [StreamLook: (stamp: Stamp, value: Value)] = [:]

    /// Returns what was rendered of a state, or renders it.
    func value(_ look: StreamLook, of stamp: Stamp, _ render: @Sendable () throws -> Value) throws -> Value {
        if let last = held[look], last.stamp == stamp { return last.value }
        let value = try render()
        if held.count >= Self.capacity { held.removeAll() }
        held[look] = (stamp, value)
        return value
    }
}
