/// What the validator learned about a notification it lets pass.
struct Acceptance: Hashable, Sendable {
    /// The device's position in the table; nil for a token that was never seen, which open mode allows.
    var device: DeviceTable.Index?
    /// Absent when the client did not say.
    var pushType: PushType?
    var priority: UInt8
    /// Seconds since 1970.
    ///
    /// 0: one attempt, never stored. Absent: Apple's longest.
    var expiration: Int64?
}
