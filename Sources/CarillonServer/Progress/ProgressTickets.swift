package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import Crypto
import Foundation
import NIOConcurrencyHelpers

/// Tickets that open a progress stream: each once, within a minute.
///
/// A browser's event stream cannot send an API key in a header, and a key in a URL ends up in logs; a single-use ticket
/// may. They live in this process: a stream opens where its ticket was issued.
package final class ProgressTickets: Sendable {
    /// What a ticket opens.
    package struct Grant: Hashable, Sendable {
        package var campaign: CampaignID
        /// The Campaign's App.
        package var app: AppID
        /// The App of the key that created it; `nil` for a key of the server.
        package var within: AppID?

        package init(campaign: CampaignID, of app: AppID, within: AppID?) {
            self.campaign = campaign
            self.app = app
            self.within = within
        }
    }

    /// How long a ticket is valid, in milliseconds.
    package static let lifetime: Int64 = 60_000
    /// Maximum number of unused tickets; the oldest is removed first.
    package static let maximumCount = 10_000

    private struct Entry {
        var grant: Grant
        var expiresAt: Timestamp
    }

    private let clock: any WallClock
    /// By the ticket's hash, so that timing reveals nothing about a ticket.
    private let entries = NIOLockedValueBox<[SHA256Digest: Entry]>([:])

    package init(clock: any WallClock) { self.clock = clock }

    /// Issues a ticket.
    package func issue(_ grant: Grant) -> StreamTicket {
        let now = clock.now()
        let ticket = Self.random()
        let expiresAt = Timestamp(rawValue: now.rawValue + Self.lifetime)
        entries.withLockedValue { entries in
            if entries.count >= Self.maximumCount { Self.makeRoom(in: &entries, now) }
            entries[SHA256.hash(data: Data(ticket.utf8))] = Entry(grant: grant, expiresAt: expiresAt)
        }
        return StreamTicket(ticket: ticket, expiresAt: expiresAt)
    }

    /// Consumes a ticket.
    ///
    /// - Returns: What it opens; `nil` when it is unknown, used or expired.
    package func redeem(_ ticket: String) -> Grant? {
        guard ticket.utf8.count <= 64 else { return nil }
        let entry = entries.withLockedValue { $0.removeValue(forKey: SHA256.hash(data: Data(ticket.utf8))) }
        guard let entry, clock.now() < entry.expiresAt else { return nil }
        return entry.grant
    }

    // MARK: - Private

    private static func makeRoom(in entries: inout [SHA256Digest: Entry], _ now: Timestamp) {
        entries = entries.filter { now < $0.value.expiresAt }
        guard entries.count >= maximumCount, let oldest = entries.min(by: { $0.value.expiresAt < $1.value.expiresAt })
        else { return }
        entries[oldest.key] = nil
    }

    /// 32 random bytes in base64url.
    private static func random() -> String {
        let key = SymmetricKey(size: .bits256)
        return key.withUnsafeBytes { Data($0) }.base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
