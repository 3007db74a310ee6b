public import Dispatch
public import Foundation
import UserNotifications

/// A kind of push.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
    /// The kind's name.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Calls.
    public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// The app's token for a kind of push.
open class PKPushCredentials: NSObject {
    /// The kind of push.
    public let type: PKPushType
    /// The token.
    public let token: Data

    init(type: PKPushType, token: Data) {
        self.type = type
        self.token = token
    }
}

/// A received push.
open class PKPushPayload: NSObject {
    /// Its kind.
    public let type: PKPushType
    /// The payload.
    public let dictionaryPayload: [AnyHashable: Any]

    init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
        self.type = type
        self.dictionaryPayload = dictionaryPayload
    }
}

/// Registers the app for VoIP pushes.
open class PKPushRegistry: NSObject {
    private let telephone: SimulatedTelephone

    /// Creates a registry.
    ///
    /// - Parameter queue: Ignored here: the delegate is always called on the main queue.
    public init(queue: DispatchQueue?) {
        telephone = SimulatedSystem.required.part()
        super.init()
    }

    /// Notified of tokens and pushes.
    weak open var delegate: (any PKPushRegistryDelegate)?

    /// The kinds of pushes that the app accepts; setting it requests tokens.
    open var desiredPushTypes: Set<PKPushType>? {
        didSet {
            let wantsCalls = desiredPushTypes?.contains(.voIP) == true
            telephone.use(wantsCalls ? self : nil)
        }
    }

    /// The token of a kind, if there is one.
    ///
    /// - Parameter type: The kind.
    /// - Returns: The latest token.
    open func pushToken(for type: PKPushType) -> Data? {
        type == .voIP && desiredPushTypes?.contains(type) == true ? telephone.knownToken : nil
    }
}

/// Notified of tokens and pushes.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
    /// A token was issued.
    func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)

    /// A push was received; the completion handler must be called once it is handled.
    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping @Sendable () -> Void
    )

    /// A token became invalid.
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
    /// Does nothing.
    public func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping @Sendable () -> Void
    ) {
        completion()
    }

    /// Does nothing.
    public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}
