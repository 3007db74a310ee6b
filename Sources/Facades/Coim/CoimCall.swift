import Carillon
import Foundation

/// One call of the app: what is sent, and what its answer means.
struct CoimCall: Sendable {
    enum Purpose: Sendable {
        /// An operation like any other.
        case operation
        /// The answer logs an account in.
        case login(account: String)
        /// The answer may have the id of an activation, which logs the account in.
        case registration(account: String)
    }

    let purpose: Purpose
    let request: TransportRequest
    /// The session whose token the request has.
    let session: CoimSessions.Snapshot
    /// The operation without ids.
    let operation: String
    /// Whether the delegate hears how much was sent.
    var reportsProgress = false
}
