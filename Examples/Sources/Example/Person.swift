#if canImport(UIKit)
public import Carillon
import CarillonCalls

/// What the app's own buttons do.
extension AppDelegate {
    /// The person agrees in the app's own screen: the system is asked for permission, and the phone registers.
    public func subscribe(user: UserID?, wantsAds: Bool) async {
        do {
            try await carillon?.register(consent: Consent(notifications: true, ads: wantsAds), user: user)
        } catch {
            // Nothing to do: it is tried again by itself, unless the server refused it.
            print("not registered yet: \(error.code.rawValue)")
        }
    }

    /// The person chooses what they want to hear of.
    ///
    /// - Returns: All their tags.
    public func addTags(_ tags: Set<TagID>) async -> Set<TagID> {
        (try? await carillon?.client.addTags(tags)) ?? []
    }

    /// The inbox is opened: its latest message is read, and the badge shows what is left.
    ///
    /// - Returns: The inbox after that; `nil` when it cannot be fetched.
    public func openInbox() async -> InboxView? {
        guard let carillon, var inbox = try? await carillon.client.fetchInbox() else { return nil }
        if let latest = inbox.messages.first {
            inbox = (try? await carillon.client.markRead(latest.occurrence)) ?? inbox
        }
        try? await carillon.setBadgeToUnread()
        return inbox
    }

    /// The person wants to be called.
    public func allowCalls() async {
        _ = try? await voIP?.register()
    }

    /// The person logs out: the phone stays registered, for nobody.
    public func logOut() async {
        try? await carillon?.client.setUser(nil)
    }

    /// The person wants to be forgotten.
    public func forget() async {
        try? await carillon?.client.erase(.user)
    }
}
#endif
