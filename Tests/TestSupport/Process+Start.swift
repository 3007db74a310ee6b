package import Foundation

extension Process {
    private static let startLock = NSLock()

    /// Starts the program; programs start one after the other.
    ///
    /// Foundation collects the descriptors that the new process must not inherit and then creates it, so that two starts
    /// at the same time hand each other's pipes on: a reader then waits for the end of a program that is not its own.
    ///
    /// - Throws: What `run()` throws when the program cannot be started.
    package func start() throws {
        try Self.startLock.withLock { try run() }
    }
}
