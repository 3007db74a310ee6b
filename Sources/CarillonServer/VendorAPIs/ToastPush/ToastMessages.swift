import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Messages by their numbers.
///
/// A message is an Occurrence, whose number the phone gets in `messageDeliveryReceiptData`. A reservation is a Campaign
/// with a time or a schedule; a Campaign that has not begun has its own number.
struct ToastMessages: Sendable {
    let campaigns: Campaigns
    let clock: any WallClock
    /// How many Campaigns a list has at most: how many there are is found by reading them.
    var furthest = 2_000

    /// How long after its time a message begins at most, where the server was away.
    private static let lateness = Duration.seconds(86_400)
    /// How long before a message its reservation was made: at most 60 days ahead, and a day each for zones and lateness.
    private static let horizon = Duration.seconds(62 * 86_400)

    var now: Timestamp { clock.now() }

    /// What a number names.
    struct Found {
        var campaign: Campaign
        /// The Occurrence, if it is one that has begun.
        var occurrence: OccurrenceID?

        /// Whether it is one message of a reservation with several times.
        var isOneOfSeveral: Bool {
            guard occurrence != nil, let schedule = campaign.schedule else { return false }
            if case .at(let times) = schedule.recurrence { return times.count > 1 }
            return true
        }
    }

    /// Returns the message that a query's `messageId` names; `nil` when it names none.
    ///
    /// - Throws: Not found.
    func campaign(_ query: ToastQuery, _ app: AppID) async throws -> Found? {
        guard let id = try query.id("messageId") else { return nil }
        return try await found(id, "messageId", app)
    }

    /// Returns the message or reservation of a number.
    ///
    /// - Throws: Not found, naming the field.
    func found(_ number: Int64, _ field: String, _ app: AppID) async throws -> Found {
        guard (0..<Int64(1) << 60).contains(number) else { throw ToastFailure(.notFound, field, "\(number)") }
        do {
            let occurrence = OccurrenceID(rawValue: number)
            return Found(campaign: try await campaigns.campaign(of: occurrence, app: app), occurrence: occurrence)
        } catch EngineError.notFound {
            return try await ToastFailure.naming(field, "\(number)") {
                let campaign = try await campaigns.shown(CampaignID(rawValue: number), within: app)
                return Found(campaign: campaign, occurrence: campaign.schedule == nil ? campaign.occurrence : nil)
            }
        }
    }

    /// The numbers of Campaigns in lists that do not have the Occurrence.
    func numbers(of ids: [CampaignID], app: AppID) async throws -> [CampaignID: Int64] {
        var numbers: [CampaignID: Int64] = [:]
        for id in Set(ids) {
            guard let campaign = try? await campaigns.campaign(id, within: app) else { continue }
            numbers[id] = campaign.toastNumber
        }
        return numbers
    }

    /// Returns the App's Campaigns that match, newest first.
    ///
    /// - Throws: Too many results.
    func list(
        app: AppID,
        _ filter: CampaignFilter,
        where matches: (Campaign) -> Bool
    ) async throws -> [Campaign] {
        var found: [Campaign] = []
        var last: CampaignID?
        for _ in 0..<100 {
            let page = try await campaigns.list(app: app, after: last, limit: 200, filter)
            found += page.items.filter(matches)
            guard found.count <= furthest else { break }
            guard let cursor = page.nextCursor.flatMap({ CampaignID($0) }) else { return found }
            last = cursor
        }
        throw tooMany(found.count)
    }

    private func tooMany(_ count: Int) -> ToastFailure {
        ToastFailure(.tooManyResults, "totalCount", "\(count)", problem: "shorten the range of from and to")
    }

    /// A message that a list shows: a Campaign, or one of the Occurrences of a Campaign with a schedule.
    struct Listed {
        var campaign: Campaign
        var occurrence: Occurrence?

        /// Where it stands in a list.
        var at: Timestamp { occurrence?.startedAt ?? campaign.createdAt }

        var status: ToastMessageWriter.Status {
            occurrence.map(ToastMessageWriter.status) ?? ToastMessageWriter.status(campaign)
        }

        var isOfReservation: Bool { occurrence != nil || campaign.sendAt != nil }
    }

    /// Returns the App's messages of a range that match, newest first.
    ///
    /// - Throws: Too many results.
    func messages(
        app: AppID,
        in range: Range<Timestamp>,
        where matches: (Listed) -> Bool
    ) async throws -> [Listed] {
        var created = CampaignFilter()
        (created.createdFrom, created.createdUntil) = (range.lowerBound, range.upperBound)
        var found = try await list(app: app, created) { $0.schedule == nil && !$0.isUnsentDraft }
            .map { Listed(campaign: $0) }
        var due = CampaignFilter()
        (due.dueFrom, due.dueUntil) = (range.lowerBound.advanced(by: .zero - Self.lateness), range.upperBound)
        (due.createdFrom, due.createdUntil) = (range.lowerBound.advanced(by: .zero - Self.horizon), range.upperBound)
        for campaign in try await list(app: app, due, where: { $0.schedule != nil && !$0.isUnsentDraft }) {
            found += try await sent(of: campaign, in: range)
            guard found.count <= 2 * furthest else { throw tooMany(found.count) }
        }
        found = found.filter(matches)
        guard found.count <= furthest else { throw tooMany(found.count) }
        return found.sorted { $0.at > $1.at }
    }

    /// The messages of a reservation that have begun in a range.
    private func sent(of campaign: Campaign, in range: Range<Timestamp>) async throws -> [Listed] {
        var found: [Listed] = []
        var cursor: String?
        repeat {
            let page = try await campaigns.occurrences(campaign.id, within: campaign.app, cursor: cursor, limit: 200)
            for occurrence in page.items {
                guard occurrence.id != nil, let at = occurrence.startedAt, range.contains(at) else { continue }
                found.append(Listed(campaign: campaign, occurrence: occurrence))
            }
            // What has not begun comes after what has.
            cursor = page.items.last?.state == .planned ? nil : page.nextCursor
        } while cursor != nil
        return found
    }
}

extension Campaign {
    /// Its number as a message: its Occurrence's, if it has one alone.
    var toastNumber: Int64 { schedule == nil ? occurrence?.rawValue ?? id.rawValue : id.rawValue }

    /// Whether the vendor calls it a reservation.
    var isToastReservation: Bool { (schedule != nil || sendAt != nil) && !isUnsentDraft }

    /// Whether nobody sent it: what waits for an Operator is a message that is ready.
    fileprivate var isUnsentDraft: Bool { [.draft, .refused, .expired].contains(state) }

    /// Whether a reservation was deleted before anything was sent.
    var isRemovedToastReservation: Bool { [.cancelled, .cancelling].contains(state) && occurrence == nil }
}
