package import CarillonModel
import Foundation
import NIOConcurrencyHelpers

/// Hashes and verifies passwords on threads of its own, few at a time.
///
/// A hash takes a core for tens of milliseconds and megabytes of memory. Requests wait in a bounded queue; further ones
/// are refused at once, so that a flood of sign-ins takes neither the event loops nor the memory. One App has at most
/// half of the places, and one address a quarter: who sends wrong passwords leaves places to others.
package final class PasswordHasher: Sendable {
    /// The settings.
    package struct Options: Sendable {
        /// What new hashes cost.
        package var parameters = PasswordHash.Parameters.standard
        /// How many hashes are made at a time: half of the cores, 1 through 8, since each takes 16 MiB.
        package var concurrency = min(max(1, ProcessInfo.processInfo.activeProcessorCount / 2), 8)
        /// How many requests wait at most.
        package var queueLength = 64

        package init() {}

        /// Passwords of Operators: N is 2¹⁷, which takes 128 MiB and about 0.4 s, so that two are hashed at a time.
        package static var operators: Options {
            var options = Options()
            options.parameters = PasswordHash.Parameters(logRounds: 17, blockSize: 8, parallelism: 1)
            options.concurrency = min(2, options.concurrency)
            options.queueLength = 30
            return options
        }
    }

    /// A place in the queue, to be held while the password is hashed.
    package struct Place: Sendable {
        fileprivate let ofApp: Places<AppID>.Place
        /// `nil` for operators.
        fileprivate let ofNetwork: Places<String>.Place?
    }

    /// What was found out about a password.
    package enum Finding: Hashable, Sendable {
        case wrong
        case correct
        /// It is correct, and its hash was made anew with the parameters of now.
        case rehashed(PasswordHash)
    }

    package let options: Options
    private let random: RandomBytes
    private let places: Places<AppID>
    private let networkPlaces: Places<String>
    private let queue: OperationQueue
    private let made = NIOLockedValueBox(0)
    /// Nobody's: an unknown name costs as much time as a known one.
    private let decoy: PasswordHash?

    /// Creates the threads' queue.
    ///
    /// - Parameters:
    ///   - options: The settings.
    ///   - random: Generates salts.
    package init(_ options: Options = Options(), random: RandomBytes = .system) {
        self.options = options
        self.random = random
        let total = options.concurrency + options.queueLength
        places = Places(total: total, perKey: max(1, total / 2))
        networkPlaces = Places(perKey: max(1, total / 4))
        queue = OperationQueue()
        queue.name = "carillon.passwords"
        queue.maxConcurrentOperationCount = options.concurrency
        let header = [1, options.parameters.logRounds, options.parameters.blockSize, options.parameters.parallelism]
        decoy = PasswordHash(bytes: header + random(PasswordHash.saltByteCount + 32))
    }

    /// The number of requests that wait or are being hashed.
    package var count: Int { places.count }

    /// How many hashes were made since the start, those of comparisons among them.
    package var hashCount: Int { made.withLockedValue { $0 } }

    /// Takes a place in the queue.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - network: The caller's address; `nil` for operators, who are not counted by it.
    /// - Returns: The place, to be held while the password is hashed.
    /// - Throws: ``AccountRefusal/busy`` when none is free.
    package func enter(_ app: AppID, network: String? = nil) throws(EngineError) -> Place {
        do {
            return Place(
                ofApp: try places.acquire(app),
                ofNetwork: try network.map(networkPlaces.acquire)
            )
        } catch {
            throw .account(.busy)
        }
    }

    /// Takes a place for the password of an Operator, whose Apps do not matter: half of the places, as for an App.
    ///
    /// - Parameter network: The caller's address.
    /// - Returns: The place, to be held while the password is hashed.
    /// - Throws: ``AccountRefusal/busy`` when none is free.
    package func enter(network: String) throws(EngineError) -> Place {
        try enter(AppID(rawValue: 0), network: network)
    }

    /// Hashes a new password.
    package func hash(_ password: some ScryptInput, _ place: Place) async throws(EngineError) -> PasswordHash {
        let (salt, parameters) = (random(PasswordHash.saltByteCount), options.parameters)
        return try await run(place) { try PasswordHash(password, salt: salt, parameters: parameters) }
    }

    /// Verifies a password.
    ///
    /// - Parameters:
    ///   - password: The password; `nil` is never right.
    ///   - hash: The stored hash; `nil` when there is none, which takes as long.
    ///   - place: The place in the queue.
    /// - Returns: What was found out.
    /// - Throws: ``AccountRefusal/busy`` when there is no memory for it.
    package func verify(
        _ password: some ScryptInput,
        _ hash: PasswordHash?,
        _ place: Place
    ) async throws(EngineError) -> Finding {
        let (salt, parameters) = (random(PasswordHash.saltByteCount), options.parameters)
        guard let tried = hash ?? decoy else { return .wrong }
        return try await run(place) { [made] in
            let isRight = try tried.matches(password)
            guard isRight, hash != nil else { return .wrong }
            guard tried.parameters != parameters else { return .correct }
            made.withLockedValue { $0 += 1 }
            return .rehashed(try PasswordHash(password, salt: salt, parameters: parameters))
        }
    }

    private func run<Value: Sendable>(
        _ place: Place,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(EngineError) -> Value {
        made.withLockedValue { $0 += 1 }
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            queue.addOperation { continuation.resume(returning: Result(catching: work)) }
        }
        withExtendedLifetime(place) {}
        switch result {
        case .success(let value): return value
        // Nothing but memory can be missing: the parameters are checked.
        case .failure: throw .account(.busy)
        }
    }
}
