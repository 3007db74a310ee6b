import CarillonModel
import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Follows a Campaign's progress stream until the Campaign is over.
struct CampaignWatch: Sendable {
    /// Attempts in a row without an event after which it gives up.
    static let attempts = 5

    let api: OperatorAPI
    let campaign: String
    /// Waits before another attempt.
    let wait: @Sendable (Duration) async throws -> Void
    /// Gets each event.
    let show: @Sendable (CampaignProgress, Data) -> Void

    /// Reads until the Campaign is over, and connects again when the stream breaks off.
    ///
    /// - Returns: The last state.
    /// - Throws: Any error before the first event, and ``OperatorAPI/Refusal`` at once, except 429 and 5xx; others after
    ///   five attempts in a row without an event.
    func run() async throws -> Campaign.State {
        var failed = 0
        var isConnected = false
        while true {
            let last = NIOLockedValueBox<Campaign.State?>(nil)
            do {
                try await read(last)
                if let state = last.withLockedValue({ $0 }), state.isOver { return state }
                throw URLError(.networkConnectionLost)
            } catch {
                try Task.checkCancellation()
                if let state = last.withLockedValue({ $0 }) {
                    if state.isOver { return state }
                    isConnected = true
                    failed = 0
                }
                failed += 1
                guard isConnected, failed < Self.attempts, Self.mayPass(error) else { throw error }
                try await wait(.seconds(1 << (failed - 1)))
            }
        }
    }

    /// Reads one stream.
    private func read(_ last: NIOLockedValueBox<Campaign.State?>) async throws {
        let path = "/v1/campaigns/" + OperatorAPI.segment(campaign)
        let ticket: StreamTicket = try await api.post(path + "/progress-ticket")
        let parser = NIOLockedValueBox(EventStreamParser())
        // The server sends a comment every 15 seconds.
        try await api.download(path + "/progress", ["ticket": ticket.ticket], isAuthorized: false, timeout: 60) {
            data in
            for event in try parser.withLockedValue({ try $0.read(data) }) {
                let progress = try JSONDecoder().decode(CampaignProgress.self, from: Data(event))
                last.withLockedValue { $0 = progress.state }
                show(progress, Data(event))
            }
        }
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let refusal as OperatorAPI.Refusal: refusal.status == 429 || refusal.status >= 500
        case is URLError: true
        default: false
        }
    }
}

extension Campaign.State {
    /// Whether nothing follows.
    var isOver: Bool { self == .sent || self == .cancelled }
}
