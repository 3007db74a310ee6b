import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Several Campaigns of one call, which are drafts until all of them are accepted.
extension CorePushSending {
    /// Creates all Campaigns as drafts, then sends them.
    ///
    /// - Parameters:
    ///   - requests: The Campaigns.
    ///   - batches: What each is made of.
    ///   - app: The App.
    /// - Returns: Their ids, in order.
    /// - Throws: Why one is not accepted, when none is sent; or why one could not be sent, with the key of those before
    ///   it.
    func sendAll(
        _ requests: [CampaignRequest],
        of batches: [CorePushBatch],
        _ app: AppID
    ) async throws -> [CampaignID] {
        var drafts: [CampaignID] = []
        var begun = 0
        do {
            for (batch, request) in zip(batches, requests) { drafts.append(try await draft(request, of: batch, app)) }
            for (batch, id) in zip(batches, drafts) {
                try await begin(id, of: batch, app)
                begun += 1
            }
            return drafts
        } catch {
            throw await withdraw(drafts, begun: begun, app, after: error)
        }
    }

    private func draft(
        _ request: CampaignRequest,
        of batch: CorePushBatch,
        _ app: AppID
    ) async throws -> CampaignID {
        var draft = request
        draft.draft = true
        let asked = draft
        return try await Self.naming(batch) { try await campaigns.create(app: app, asked, by: .corePush).id }
    }

    private func begin(_ id: CampaignID, of batch: CorePushBatch, _ app: AppID) async throws {
        _ = try await Self.naming(batch) { try await campaigns.send(id, within: app, by: .corePush) }
        metrics.add(1, to: .campaigns)
    }

    /// Deletes the drafts and cancels those that have begun.
    ///
    /// - Returns: The answer's message.
    private func withdraw(
        _ drafts: [CampaignID],
        begun: Int,
        _ app: AppID,
        after error: any Error
    ) async -> CorePushFailure {
        var failure = CorePushFailure(any: error)
        var left = 0
        for id in drafts {
            let isWithdrawn = await withdraw(id, app)
            if !isWithdrawn { left += 1 }
        }
        guard begun > 0 else { return failure }
        failure.message += " \(begun) of \(drafts.count) messages had begun, and "
        failure.message += left == 0 ? "are cancelled." : "\(left) could not be cancelled."
        failure.message += " Their feedback_key is \(CorePushKey(Array(drafts.prefix(begun))).text)."
        return failure
    }

    /// Deletes a draft, or cancels what was sent.
    ///
    /// - Returns: Whether nothing more is sent.
    private func withdraw(_ id: CampaignID, _ app: AppID) async -> Bool {
        do {
            try await campaigns.delete(id, within: app)
            return true
        } catch {
            return (try? await campaigns.cancel(id, within: app)) != nil
        }
    }
}
