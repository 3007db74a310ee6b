import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// Sends what a call asks for, as one Campaign or as few as there can be.
struct CorePushSending: Sendable {
    /// Maximum number of Campaigns of one call.
    static let maximumCampaigns = 100
    /// How many users a rule of one Campaign lists.
    private static let maximumOfRule = 500

    let campaigns: Campaigns
    let metrics: ServerMetrics

    /// How a call sends.
    struct Manner {
        /// Only to tokens of the development environment.
        var isSandbox = false
        /// Only to everybody, not to single users.
        var isBroadcast = false
        var sendAt: Timestamp?
        var pace: Pace?
    }

    /// Creates the Campaigns of a call: none of them unless all are accepted.
    ///
    /// Several are drafts first. If the store then fails while they are sent, those that have begun are cancelled, and
    /// the failure has their key.
    ///
    /// - Returns: The key of the feedback.
    /// - Throws: A failure that names the field.
    func send(_ call: CorePushCall, _ manner: Manner = Manner()) async throws -> CorePushKey {
        let items = try call.elements().map { try CorePushItem($0) }
        let categories = try call.form.categories("category_id")
        if let categories, categories.rules.isEmpty {
            throw CorePushFailure("category_id", "names nobody: leave it out to send to everybody")
        }
        var batches = try Self.batches(items, hasCategories: categories != nil, manner)
        // Several messages are each rendered once to check them, which costs as much as so many dry runs.
        let place = batches.count > 1 ? try call.acquireCostly() : nil
        defer { withExtendedLifetime(place) {} }
        if !manner.isSandbox { batches = try await fitting(batches, call.app) }
        guard batches.count <= Self.maximumCampaigns else {
            throw CorePushFailure(
                "request_data",
                "has \(batches.count) different messages, and a call may have \(Self.maximumCampaigns): only message and "
                    + "title may differ in every element"
            )
        }
        let name = batches.count == 1 ? nil : CorePushKey.newName
        var requests: [CampaignRequest] = []
        for batch in batches {
            var request = try Self.request(batch, categories, manner)
            request.name = name
            requests.append(request)
        }
        guard requests.count > 1 else {
            let campaign = try await Self.naming(batches[0]) {
                try await campaigns.create(app: call.app, requests[0], by: .corePush)
            }
            metrics.add(1, to: .campaigns)
            return CorePushKey([campaign.id])
        }
        let own = place == nil ? try call.acquireCostly() : nil
        defer { withExtendedLifetime(own) {} }
        for (batch, request) in zip(batches, requests) { try await check(request, batch, call.app) }
        return CorePushKey(try await sendAll(requests, of: batches, call.app))
    }

    // MARK: - Private

    /// Puts items together that can be one Campaign.
    private static func batches(
        _ items: [CorePushItem],
        hasCategories: Bool,
        _ manner: Manner
    ) throws -> [CorePushBatch] {
        if items.contains(where: { $0.target == .everybody }) {
            guard items.count == 1 else {
                throw CorePushFailure(
                    "request_data",
                    "must have one element when its app_user_id is \(CorePushUser.everybody), everybody"
                )
            }
            return [CorePushBatch(items: items)]
        }
        guard !manner.isBroadcast else {
            throw CorePushFailure("request_data[0].app_user_id", "must be \(CorePushUser.everybody), everybody")
        }
        guard !hasCategories else {
            throw CorePushFailure(
                "category_id",
                "must be missing, or app_user_id \(CorePushUser.everybody): it selects devices, and so do users"
            )
        }
        var seen: Set<CorePushItem.Target> = []
        if let repeated = items.first(where: { !seen.insert($0.target).inserted }) {
            throw CorePushFailure(
                "request_data[\(repeated.index)].app_user_id",
                "must come once: send a user's second message with a call of its own"
            )
        }
        let batches = CorePushBatch.grouped(items) { $0.frame }
        guard manner.isSandbox else { return batches }
        return batches.flatMap(\.byText).flatMap { batch in
            stride(from: 0, to: batch.items.count, by: maximumOfRule).map { start in
                CorePushBatch(items: Array(batch.items[start..<min(start + maximumOfRule, batch.items.count)]))
            }
        }
    }

    /// Splits what does not fit when the texts are filled in for each user: alone a text may do without Carillon's own
    /// members of the payload, or is refused with its size.
    private func fitting(_ batches: [CorePushBatch], _ app: AppID) async throws -> [CorePushBatch] {
        var fitting: [CorePushBatch] = []
        for batch in batches {
            guard !batch.isUniform else {
                fitting.append(batch)
                continue
            }
            let request = try Self.request(batch, nil, Manner())
            let dry = try await check(request, batch, app)
            let fits = dry.renderings.allSatisfy { $0.bytes + batch.longestText <= $0.limit }
            fitting += fits ? [batch] : batch.byText
        }
        return fitting
    }

    @discardableResult
    private func check(_ request: CampaignRequest, _ batch: CorePushBatch, _ app: AppID) async throws -> DryRun {
        let dry = try await campaigns.dryRun(app: app, request, device: nil)
        if let problem = dry.problems.first { throw Self.failure(problem, batch) }
        return dry
    }

    private static func request(
        _ batch: CorePushBatch,
        _ categories: DeviceCategories?,
        _ manner: Manner
    ) throws -> CampaignRequest {
        let bytes = Array(try JSONEncoder().encode(JSONValue.object(batch.members)))
        var request: CampaignRequest
        do throws(Problem) {
            request = try JSONBody.decode(CampaignRequest.self, from: bytes)
        } catch {
            guard let first = error.errors?.first else { throw error }
            throw failure(first, batch)
        }
        if request.recipients == nil { request.audience = audience(batch, categories, manner) }
        (request.sendAt, request.pace) = (manner.sendAt, manner.pace)
        return request
    }

    private static func audience(_ batch: CorePushBatch, _ categories: DeviceCategories?, _ manner: Manner) -> Audience
    {
        var rules = categories?.rules ?? []
        if manner.isSandbox {
            if !batch.users.isEmpty { rules.append(.term(.user(.isAny(batch.users)))) }
            rules.append(.term(.pushType(.isEqual(.apnsSandbox))))
        } else if !batch.users.isEmpty {
            return .users(batch.users)
        }
        switch rules.count {
        case 0: return .all
        case 1: return .rule(rules[0])
        default: return .rule(.and(rules))
        }
    }

    /// Runs a call of the engine about a batch; errors name the vendor's fields.
    static func naming<Value>(
        _ batch: CorePushBatch,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as EngineError {
            guard let first = error.fieldErrors.first else { throw error }
            throw failure(first, batch)
        }
    }

    static func failure(_ error: FieldError, _ batch: CorePushBatch) -> CorePushFailure {
        var parts = error.field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if parts.count >= 2, parts[0] == "recipients", let place = Int(parts[1]), batch.items.indices.contains(place) {
            parts[1] = String(batch.items[place].index)
            return CorePushFailure(CorePushName.of(parts.joined(separator: ".")), error.problem)
        }
        let name = CorePushName.of(error.field)
        guard parts[0] == "message" || parts[0] == "audience" else { return CorePushFailure(name, error.problem) }
        return CorePushFailure("request_data[\(batch.first.index)].\(name)", error.problem)
    }
}

extension DeviceCategories {
    /// The rules of Devices in any of the ids, or in any of the labels of every dimension.
    fileprivate var rules: [AudienceRule] {
        switch self {
        case .list(let ids): ids.isEmpty ? [] : [.term(.category(dimension: nil, .isAny(ids)))]
        case .dimensions(let dimensions):
            dimensions.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
                .map { .term(.category(dimension: $0.key, .isAny($0.value))) }
        }
    }
}
