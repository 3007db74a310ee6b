import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// The contexts of the Occurrences used last, as many as fit into a size.
final class ContextCache: Sendable {
    fileprivate struct Entry {
        var context: OccurrenceContext
        /// When its facts were read.
        var readAt: ContinuousClock.Instant
        var byteCount: Int
        /// The neighbours in the order of use.
        var older: OccurrenceID?
        var newer: OccurrenceID?
    }

    fileprivate struct State {
        var entries: [OccurrenceID: Entry] = [:]
        var oldest: OccurrenceID?
        var newest: OccurrenceID?
        var byteCount = 0
    }

    private let limit: Int
    private let state = NIOLockedValueBox(State())

    /// - Parameter limit: The maximum bytes of contexts, by their own estimate; the last one stays in any case.
    init(limit: Int) { self.limit = limit }

    /// The estimated bytes of all contexts.
    var byteCount: Int { state.withLockedValue { $0.byteCount } }

    /// Returns the cached context of an Occurrence, with the time at which its facts were read, and updates its size.
    func context(of occurrence: OccurrenceID) -> (context: OccurrenceContext, readAt: ContinuousClock.Instant)? {
        state.withLockedValue { state in
            guard let entry = state.entries[occurrence] else { return nil }
            state.remove(occurrence)
            state.append(entry.context, readAt: entry.readAt)
            state.trim(to: limit)
            return (entry.context, entry.readAt)
        }
    }

    func insert(_ context: OccurrenceContext, readAt: ContinuousClock.Instant) {
        state.withLockedValue { state in
            state.remove(context.facts.occurrence)
            state.append(context, readAt: readAt)
            state.trim(to: limit)
        }
    }

    /// Removes an Occurrence's context: the store may have a corrected version.
    func remove(_ occurrence: OccurrenceID) { state.withLockedValue { $0.remove(occurrence) } }
}

extension ContextCache.State {
    fileprivate mutating func append(_ context: OccurrenceContext, readAt: ContinuousClock.Instant) {
        let occurrence = context.facts.occurrence
        let size = context.byteCount
        entries[occurrence] = .init(context: context, readAt: readAt, byteCount: size, older: newest, newer: nil)
        if let newest { entries[newest]?.newer = occurrence }
        newest = occurrence
        oldest = oldest ?? occurrence
        byteCount += size
    }

    fileprivate mutating func remove(_ occurrence: OccurrenceID) {
        guard let entry = entries.removeValue(forKey: occurrence) else { return }
        byteCount -= entry.byteCount
        if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
    }

    fileprivate mutating func trim(to limit: Int) {
        while byteCount > limit, let oldest, oldest != newest { remove(oldest) }
    }
}

extension OccurrenceContext {
    /// The estimated memory: facts, renderings, and requested languages.
    var byteCount: Int {
        // Swift's strings, dictionaries and enums take about two to three times the size of the text.
        let facts = 2_048 + 3 * factsByteCount
        return facts + rememberedByteCount
    }
}
