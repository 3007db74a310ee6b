public import Carillon

// The types in the signatures, so that an app imports one module more.
@_exported public import struct CarillonAccountModel.Account

extension CarillonClient {
    /// The account of the person who uses the app; see ``AccountClient``.
    public var account: AccountClient { AccountClient(client: self) }
}

#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
@available(iOSApplicationExtension, unavailable)
extension CarillonApp {
    /// The account of the person who uses the app; see ``AccountClient``.
    public var account: AccountClient { client.account }
}
#endif
