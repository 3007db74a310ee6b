import CarillonModel
import CarillonOperatorModel
import Tracing

/// The spans of delivery: work at a Campaign, in it the leased Chunk, in it each batch for the sender.
///
/// Attributes name an App, a Campaign, an Occurrence and a Chunk, and counts; none names a Device, a token or a User.
extension Tracer {
    /// Work at a Campaign: finds Devices, leases a Chunk of them, sends it.
    func withCampaignSpan(
        _ app: AppID,
        _ campaign: CampaignID,
        _ occurrence: OccurrenceID,
        _ body: (any Tracing.Span) async -> Void
    ) async {
        await withSpan("carillon.campaign") { span in
            span.describe(app, campaign) { $0["carillon.occurrence"] = "\(occurrence)" }
            await body(span)
        }
    }

    /// Sends a Chunk; the body returns why it ended early, or `nil`.
    func withChunkSpan(_ lease: Lease, deviceCount: Int, _ body: () async -> String?) async {
        await withSpan("carillon.chunk") { span in
            span.describe(lease, "carillon.devices", deviceCount)
            if let problem = await body() { span.fail(problem) }
        }
    }

    /// A call of the sender.
    func withBatchSpan(_ lease: Lease, count: Int, _ body: () async -> [Consequence]) async -> [Consequence] {
        await withSpan("carillon.batch", ofKind: .client) { span in
            span.describe(lease, "carillon.notifications", count)
            let consequences = await body()
            // Without a recording tracer, no notification is inspected.
            guard span.isRecording else { return consequences }
            span.attributes["carillon.accepted"] = consequences.count { $0 == .accepted }
            if let reason = consequences.failure { span.fail(reason.rawValue) }
            return consequences
        }
    }
}

extension Tracing.Span {
    /// Marks the span as failed.
    func fail(_ message: String) { setStatus(SpanStatus(code: .error, message: message)) }

    fileprivate func describe(_ lease: Lease, _ counted: String, _ count: Int) {
        describe(lease.chunk.app, lease.campaign) { attributes in
            attributes["carillon.chunk"] = lease.chunk.number
            attributes[counted] = count
        }
    }

    /// Sets attributes; creates none without a recording tracer.
    fileprivate func describe(_ app: AppID, _ campaign: CampaignID, _ more: (inout SpanAttributes) -> Void) {
        guard isRecording else { return }
        updateAttributes { attributes in
            attributes["carillon.app"] = "\(app)"
            attributes["carillon.campaign"] = "\(campaign)"
            more(&attributes)
        }
    }
}

extension [Consequence] {
    /// Why a whole batch failed: the key or topic is refused, or nothing was accepted this time.
    fileprivate var failure: FailureReason? {
        var reason: FailureReason?
        var isAnswered = false
        for consequence in self {
            switch consequence {
            case .halt(let cause): return cause
            case .retryLater(let cause, _): reason = reason ?? cause
            case .accepted, .dropDeviceToken, .quarantineDeviceToken, .dropMessage: isAnswered = true
            }
        }
        return isAnswered ? nil : reason
    }
}
