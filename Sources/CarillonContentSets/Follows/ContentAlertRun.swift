package import CarillonModel

/// The new rows of a version that alerts are being sent about.
package struct ContentAlertRun: Hashable, Sendable {
    /// A place among the new rows and their followers: alerts about what is up to it are sent.
    package struct Position: Hashable, Sendable {
        /// The row's number in its version.
        package var number: Int64
        /// The last User's hash, -1 for audiences, -2 before all.
        package var userHash: Int64
        /// The last follow; only of audiences.
        package var follow: Int64

        package init(number: Int64, userHash: Int64 = -2, follow: Int64 = -1) {
            self.number = number
            self.userHash = userHash
            self.follow = follow
        }
    }

    package var app: AppID
    package var set: String
    package var table: String
    package var slot: Int64
    package var position: Position
    package var beganAt: Timestamp
    /// This node's claim.
    package var claim: Int64

    package init(
        app: AppID,
        set: String,
        table: String,
        slot: Int64,
        position: Position,
        beganAt: Timestamp,
        claim: Int64
    ) {
        self.app = app
        self.set = set
        self.table = table
        self.slot = slot
        self.position = position
        self.beganAt = beganAt
        self.claim = claim
    }
}
