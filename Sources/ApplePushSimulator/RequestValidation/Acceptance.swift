/// What the validator read from an accepted notification.
struct Acceptance: Hashable, Sendable {
    /// The device's position in the table; nil for an unknown token, which open mode allows.
    var device: DeviceTable.Index?
    /// Nil when the field is missing.
    var pushType: PushType?
    var priority: UInt8
    /// Seconds since 1970.
    ///
    /// 0: one attempt, never stored. Nil: Apple's maximum.
    var expiration: Int64?
}
