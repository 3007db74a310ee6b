/// A notification that wakes the app for a moment and shows nothing.
///
/// Its priority is always 5: Apple calls every other an error. Expect APNs to deliver two or three an hour to a device.
/// Source: "Pushing background updates to your App".
public struct BackgroundMessage: AppMessage {
    /// The app's own members beside `aps`; one named `aps` is left out.
    public var custom: PayloadObject
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?
    /// Which earlier notification it replaces; `nil` for none.
    public var collapseID: CollapseID?

    /// A background notification.
    ///
    /// - Parameters:
    ///   - custom: The app's own members.
    ///   - expiration: Until when APNs may deliver.
    ///   - collapseID: Which earlier notification it replaces.
    public init(custom: PayloadObject = [:], expiration: Expiration? = nil, collapseID: CollapseID? = nil) {
        self.custom = custom
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// Always ``APNsPushType/background``.
    public var pushType: APNsPushType { .background }

    /// Always ``Priority/considerate``.
    public var priority: Priority? { .considerate }

    /// `{"aps":{"content-available":1}}` and the app's own members.
    public var payload: PayloadObject {
        PayloadObject(aps: ["content-available": 1], custom)
    }
}

extension PayloadObject {
    /// An `aps` dictionary, then the app's own members but for one of that name.
    init(aps: PayloadObject, _ custom: PayloadObject = [:]) {
        self.init([.init("aps", .object(aps.members))] + custom.members.filter { $0.key != "aps" })
    }
}
