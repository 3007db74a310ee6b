package import CarillonModel
import CarillonOperatorModel

/// A message that was sent to every Device of an App: what anybody who has the app may read.
package struct Broadcast: Hashable, Sendable {
    package var occurrence: OccurrenceID
    package var sentAt: Timestamp
    package var title: String?
    package var body: String?
    /// The link of a tap, or another text that the app itself understands.
    package var link: String?

    package init(occurrence: OccurrenceID, sentAt: Timestamp, title: String?, body: String?, link: String?) {
        self.occurrence = occurrence
        self.sentAt = sentAt
        self.title = title
        self.body = body
        self.link = link
    }
}

extension Inboxes {
    /// Maximum number of broadcasts that are looked at.
    static let maximumLook = 1_000

    /// Returns the latest hundred messages of the last thirty days that were sent to every Device, newest first.
    ///
    /// Messages to Users, Devices, rules and saved audiences are left out: the caller need not be one of those who got
    /// them. Of a Campaign that was sent in groups, each time is one message. Placeholders have their defaults.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - areSurveys: Whether only surveys are returned, or only other messages.
    /// - Returns: The messages, in their default language.
    /// - Throws: ``EngineError/store(_:)``.
    package func broadcasts(app: AppID, areSurveys: Bool) async throws(EngineError) -> [Broadcast] {
        let since = oldest
        let looked = try await stored(try await store.broadcasts(app: app, since: since, limit: Self.maximumLook))
        var found: [Broadcast] = []
        for start in stride(from: 0, to: looked.count, by: Inbox.maximumCount) {
            let part = looked[start..<min(start + Inbox.maximumCount, looked.count)]
            let contents = try await stored(try await contents.contents(of: Array(part), app: app))
            for occurrence in part {
                guard let content = contents[occurrence], content.message.isSurvey == areSurveys else { continue }
                found.append(Broadcast(content))
                guard found.count < Inbox.maximumCount else { return found }
            }
        }
        return found
    }
}

extension Broadcast {
    fileprivate init(_ content: InboxContent) {
        // Which variant a Device got depends on its number; here it is that of the first.
        let entry = InboxEntry(occurrence: content.occurrence, device: DeviceNumber(rawValue: 1), isRead: true)
        let message = InboxMessage(entry, content, language: nil)
        func text(_ text: String?) -> String? {
            guard let text, !content.message.isLiteral, PersonalText.mayHavePlaces(text) else { return text }
            return (try? PersonalText(text))?.written { $0.fallback ?? "" } ?? text
        }
        self.init(
            occurrence: content.occurrence,
            sentAt: content.sentAt,
            title: text(message.title),
            body: text(message.body),
            link: text(message.link) ?? content.message.data[PayloadKey.CorePush.url]?.string
        )
    }
}
