/// A message of any push type, also of one that Apple adds after this was written: nothing about it is checked but the
/// size.
public struct RawMessage: AppMessage {
    /// The value of `apns-push-type`.
    public var pushType: APNsPushType
    /// The whole payload.
    public var payload: PayloadObject
    /// The value of `apns-priority`; `nil` leaves the header out, which Apple reads as 10.
    public var priority: Priority?
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?
    /// Which earlier notification it replaces; `nil` for none.
    public var collapseID: CollapseID?

    /// A message of any push type.
    ///
    /// - Parameters:
    ///   - pushType: The push type.
    ///   - payload: The whole payload; `PayloadObject(json:)` reads one that is JSON already.
    ///   - priority: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    ///   - collapseID: Which earlier notification it replaces.
    public init(
        _ pushType: APNsPushType,
        payload: PayloadObject,
        priority: Priority? = nil,
        expiration: Expiration? = nil,
        collapseID: CollapseID? = nil
    ) {
        self.pushType = pushType
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
    }
}
