public import Carillon
public import CarillonContent
import Foundation

/// What operators named at the server.
enum Names {
    /// The content set of events, made of the preset `culture`.
    static let events = "events"
    /// The content set of buses, made of the preset `transit`.
    static let buses = "buses"
    /// The city that the app is for, as the set has it.
    static let city = "高雄市"
    /// The address of an event's screen, before its id.
    private static let eventAddress = "fun-art://events/"

    /// The id of the event that a link leads to: it may have slashes, which are escaped there.
    ///
    /// - Parameter link: A link of a push.
    /// - Returns: `nil` when it leads elsewhere.
    static func event(in link: URL) -> String? {
        let text = link.absoluteString
        guard text.hasPrefix(eventAddress) else { return nil }
        return String(text.dropFirst(eventAddress.count)).removingPercentEncoding
    }
}

extension Services {
    /// The app's services at a Carillon server.
    ///
    /// - Parameters:
    ///   - client: The SDK.
    ///   - content: The App's content sets, read once at launch.
    ///   - allowNotifications: Asks the person for the permission and registers the phone.
    public init(
        _ client: CarillonClient,
        content: ContentClient,
        allowNotifications: @escaping @Sendable () async throws(CarillonError) -> Void
    ) {
        self.init(
            accounts: CarillonPeople(client: client),
            events: CarillonEvents(content: content),
            buses: CarillonBuses(content: content),
            follows: CarillonFollows(content: content, allowNotifications: allowNotifications)
        )
    }
}

/// Runs a call of the SDK.
///
/// - Returns: Its result.
/// - Throws: ``Failure`` in the app's words.
func withFailure<Value>(_ body: () async throws(CarillonError) -> Value) async throws(Failure) -> Value {
    do throws(CarillonError) {
        return try await body()
    } catch {
        throw Failure(error)
    }
}
