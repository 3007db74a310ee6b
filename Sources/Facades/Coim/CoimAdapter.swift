import Carillon
import FacadeSupport
import Foundation

/// The shared state of the facade's static calls.
///
/// Unchecked: `lock` protects `client` and `chosenServer`.
final class CoimAdapter: @unchecked Sendable {
    static var current: CoimAdapter { FacadeDependencies.current.state(CoimAdapter.init) }

    private let dependencies: FacadeDependencies
    private let lock = NSLock()
    private var client: CoimClient?
    private var chosenServer: URL?

    init(_ dependencies: FacadeDependencies) { self.dependencies = dependencies }

    /// The server's URL in the app's code.
    var serverURL: URL? {
        get { locked { chosenServer } }
        set { locked { chosenServer = newValue } }
    }

    /// Reads the Info.plist; once it was valid, does nothing.
    ///
    /// - Throws: ``CoimError`` when it lacks something.
    func start() throws {
        guard locked({ client }) == nil else { return }
        let made = try CoimClient(dependencies, server: serverURL)
        locked { if client == nil { client = made } }
        debug { "initialized, app code \(made.configuration.appCode)" }
    }

    /// The session's token; empty when nobody is logged in.
    var token: String { session?.token ?? "" }

    /// What is known of the person; `nil` before the start, and while the storage cannot be read.
    var session: CoimSessions.Snapshot? { try? locked { client }?.sessions.current() }

    func endSession() { locked { client }?.sessions.end() }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - delegate: Notified on the main thread; kept until then.
    ///   - make: Creates what is sent, on the caller's thread.
    /// - Returns: The call; an invalid one fails on it later, as one that is sent does.
    func begin(_ delegate: AnyObject?, _ make: (CoimClient) throws -> CoimCall) -> CoimConnection {
        let connection = CoimConnection(delegate)
        let made = Result { try make(started()) }
        connection.run { [self] in
            let outcome = await outcome(of: made, connection)
            await deliver(outcome, connection)
        }
        return connection
    }

    /// Writes a line to the console, if the app's Info.plist asks for it: operations and codes, and never parameters or answers.
    func debug(_ line: () -> String) {
        guard locked({ client })?.configuration.isDebugging == true else { return }
        dependencies.console("[DEBUG] - " + line())
    }

    // MARK: - Private

    private typealias Outcome = Result<(call: CoimCall, answer: CoimAnswer), NSError>

    private func started() throws -> CoimClient {
        guard let client = locked({ client }) else { throw CoimError.notInitialized }
        return client
    }

    private func outcome(of made: Result<CoimCall, any Error>, _ connection: CoimConnection) async -> Outcome {
        do {
            let call = try made.get()
            let answer = try await exchange(call, connection)
            guard case .registration(let account) = call.purpose, let id = answer.activation, !connection.isOver else {
                return .success((call, answer))
            }
            // The registration's answer is heard by nobody, its token neither.
            let activation = try started().activation(id, account: account)
            return .success((activation, try await exchange(activation, connection)))
        } catch {
            debug { "failed: \((error as NSError).domain) \((error as NSError).code)" }
            return .failure(error as NSError)
        }
    }

    private func exchange(_ call: CoimCall, _ connection: CoimConnection) async throws -> CoimAnswer {
        debug { "POST \(call.operation)" }
        let answer = try await send(call, connection)
        guard answer.status == 200 else { throw CoimError.status(answer.status) }
        let read = try CoimAnswer(answer.body)
        debug { "\(call.operation): errCode \(CoimAnswer.errCode(read.values))" }
        return read
    }

    private func send(_ call: CoimCall, _ connection: CoimConnection) async throws -> TransportAnswer {
        let transport = try started().transport
        do {
            guard call.reportsProgress else { return try await transport.send(call.request) }
            let progress = CoimProgress(total: call.request.body?.count ?? 0) { percentage in
                connection.notify { CoimDelegateCalls.progress(percentage, $0, connection) }
            }
            progress.sent(0)
            let answer: TransportAnswer
            if let transport = transport as? any UploadTransport {
                answer = try await transport.send(call.request) { progress.sent($0) }
            } else {
                answer = try await transport.send(call.request)
            }
            await progress.finish()
            return answer
        } catch {
            throw CoimError.transport(error)
        }
    }

    @MainActor
    private func deliver(_ outcome: Outcome, _ connection: CoimConnection) {
        defer { connection.finish() }
        // A cancelled login must log nobody in.
        guard !connection.isOver else { return }
        switch outcome {
        case .failure(let error): connection.notify { CoimDelegateCalls.failed(error, $0, connection) }
        case .success((let call, let answer)):
            connection.notify { CoimDelegateCalls.received(answer.data, $0, connection) }
            if changeSession(call, answer) {
                connection.notify { CoimDelegateCalls.invalidToken($0, connection) }
            }
            connection.notify { CoimDelegateCalls.finished(answer.values, $0, connection) }
            connection.notify { CoimDelegateCalls.finished($0, connection) }
        }
    }

    /// - Returns: Whether the token was found invalid.
    private func changeSession(_ call: CoimCall, _ answer: CoimAnswer) -> Bool {
        guard let sessions = locked({ client })?.sessions else { return false }
        switch call.purpose {
        case .registration: return false
        case .operation: return sessions.apply(answer.token, of: call.session)
        case .login(let account):
            return sessions.apply(answer.token, of: call.session, login: answer.isSuccess ? account : nil)
        }
    }

    private func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}
