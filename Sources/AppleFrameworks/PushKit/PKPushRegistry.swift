public import Dispatch
public import Foundation
import UserNotifications

/// Which kind of push.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
    /// The kind's name.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Calls.
    public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// What names an app to Apple's push service.
open class PKPushCredentials: NSObject {
    /// The kind of pushes it is for.
    public let type: PKPushType
    /// The token.
    public let token: Data

    init(type: PKPushType, token: Data) {
        self.type = type
        self.token = token
    }
}

/// A push that came.
open class PKPushPayload: NSObject {
    /// Its kind.
    public let type: PKPushType
    /// What it says.
    public let dictionaryPayload: [AnyHashable: Any]

    init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
        self.type = type
        self.dictionaryPayload = dictionaryPayload
    }
}

/// The app's way to pushes that no person sees: calls.
open class PKPushRegistry: NSObject {
    private let telephone: SimulatedTelephone

    /// Makes a registry.
    ///
    /// - Parameter queue: Where the delegate is called; here it is the main one, whatever is asked for.
    public init(queue: DispatchQueue?) {
        telephone = SimulatedSystem.required.part()
        super.init()
    }

    /// Is told of tokens and pushes.
    weak open var delegate: (any PKPushRegistryDelegate)?

    /// The kinds of pushes that the app takes; setting it asks for tokens.
    open var desiredPushTypes: Set<PKPushType>? {
        didSet {
            let wantsCalls = desiredPushTypes?.contains(.voIP) == true
            telephone.use(wantsCalls ? self : nil)
        }
    }

    /// The token of a kind, if there is one.
    ///
    /// - Parameter type: The kind.
    /// - Returns: The token that the delegate was told last.
    open func pushToken(for type: PKPushType) -> Data? {
        type == .voIP && desiredPushTypes?.contains(type) == true ? telephone.knownToken : nil
    }
}

/// Is told of tokens and pushes.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
    /// A token came.
    func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)

    /// A push came; the completion handler is to be called once it is dealt with.
    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    )

    /// A token is none any more.
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
    /// Does nothing.
    public func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        completion()
    }

    /// Does nothing.
    public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}
