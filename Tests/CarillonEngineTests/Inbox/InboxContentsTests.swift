import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers
import Testing

@testable import CarillonEngine

@Suite struct InboxContentsTests {
    private let app = AppID(rawValue: 1)

    @Test("Content that many phones request is read once") func readsOnce() async throws {
        let store = ContentStore { occurrence in .content(occurrence, "body \(occurrence.rawValue)") }
        let contents = InboxContents(store: store)
        let some = (1...3).map { OccurrenceID(rawValue: $0) }

        let first = try await contents.contents(of: some, app: app)
        let second = try await contents.contents(of: some + [OccurrenceID(rawValue: 4)], app: app)
        _ = try await contents.contents(of: [some[0]], app: AppID(rawValue: 2))

        #expect(first.count == 3 && second.count == 4)
        #expect(second[some[1]]?.message.content["default"]?.body == "body 2")
        #expect(store.asked.map(\.count) == [3, 1, 1])
    }

    @Test("Missing content is requested again") func repeatsMisses() async throws {
        let store = ContentStore { _ in nil }
        let contents = InboxContents(store: store)

        for _ in 0..<2 { #expect(try await contents.contents(of: [OccurrenceID(rawValue: 1)], app: app).isEmpty) }

        #expect(store.asked.count == 2)
    }

    @Test("Only content that an inbox shows is cached") func cachesReducedContent() async throws {
        let store = ContentStore { occurrence in
            var content = InboxContent.content(occurrence, "b")
            content.message.isSurvey = true
            content.message.data = ["k": .string("v")]
            content.message.content["default"]?.link = "app://a"
            content.message.content["default"]?.buttons = [Button(id: "a", title: "A")]
            return content
        }

        let kept = try await InboxContents(store: store).contents(of: [OccurrenceID(rawValue: 1)], app: app)

        var expected = LocalizedContent(body: "b")
        expected.link = "app://a"
        var message = Message(content: ["default": expected])
        message.isSurvey = true
        #expect(kept[OccurrenceID(rawValue: 1)]?.message == message)
    }

    @Test("S1-M5 content removed by an erasure is shown for ten seconds at most")
    func forgetsAfterTenSeconds() async throws {
        let (time, body) = (NIOLockedValueBox(ContinuousClock.now), NIOLockedValueBox("a name"))
        let store = ContentStore { occurrence in .content(occurrence, body.withLockedValue { $0 }) }
        let contents = InboxContents(store: store) { time.withLockedValue { $0 } }
        let (app, one) = (app, OccurrenceID(rawValue: 1))
        func shown() async throws -> String? {
            try await contents.contents(of: [one], app: app)[one]?.message.content["default"]?.body
        }
        #expect(try await shown() == "a name")
        body.withLockedValue { $0 = "redacted" }

        for second in 1...9 {
            time.withLockedValue { $0 += .seconds(1) }
            #expect(try await shown() == "a name")
            // Later entries do not extend it.
            _ = try await contents.contents(of: [OccurrenceID(rawValue: Int64(second + 1))], app: app)
        }
        time.withLockedValue { $0 += .seconds(1) }

        #expect(try await shown() == "redacted")
        // From here on ten seconds count again.
        time.withLockedValue { $0 += .seconds(9) }
        #expect(try await shown() == "redacted")
        #expect(store.asked.count { $0 == [one] } == 2)
    }

    @Test("The cache has a maximum size") func limitsItsSize() async throws {
        let text = String(repeating: "x", count: 1_000_000)
        let store = ContentStore { occurrence in .content(occurrence, text) }
        let contents = InboxContents(store: store)
        let many = (1...20).map { OccurrenceID(rawValue: $0) }

        for occurrence in many { _ = try await contents.contents(of: [occurrence], app: app) }
        let all = try await contents.contents(of: many, app: app)

        #expect(all.count == 20)
        // Eight fit, in any selection.
        #expect((12...19).contains(store.asked.last?.count ?? 0))
    }
}

extension InboxContent {
    fileprivate static func content(_ occurrence: OccurrenceID, _ body: String) -> InboxContent {
        let message = Message(content: ["default": LocalizedContent(body: body)])
        return InboxContent(
            occurrence: occurrence,
            campaign: CampaignID(rawValue: 1),
            message: message,
            sentAt: Timestamp(rawValue: 0)
        )
    }
}

/// A store with only contents.
private final class ContentStore: InboxStore {
    private let make: @Sendable (OccurrenceID) -> InboxContent?
    private let state = NIOLockedValueBox<[[OccurrenceID]]>([])

    init(_ make: @escaping @Sendable (OccurrenceID) -> InboxContent?) { self.make = make }

    var asked: [[OccurrenceID]] { state.withLockedValue { $0 } }

    func contents(of occurrences: [OccurrenceID], app: AppID) async throws(StoreError) -> [InboxContent] {
        state.withLockedValue { $0.append(occurrences) }
        return occurrences.compactMap(make)
    }

    func broadcasts(app: AppID, since first: OccurrenceID, limit: Int) async throws(StoreError) -> [OccurrenceID] {
        throw .failed("No broadcasts are asked for here.")
    }

    func personalValues(
        of fields: [PersonalField],
        for devices: [DeviceNumber],
        in campaign: CampaignID?,
        app: AppID
    ) async throws(StoreError) -> PersonalValues {
        throw .failed("No values are asked for here.")
    }

    func recipientValues(
        of campaigns: [CampaignID],
        for device: DeviceNumber,
        app: AppID
    ) async throws(StoreError) -> [CampaignID: TemplateValues] {
        throw .failed("No values are asked for here.")
    }

    func listing(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash,
        since first: OccurrenceID,
        limit: Int
    ) async throws(StoreError) -> InboxAnswer {
        throw .failed("No listing is asked for here.")
    }

    func markRead(
        _ entries: [InboxEntry],
        by owner: InboxOwner,
        app: AppID,
        since first: OccurrenceID
    ) async throws(StoreError) {
        throw .failed("Nothing is read here.")
    }

    func erase(
        app: AppID,
        device: DeviceID,
        user: UserID?,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID? {
        throw .failed("Nothing is erased here.")
    }
}
