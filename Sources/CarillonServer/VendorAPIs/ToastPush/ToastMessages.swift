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
        throw ToastFailure(.tooManyResults, "totalCount", "\(found.count)")
    }
}

extension Campaign {
    /// Its number as a message: its Occurrence's, if it has one alone.
    var toastNumber: Int64 { schedule == nil ? occurrence?.rawValue ?? id.rawValue : id.rawValue }

    /// Whether the vendor calls it a reservation.
    var isToastReservation: Bool { (schedule != nil || sendAt != nil) && state != .draft }

    /// Whether a reservation was deleted before anything was sent.
    var isRemovedToastReservation: Bool { [.cancelled, .cancelling].contains(state) && occurrence == nil }
}
