package import Carillon
package import Foundation

/// The dependencies of a facade: the Info.plist, a factory of the SDK's client, and a small storage.
///
/// The vendors' calls are static, so their state is too: ``state(_:)`` of the current dependencies has it. Tests give
/// each phone dependencies of its own by the task-local value.
///
/// Unchecked: `lock` protects `states`; the rest never changes.
package final class FacadeDependencies: @unchecked Sendable {
    /// Changes what a Device reports about itself.
    package typealias FactsChange = @Sendable (inout DeviceFacts) -> Void

    @TaskLocal package static var current = FacadeDependencies()

    /// Whether this process is a service extension: it has no app to launch.
    package let isExtension: Bool
    package let memory: any FacadeStorage
    /// The failures of requests that belong to no call of a facade.
    package let failures = RecordedFailures()
    /// The person's languages as BCP 47 tags, preferred ones first.
    package let languages: @Sendable () -> [String]
    /// Writes a line to the console.
    package let console: @Sendable (String) -> Void
    private let info: @Sendable (String) -> Any?
    private let dependencies: @Sendable (CarillonConfiguration) -> Dependencies
    private let configure: @Sendable (inout CarillonConfiguration) -> Void
    private let lock = NSLock()
    private var states: [ObjectIdentifier: AnyObject] = [:]

    /// - Parameters:
    ///   - isExtension: Whether this process is a service extension; determined by its bundle when missing.
    ///   - memory: Stores small values across launches.
    ///   - info: Looks a key up in the Info.plist.
    ///   - languages: The person's languages, preferred ones first.
    ///   - console: Writes a line to the console.
    ///   - configure: Changes a configuration before it is used.
    ///   - dependencies: Creates the dependencies of a client.
    package init(
        isExtension: Bool = Bundle.main.bundlePath.hasSuffix(".appex"),
        memory: any FacadeStorage = FacadeFile(),
        info: @escaping @Sendable (String) -> Any? = { Bundle.main.object(forInfoDictionaryKey: $0) },
        languages: @escaping @Sendable () -> [String] = { Locale.preferredLanguages },
        console: @escaping @Sendable (String) -> Void = { NSLog("%@", $0) },
        configure: @escaping @Sendable (inout CarillonConfiguration) -> Void = { _ in },
        dependencies: @escaping @Sendable (CarillonConfiguration) -> Dependencies = { _ in Dependencies() }
    ) {
        self.isExtension = isExtension
        self.memory = memory
        self.info = info
        self.languages = languages
        self.console = console
        self.configure = configure
        self.dependencies = dependencies
    }

    /// A facade's state in these dependencies.
    ///
    /// - Parameter make: Creates it the first time.
    /// - Returns: The same object each time.
    package func state<State: AnyObject>(_ make: (FacadeDependencies) -> State) -> State {
        lock.lock()
        defer { lock.unlock() }
        if let state = states[ObjectIdentifier(State.self)] as? State { return state }
        let state = make(self)
        states[ObjectIdentifier(State.self)] = state
        return state
    }

    /// A value in the Info.plist, of any type.
    package func infoValue(_ key: String) -> Any? { info(key) }

    /// A text in the Info.plist by nested keys.
    ///
    /// - Parameter path: The keys, outermost first.
    /// - Returns: The text; `nil` when there is none.
    package func infoText(_ path: String...) -> String? {
        guard let first = path.first else { return nil }
        var value = info(first)
        for name in path.dropFirst() { value = (value as? [String: Any])?[name] }
        return value as? String
    }

    /// The URL of the server.
    ///
    /// - Parameter chosen: The URL in the app's code; `CarillonServerURL` of the Info.plist when missing.
    /// - Returns: The URL.
    /// - Throws: ``MissingServer`` when there is neither.
    package func server(_ chosen: URL?) throws(MissingServer) -> URL {
        if let chosen { return chosen }
        guard let text = infoText("CarillonServerURL"), let url = URL(string: text) else { throw MissingServer() }
        return url
    }

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: The server's URL and the App's key.
    ///   - change: Overrides what the phone reports.
    /// - Returns: The client.
    /// - Throws: ``CarillonError`` when the configuration is invalid.
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
        dependencies.transport = RecordingTransport(dependencies.transport, failures)
        return try CarillonClient(configuration, dependencies)
    }

    /// Creates what sends requests that are not those of the SDK's client.
    ///
    /// - Parameter configuration: The server's URL and the App's key.
    /// - Returns: A transport of its own.
    package func transport(_ configuration: CarillonConfiguration) -> any Transport {
        dependencies(self.configuration(configuration)).transport ?? URLSessionTransport()
    }

    /// The effective configuration.
    package func configuration(_ configuration: CarillonConfiguration) -> CarillonConfiguration {
        var configuration = configuration
        if configuration.appGroup == nil { configuration.appGroup = infoText("CarillonAppGroup") }
        configure(&configuration)
        return configuration
    }
}

/// Neither the app's code nor its Info.plist has the server's URL.
package struct MissingServer: Error, CustomStringConvertible {
    package init() {}

    package var description: String {
        "The URL of Carillon's server is missing: add CarillonServerURL to Info.plist, or set serverURL before anything else."
    }
}
