import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// A `feedback_key`: the numbers of the first and the last Campaign of one call, `628315_628319`.
///
/// Mostly they are the same one. Several have a name in common, which other Campaigns of the App in between do not have.
struct CorePushKey: Hashable {
    var first: CampaignID
    var last: CampaignID

    /// Creates the key of some Campaigns of one call; there is at least one.
    init(_ campaigns: [CampaignID]) {
        first = campaigns.min() ?? CampaignID(rawValue: 0)
        last = campaigns.max() ?? first
    }

    /// Parses a key; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int64? in
            guard (1...19).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return Int64(part).flatMap { $0 < 1 << 60 ? $0 : nil }
        }
        guard parts.count == 2, numbers.count == 2, numbers[0] <= numbers[1] else { return nil }
        (first, last) = (CampaignID(rawValue: numbers[0]), CampaignID(rawValue: numbers[1]))
    }

    var text: String { "\(first.rawValue)_\(last.rawValue)" }

    /// A name for the Campaigns of one call.
    static var newName: String { namePrefix + String(UInt64.random(in: 0...(.max)), radix: 36) }

    private static let namePrefix = "CORE PUSH request "

    /// How many Campaigns are looked at, those of other calls in between as well.
    private static let maximumLook = 2_000

    /// Returns the Campaigns of the key, latest first.
    ///
    /// - Throws: A failure when there are none.
    func campaigns(_ campaigns: Campaigns, app: AppID) async throws -> [Campaign] {
        let unknown = CorePushFailure(404, "feedback_key is of no push of this App.")
        guard let head = try await Self.campaign(first, campaigns, app) else { throw unknown }
        guard first != last else { return [head] }
        guard let name = head.name, name.hasPrefix(Self.namePrefix) else { throw unknown }
        var found: [Campaign] = []
        var cursor: CampaignID? = CampaignID(rawValue: last.rawValue + 1)
        for _ in 0..<Self.maximumLook / 500 {
            let page = try await campaigns.list(app: app, after: cursor, limit: 500)
            found += page.items.prefix { $0.id >= first }.filter { $0.name == name }
            guard found.last?.id != first, let next = page.nextCursor.flatMap({ CampaignID($0) }) else { break }
            cursor = next
        }
        guard found.first?.id == last, found.last?.id == first else { throw unknown }
        return found
    }

    private static func campaign(_ id: CampaignID, _ campaigns: Campaigns, _ app: AppID) async throws -> Campaign? {
        do {
            return try await campaigns.shown(id, within: app)
        } catch EngineError.notFound {
            return nil
        }
    }
}

extension CorePushCall {
    /// The `feedback_key` of the form.
    func feedbackKey() throws -> CorePushKey {
        guard let key = CorePushKey(try required("feedback_key")) else {
            throw CorePushFailure(
                "feedback_key",
                "must be the one that a send returned, two numbers and a _ between them"
            )
        }
        return key
    }
}
