import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// The content of recent Occurrences, cached for all phones that read their inboxes after a broadcast.
///
/// Sent content changes only by an erasure, so entries are valid for ten seconds.
final class InboxContents: Sendable {
    /// Maximum bytes of cached text.
    private static let byteLimit = 8 * 1_024 * 1_024
    private static let lifetime = Duration.seconds(10)

    private struct Key: Hashable {
        var app: AppID
        var occurrence: OccurrenceID
    }

    private struct State {
        var contents: [Key: InboxContent] = [:]
        var byteCount = 0
        /// When the first of them was inserted.
        var begunAt: ContinuousClock.Instant?
    }

    private let state = NIOLockedValueBox(State())
    private let store: any InboxStore
    private let now: @Sendable () -> ContinuousClock.Instant

    init(store: any InboxStore, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.store = store
        self.now = now
    }

    /// Returns the content of Occurrences; leaves out those that do not exist.
    func contents(
        of occurrences: [OccurrenceID],
        app: AppID
    ) async throws(StoreError) -> [OccurrenceID: InboxContent] {
        let time = now()
        var found = state.withLockedValue { state in
            if let begunAt = state.begunAt, begunAt.duration(to: time) >= Self.lifetime { state = State() }
            return occurrences.reduce(into: [OccurrenceID: InboxContent]()) { found, occurrence in
                found[occurrence] = state.contents[Key(app: app, occurrence: occurrence)]
            }
        }
        let missing = occurrences.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        for content in try await store.contents(of: missing, app: app) {
            let content = content.reduced
            found[content.occurrence] = content
            insert(content, app)
        }
        return found
    }

    private func insert(_ content: InboxContent, _ app: AppID) {
        let byteCount = content.byteCount
        state.withLockedValue { state in
            // Requested entries are soon cached again, so no order of use is needed.
            if state.byteCount + byteCount > Self.byteLimit { state = State() }
            state.begunAt = state.begunAt ?? now()
            let key = Key(app: app, occurrence: content.occurrence)
            if state.contents.updateValue(content, forKey: key) == nil { state.byteCount += byteCount }
        }
    }
}

extension InboxContent {
    /// The content without parts that an inbox does not show.
    fileprivate var reduced: InboxContent {
        var reduced = self
        reduced.message = Message(content: message.content.mapValues(\.shownInInbox))
        reduced.message.isSurvey = message.isSurvey
        reduced.message.isHTML = message.isHTML
        reduced.message.isLiteral = message.isLiteral
        // Apps of CORE PUSH have texts of their own in place of a link.
        reduced.message.data = message.data.filter { $0.key == PayloadKey.CorePush.url }
        for index in rules.variants.indices {
            reduced.rules.variants[index].content = rules.variants[index].content?.mapValues(\.shownInInbox)
        }
        return reduced
    }

    /// The estimated memory.
    fileprivate var byteCount: Int {
        let contents = [message.content] + rules.variants.compactMap(\.content)
        return contents.joined().reduce(256) { sum, content in
            let texts = [content.value.title, content.value.body, content.value.link]
            return sum + 256 + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        }
    }
}

extension LocalizedContent {
    fileprivate var shownInInbox: LocalizedContent {
        var shown = LocalizedContent(title: title, body: body)
        shown.link = link
        return shown
    }
}
