import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Scheduled and distributed delivery; the vendor has both and publishes neither, so paths and fields are Carillon's own.
struct CorePushTimingRoutes: Sendable {
    private static let groupCounts = 2...50
    private static let intervals = 60...86_400

    let campaigns: Campaigns
    let sending: CorePushSending
    let keyed: CorePushAccess
    let asking: CorePushAccess

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/iphone_push_schedule.php", keyed, schedule)
        routes.on(.post, "/iphone_push_schedule_status.php", asking, recorded: .wrongKeys, status)
        routes.on(.post, "/iphone_push_schedule_cancel.php", asking, cancel)
        routes.on(.post, "/iphone_push_distribution.php", keyed, distribute)
        routes.on(.post, "/iphone_push_distribution_status.php", asking, recorded: .wrongKeys, groups)
        routes.on(.post, "/iphone_push_distribution_modify.php", asking, modify)
    }

    // MARK: Schedule

    @Sendable private func schedule(_ call: CorePushCall) async throws -> Response {
        var manner = CorePushSending.Manner()
        manner.sendAt = try call.sendDate()
        guard manner.sendAt != nil else { throw CorePushFailure("send_date", "is required") }
        return try CorePushAnswer.success(["feedback_key": .string(try await sending.send(call, manner).text)])
    }

    @Sendable private func status(_ call: CorePushCall) async throws -> Response {
        let found = try await call.feedbackKey().campaigns(campaigns, app: call.app)
        return try CorePushAnswer.success(["results": .object(Self.record(found))])
    }

    /// Cancels what is not sent yet, of any push.
    @Sendable private func cancel(_ call: CorePushCall) async throws -> Response {
        let found = try await call.feedbackKey().campaigns(campaigns, app: call.app)
        // Several are of one call: those that are sent already do not keep the others from being cancelled.
        var refusal: EngineError?
        var cancelled: [Campaign] = []
        for campaign in found {
            do {
                cancelled.append(try await campaigns.cancel(campaign.id, within: call.app))
            } catch EngineError.conflict(let reason) {
                refusal = .conflict(reason)
            }
        }
        if cancelled.isEmpty, let refusal { throw refusal }
        return try CorePushAnswer.success(["results": .object(Self.record(cancelled))])
    }

    private static func record(_ found: [Campaign]) -> [String: JSONValue] {
        guard let first = found.last else { return [:] }
        // Of several the one that is furthest from its end.
        let states: [Campaign.State] = [
            .sending, .paused, .cancelling, .scheduled, .held, .needsApproval, .draft, .refused, .expired, .sent,
            .cancelled,
        ]
        let state = states.first { state in found.contains { $0.state == state } } ?? first.state
        return [
            "state": .string(state.rawValue),
            "send_date": .string(CorePushTime.text(first.sendAt ?? first.startedAt ?? first.createdAt)),
        ]
    }

    // MARK: Distributed delivery

    @Sendable private func distribute(_ call: CorePushCall) async throws -> Response {
        var manner = CorePushSending.Manner()
        manner.isBroadcast = true
        manner.sendAt = try call.sendDate()
        guard let count = try call.number("groups", Self.groupCounts) else {
            throw CorePushFailure("groups", "is required")
        }
        guard let interval = try call.number("interval", Self.intervals) else {
            throw CorePushFailure("interval", "is required")
        }
        manner.pace = .groups(count, every: interval)
        return try CorePushAnswer.success(["feedback_key": .string(try await sending.send(call, manner).text)])
    }

    @Sendable private func groups(_ call: CorePushCall) async throws -> Response {
        let campaign = try await distributed(call)
        let page = try await campaigns.occurrences(campaign.id, within: call.app, cursor: nil, limit: 50)
        let groups = page.items.enumerated().map { index, occurrence in
            var counts = CorePushCounts()
            counts.add(occurrence.funnel)
            var group = counts.values
            group["group"] = .string(String(occurrence.group ?? index + 1))
            group["push_id"] = occurrence.id.map { .string($0.description) } ?? .null
            group["state"] = .string(occurrence.state.rawValue)
            group["send_date"] = .string(CorePushTime.text(occurrence.startedAt ?? occurrence.plannedAt))
            group["remaining"] = .string(String(occurrence.remaining))
            return JSONValue.object(group)
        }
        var record = Self.record([campaign])
        record["groups"] = .array(groups)
        return try CorePushAnswer.success(["results": .object(record)])
    }

    /// Changes time, groups and interval until the first group begins.
    @Sendable private func modify(_ call: CorePushCall) async throws -> Response {
        let campaign = try await distributed(call)
        let (count, interval) = (
            try call.number("groups", Self.groupCounts), try call.number("interval", Self.intervals)
        )
        var update = CampaignUpdate()
        update.sendAt = try call.sendDate()
        if case .groups(let before, let every) = campaign.pace, count != nil || interval != nil {
            update.pace = .some(.groups(count ?? before, every: interval ?? every))
        }
        guard update.sendAt != nil || update.pace != nil else {
            throw CorePushFailure("send_date", "or groups or interval is required")
        }
        let change = update
        let changed = try await campaigns.change(campaign.id, within: call.app, change, by: .corePush)
        return try CorePushAnswer.success(["results": .object(Self.record([changed]))])
    }

    private func distributed(_ call: CorePushCall) async throws -> Campaign {
        let found = try await call.feedbackKey().campaigns(campaigns, app: call.app)
        guard let campaign = found.first, campaign.isGrouped else {
            throw CorePushFailure("feedback_key", "must be of a distributed delivery")
        }
        return campaign
    }
}
