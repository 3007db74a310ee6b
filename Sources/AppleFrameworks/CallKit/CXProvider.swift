public import Dispatch
public import Foundation
import PushKit
import UserNotifications

/// Who calls.
open class CXHandle: NSObject {
    /// What kind of name it is.
    public enum HandleType: Int, Sendable {
        /// The app's own.
        case generic = 1
        /// A telephone number.
        case phoneNumber
        /// A mail address.
        case emailAddress
    }

    /// What kind of name it is.
    public let type: HandleType
    /// The name.
    public let value: String

    /// Makes a handle.
    ///
    /// - Parameters:
    ///   - type: What kind of name it is.
    ///   - value: The name.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
    }
}

/// What is known of a call.
open class CXCallUpdate: NSObject {
    /// Who calls.
    open var remoteHandle: CXHandle?
    /// What the screen shows in place of the handle.
    open var localizedCallerName: String?
    /// Whether there is a picture too.
    open var hasVideo = false

    /// Makes an update that says nothing.
    public override init() {}
}

/// Why a call ended.
public enum CXCallEndedReason: Int, Sendable {
    /// Something went wrong.
    case failed = 1
    /// The other side hung up.
    case remoteEnded
    /// Nobody answered.
    case unanswered
    /// It was answered elsewhere.
    case answeredElsewhere
    /// It was refused elsewhere.
    case declinedElsewhere
}

/// What an app's calls are like.
open class CXProviderConfiguration: NSObject {
    /// How many calls at a time.
    open var maximumCallsPerCallGroup = 5
    /// Whether calls may have a picture.
    open var supportsVideo = false

    /// Makes a configuration.
    public override init() {}
}

/// Why the system did not take a call.
public struct CXErrorCodeIncomingCallError: Error, Hashable, Sendable {
    /// Which kind of error.
    public enum Code: Int, Sendable {
        /// Nobody knows.
        case unknown = 0
        /// There is a call of that id.
        case callUUIDAlreadyExists = 2
    }

    /// Which kind of error.
    public let code: Code

    init(_ code: Code) { self.code = code }
}

/// Tells the system of an app's calls.
open class CXProvider: NSObject {
    /// What the app's calls are like.
    open var configuration: CXProviderConfiguration
    private let telephone: SimulatedTelephone
    private weak var delegate: (any CXProviderDelegate)?

    /// Makes a provider.
    ///
    /// - Parameter configuration: What the app's calls are like.
    public init(configuration: CXProviderConfiguration) {
        self.configuration = configuration
        telephone = SimulatedSystem.required.part()
    }

    /// Names who is told of what the person does with calls.
    ///
    /// - Parameters:
    ///   - delegate: Who is told.
    ///   - queue: Where; here it is the main one.
    open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        self.delegate = delegate
    }

    /// Has the phone ring.
    ///
    /// - Parameters:
    ///   - callUUID: Names the call; each once.
    ///   - update: What is known of it.
    ///   - completion: Called with why it does not ring, if it does not.
    open func reportNewIncomingCall(
        with callUUID: UUID,
        update: CXCallUpdate,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let caller = update.localizedCallerName ?? update.remoteHandle?.value
        let rings = telephone.ring(callUUID, caller: caller)
        completion(rings ? nil : CXErrorCodeIncomingCallError(.callUUIDAlreadyExists))
    }

    /// Says that a call ended.
    ///
    /// - Parameters:
    ///   - callUUID: Which call.
    ///   - dateEnded: When; `nil`: now.
    ///   - endedReason: Why.
    open func reportCall(with callUUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        telephone.end(callUUID)
    }

    /// Ends all that the provider does.
    open func invalidate() { delegate = nil }
}

/// Is told of what the person does with calls.
public protocol CXProviderDelegate: NSObjectProtocol {
    /// All calls are to be ended.
    func providerDidReset(_ provider: CXProvider)
}

/// A call that the system knows.
open class CXCall: NSObject {
    /// Names the call.
    public let uuid: UUID
    /// Whether it is over.
    public let hasEnded: Bool

    init(uuid: UUID, hasEnded: Bool) {
        self.uuid = uuid
        self.hasEnded = hasEnded
    }
}

/// Sees the calls that the system knows.
open class CXCallObserver: NSObject {
    private let telephone: SimulatedTelephone

    /// Makes an observer.
    public override init() {
        telephone = SimulatedSystem.required.part()
    }

    /// The calls, oldest first.
    open var calls: [CXCall] { telephone.calls.map { CXCall(uuid: $0.id, hasEnded: $0.hasEnded) } }
}
