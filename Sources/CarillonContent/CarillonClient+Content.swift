public import Carillon

extension CarillonClient {
    /// The App's content sets; see ``ContentClient``.
    ///
    /// Read it once at launch: `run()` sends what waits to be sent only from then on.
    public var content: ContentClient { ContentClient(client: self, follows: part { FollowCoordinator() }) }
}

#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
@available(iOSApplicationExtension, unavailable)
extension CarillonApp {
    /// The App's content sets; see ``ContentClient``.
    ///
    /// Read it once at launch: what waits to be sent is sent only from then on.
    public var content: ContentClient { client.content }
}
#endif
