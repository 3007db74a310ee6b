package import Carillon
package import Foundation

/// What a facade finds around it: the Info.plist, a way to make the SDK's client, and a small memory.
///
/// The vendors' calls are static, so their state is too: it lives in ``state(_:)`` of the current dependencies. Tests give
/// each phone dependencies of its own by the task-local value.
///
/// Unchecked: `lock` protects `states`; the rest never changes.
package final class FacadeDependencies: @unchecked Sendable {
    /// Changes what a Device tells about itself.
    package typealias FactsChange = @Sendable (inout DeviceFacts) -> Void

    @TaskLocal package static var current = FacadeDependencies()

    /// Whether this process is a service extension: it has no app to start.
    package let isExtension: Bool
    package let memory: any FacadeStorage
    private let info: @Sendable (String) -> Any?
    private let dependencies: @Sendable (CarillonConfiguration) -> Dependencies
    private let configure: @Sendable (inout CarillonConfiguration) -> Void
    private let lock = NSLock()
    private var states: [ObjectIdentifier: AnyObject] = [:]

    /// - Parameters:
    ///   - isExtension: Whether this process is a service extension; missing: it is when its bundle says so.
    ///   - memory: Keeps small values between starts.
    ///   - info: Looks a key up in the Info.plist.
    ///   - configure: Changes a configuration before it is used.
    ///   - dependencies: Makes what a client finds around it.
    package init(
        isExtension: Bool = Bundle.main.bundlePath.hasSuffix(".appex"),
        memory: any FacadeStorage = UserDefaultsMemory(),
        info: @escaping @Sendable (String) -> Any? = { Bundle.main.object(forInfoDictionaryKey: $0) },
        configure: @escaping @Sendable (inout CarillonConfiguration) -> Void = { _ in },
        dependencies: @escaping @Sendable (CarillonConfiguration) -> Dependencies = { _ in Dependencies() }
    ) {
        self.isExtension = isExtension
        self.memory = memory
        self.info = info
        self.configure = configure
        self.dependencies = dependencies
    }

    /// A facade's state in these dependencies.
    ///
    /// - Parameter make: Makes it the first time.
    /// - Returns: The same object each time.
    package func state<State: AnyObject>(_ make: (FacadeDependencies) -> State) -> State {
        lock.lock()
        defer { lock.unlock() }
        if let state = states[ObjectIdentifier(State.self)] as? State { return state }
        let state = make(self)
        states[ObjectIdentifier(State.self)] = state
        return state
    }

    /// A text in the Info.plist, found by names one inside the other.
    ///
    /// - Parameter path: The names, outermost first.
    /// - Returns: The text; `nil` when there is none.
    package func infoText(_ path: String...) -> String? {
        guard let first = path.first else { return nil }
        var value = info(first)
        for name in path.dropFirst() { value = (value as? [String: Any])?[name] }
        return value as? String
    }

    /// Where the server is.
    ///
    /// - Parameter chosen: What the app said in code; otherwise `CarillonServerURL` of the Info.plist.
    /// - Returns: The URL.
    /// - Throws: ``MissingServer`` when neither names one.
    package func server(_ chosen: URL?) throws(MissingServer) -> URL {
        if let chosen { return chosen }
        guard let text = infoText("CarillonServerURL"), let url = URL(string: text) else { throw MissingServer() }
        return url
    }

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - configuration: Where the server is, and the App's key.
    ///   - change: What the facade's app says otherwise than the phone.
    /// - Returns: The client.
    /// - Throws: ``CarillonError`` when the configuration cannot be used.
    package func client(
        _ configuration: CarillonConfiguration,
        change: @escaping FactsChange = { _ in }
    ) throws(CarillonError) -> CarillonClient {
        let configuration = self.configuration(configuration)
        var dependencies = dependencies(configuration)
        let facts = dependencies.facts ?? { DeviceFacts.current(pushType: configuration.pushType) }
        dependencies.facts = {
            var facts = facts()
            if let pushType = configuration.pushType { facts.pushType = pushType }
            change(&facts)
            return facts
        }
        dependencies.transport = RecordingTransport(dependencies.transport)
        return try CarillonClient(configuration, dependencies)
    }

    /// A configuration as it is used here.
    package func configuration(_ configuration: CarillonConfiguration) -> CarillonConfiguration {
        var configuration = configuration
        if configuration.appGroup == nil { configuration.appGroup = infoText("CarillonAppGroup") }
        configure(&configuration)
        return configuration
    }
}

/// Neither the app's code nor its Info.plist says where the server is.
package struct MissingServer: Error, CustomStringConvertible {
    package init() {}

    package var description: String {
        "Carillon's server is not known: put CarillonServerURL into Info.plist, or set serverURL before anything else."
    }
}
