public import Dispatch
public import Foundation
import PushKit
import UserNotifications

/// The other party of a call.
open class CXHandle: NSObject {
    /// The type of a handle.
    public enum HandleType: Int, Sendable {
        /// An id of the app's own.
        case generic = 1
        /// A telephone number.
        case phoneNumber
        /// An email address.
        case emailAddress
    }

    /// The type of the handle.
    public let type: HandleType
    /// The value.
    public let value: String

    /// Creates a handle.
    ///
    /// - Parameters:
    ///   - type: The type of the handle.
    ///   - value: The value.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
    }
}

/// The properties of a call.
open class CXCallUpdate: NSObject {
    /// The caller.
    open var remoteHandle: CXHandle?
    /// The displayed name instead of the handle.
    open var localizedCallerName: String?
    /// Whether it is a video call.
    open var hasVideo = false

    /// Creates an empty update.
    public override init() {}
}

/// Why a call ended.
public enum CXCallEndedReason: Int, Sendable {
    /// It failed.
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

/// The configuration of an app's calls.
open class CXProviderConfiguration: NSObject {
    /// Maximum number of concurrent calls.
    open var maximumCallsPerCallGroup = 5
    /// Whether video calls are supported.
    open var supportsVideo = false

    /// Creates a configuration.
    public override init() {}
}

/// Why the system refused a call.
public struct CXErrorCodeIncomingCallError: Error, Hashable, Sendable {
    /// The code of the error.
    public enum Code: Int, Sendable {
        /// Unknown.
        case unknown = 0
        /// A call with that id exists.
        case callUUIDAlreadyExists = 2
    }

    /// The code of the error.
    public let code: Code

    init(_ code: Code) { self.code = code }
}

/// Reports an app's calls to the system.
open class CXProvider: NSObject {
    /// The configuration of the app's calls.
    open var configuration: CXProviderConfiguration
    private let telephone: SimulatedTelephone
    private let run: Int
    private weak var delegate: (any CXProviderDelegate)?

    /// Creates a provider.
    ///
    /// - Parameter configuration: The configuration of the app's calls.
    public init(configuration: CXProviderConfiguration) {
        self.configuration = configuration
        let system = SimulatedSystem.required
        telephone = system.part()
        let added = telephone.addProvider()
        run = added.run
        super.init()
        // "A VoIP app should create only one instance of CXProvider per app and store it for use globally."
        if added.count > 1 { system.complain("a second CXProvider was made") }
    }

    deinit { telephone.removeProvider(of: run) }

    /// Sets the delegate.
    ///
    /// - Parameters:
    ///   - delegate: Notified of what the person does with calls.
    ///   - queue: Always the main queue here.
    open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        self.delegate = delegate
    }

    /// Reports an incoming call.
    ///
    /// - Parameters:
    ///   - callUUID: Identifies the call; unique.
    ///   - update: The properties of the call.
    ///   - completion: Called with the error, if any.
    open func reportNewIncomingCall(
        with callUUID: UUID,
        update: CXCallUpdate,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let caller = update.localizedCallerName ?? update.remoteHandle?.value
        let rings = telephone.ring(callUUID, caller: caller)
        // CallKit's process answers, so the answer comes in a later turn.
        Task { @MainActor [telephone] in
            telephone.confirmReport()
            completion(rings ? nil : CXErrorCodeIncomingCallError(.callUUIDAlreadyExists))
        }
    }

    /// Reports that a call ended.
    ///
    /// - Parameters:
    ///   - callUUID: The call.
    ///   - dateEnded: When; now if `nil`.
    ///   - endedReason: Why.
    open func reportCall(with callUUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        telephone.end(callUUID)
    }

    /// Invalidates the provider.
    open func invalidate() { delegate = nil }
}

/// Notified of what the person does with calls.
public protocol CXProviderDelegate: NSObjectProtocol {
    /// All calls must be ended.
    func providerDidReset(_ provider: CXProvider)
}

/// A call.
open class CXCall: NSObject {
    /// Identifies the call.
    public let uuid: UUID
    /// Whether it has ended.
    public let hasEnded: Bool

    init(uuid: UUID, hasEnded: Bool) {
        self.uuid = uuid
        self.hasEnded = hasEnded
    }
}

/// Observes the system's calls.
open class CXCallObserver: NSObject {
    private let telephone: SimulatedTelephone

    /// Creates an observer.
    public override init() {
        telephone = SimulatedSystem.required.part()
    }

    /// The calls, oldest first; one that was just reported comes a turn later.
    open var calls: [CXCall] { telephone.listedCalls.map { CXCall(uuid: $0.id, hasEnded: $0.hasEnded) } }
}
