#if canImport(PushKit) && canImport(CallKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import CallKit
public import Carillon
public import Foundation

/// An incoming call.
@MainActor
public final class IncomingCall {
    /// The call's id for the system: derived from the push's id, so that no push rings twice.
    public let id: UUID
    /// The push that announced it.
    public let message: PushMessage
    /// Whether the same push came before: its id is the same, and the system refuses a call that it has.
    public let isCopy: Bool
    /// Whether it was reported to the system.
    public private(set) var isReported = false

    private let provider: @MainActor () -> CXProvider
    private var completion: (@Sendable () -> Void)?

    init(
        _ message: PushMessage,
        isCopy: Bool,
        provider: @escaping @MainActor () -> CXProvider,
        completion: @escaping @Sendable () -> Void
    ) {
        id = message.callID
        self.message = message
        self.isCopy = isCopy
        self.provider = provider
        self.completion = completion
    }

    /// Reports the call with ``CarillonVoIP/provider``, so that the phone rings; does nothing when it is reported already.
    ///
    /// - Parameter update: The call's details; `nil`: the push's title is the caller.
    public func report(_ update: CXCallUpdate? = nil) {
        guard !isReported else { return }
        isReported = true
        provider().reportNewIncomingCall(with: id, update: update ?? Self.update(for: message)) { [self] _ in
            MainThread.run { self.complete() }
        }
    }

    /// Marks the call as reported by a provider of the app's own; call it in the completion of its
    /// `reportNewIncomingCall(with:update:completion:)`.
    public nonisolated func markReported() {
        MainThread.run { [self] in
            isReported = true
            complete()
        }
    }

    /// Reports a call that ends at once, for an app that reports calls under ids of its own and has reported this one.
    package func reportEnded() {
        isReported = true
        provider().reportEnded { [self] in complete() }
    }

    /// Tells PushKit that the push is handled: after CallKit has the call, or the system may suspend the app before it rings.
    func complete() {
        completion?()
        completion = nil
    }

    static func update(for message: PushMessage) -> CXCallUpdate {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: message.title ?? message.body ?? message.id.description)
        update.localizedCallerName = message.title
        return update
    }
}

extension CXProvider {
    /// Reports a call of nobody that ends at once: the system demands one for each push.
    @MainActor
    func reportEnded(_ completion: @escaping @MainActor () -> Void) {
        let id = UUID()
        reportNewIncomingCall(with: id, update: CXCallUpdate()) { _ in MainThread.run { completion() } }
        reportCall(with: id, endedAt: nil, reason: .failed)
    }
}
#endif
