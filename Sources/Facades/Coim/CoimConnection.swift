public import Foundation

/// A call that the app has made, to be cancelled and labelled: in place of the vendor's `NSURLConnection`.
///
/// It may be used on any thread. Its delegate is kept until the last callback.
///
/// Unchecked: `lock` protects everything.
#if canImport(ObjectiveC)
@objc(CoimConnection)
#endif
public final class CoimConnection: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var delegate: AnyObject?
    private var task: Task<Void, Never>?
    private var isFinished = false
    #if !canImport(UIKit) || !canImport(ObjectiveC)
    private var label: String?
    #endif

    init(_ delegate: AnyObject?) { self.delegate = delegate }

    /// Ends the call: its delegate hears nothing more of it.
    ///
    /// What was sent may reach the server all the same.
    #if canImport(ObjectiveC)
    @objc(cancel)
    #endif
    public func cancel() { finish()?.cancel() }

    #if !canImport(UIKit) || !canImport(ObjectiveC)
    /// The app's own label; on iOS every object has it.
    public var accessibilityLabel: String? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return label
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            label = newValue
        }
    }
    #endif

    // MARK: - The facade's side

    /// Whether it was cancelled, or its delegate has heard the last of it.
    var isOver: Bool {
        lock.lock()
        defer { lock.unlock() }
        return isFinished
    }

    /// The work that is going on, to wait for.
    var work: Task<Void, Never>? {
        lock.lock()
        defer { lock.unlock() }
        return task
    }

    /// Starts the work of the call.
    func run(_ work: @escaping @Sendable () async -> Void) {
        lock.lock()
        defer { lock.unlock() }
        if !isFinished { task = Task(operation: work) }
    }

    /// Calls the delegate, unless the call is over.
    @MainActor
    func notify(_ body: @MainActor (AnyObject) -> Void) {
        lock.lock()
        let delegate = isFinished ? nil : delegate
        lock.unlock()
        if let delegate { body(delegate) }
    }

    /// - Returns: The work that is going on.
    @discardableResult
    func finish() -> Task<Void, Never>? {
        lock.lock()
        let (running, last) = (task, delegate)
        (isFinished, task, delegate) = (true, nil, nil)
        lock.unlock()
        // Released outside of the lock: the delegate's end may make another call.
        withExtendedLifetime(last) {}
        return running
    }
}
