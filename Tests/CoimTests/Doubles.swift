import Carillon
import FacadeSupport
import Foundation
import Testing

@testable import Coim

/// A server of COIMOTION's operations: answers as it is scripted, and remembers what it was asked.
///
/// Unchecked: `lock` protects `requests`.
final class ScriptedServer: Transport, @unchecked Sendable {
    typealias Script = @Sendable (Request) async throws -> TransportAnswer

    struct Request: Sendable {
        let sent: TransportRequest

        /// The path below the app code.
        var operation: String {
            sent.url.path.split(separator: "/").dropFirst().joined(separator: "/")
        }

        /// The body, whose values are texts and numbers.
        var body: [String: String] {
            let object = try? JSONSerialization.jsonObject(with: sent.body ?? Data()) as? [String: Any]
            return (object ?? [:]).mapValues { "\($0)" }
        }

        var token: String? { body["token"] }
    }

    private let script: Script
    private let lock = NSLock()
    private var received: [Request] = []

    init(_ script: @escaping Script) { self.script = script }

    /// Answers each operation with a text, and all others with success.
    convenience init(_ answers: [String: String] = [:]) {
        self.init { .json(answers[$0.operation] ?? Fixtures.ok) }
    }

    var requests: [Request] { lock.withLock { received } }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        let request = Request(sent: request)
        lock.withLock { received.append(request) }
        return try await script(request)
    }
}

extension TransportAnswer {
    static func json(_ text: String, status: Int = 200) -> TransportAnswer {
        TransportAnswer(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }
}

/// Values of an app that outlive its process.
///
/// Unchecked: `lock` protects `values`.
final class Memory: FacadeStorage, @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String: Data] = [:]

    func data(_ name: String) -> Data? { lock.withLock { values[name] } }

    func keep(_ data: Data?, _ name: String) { lock.withLock { values[name] = data } }
}

/// Lines of a console.
///
/// Unchecked: `lock` protects `written`.
final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var written: [String] = []

    var all: [String] { lock.withLock { written } }

    func add(_ line: String) { lock.withLock { written.append(line) } }
}

/// The app's delegate: what it hears, in order.
@MainActor
final class Listener: NSObject, COIMDelegate {
    private(set) var heard: [String] = []
    private(set) var answer: [AnyHashable: Any] = [:]
    private(set) var error: NSError?
    var onInvalidToken: (CoimConnection) -> Void = { _ in }
    private let end = OneShot<Void>()

    nonisolated override init() { super.init() }

    var errCode: Int { coimSDK.getErrCode(answer) }

    var message: String { coimSDK.getMessage(answer) }

    /// Waits until the call is over.
    func finish() async { await end.wait() }

    func coimConnection(_ connection: CoimConnection, didReceiveData data: Data) { add("data") }

    func coimConnection(_ connection: CoimConnection, didFailWithError error: any Error) {
        self.error = error as NSError
        add("error")
        end.complete(())
    }

    func coimConnectionDidFinishLoading(_ connection: CoimConnection, withData responseData: [AnyHashable: Any]) {
        answer = responseData
        add("answer")
    }

    func coimConnectionDidFinishLoading(_ connection: CoimConnection) {
        add("end")
        end.complete(())
    }

    func coimConnectionInvalidToken(_ connection: CoimConnection) {
        // The token is gone already.
        add("invalid token" + coimSDK.getToken())
        onInvalidToken(connection)
    }

    func coimConnection(_ connection: CoimConnection, progress percentage: Float) { add("\(Int(percentage)) %") }

    private func add(_ event: String) { heard.append(MainThread.isCurrent ? event : event + " elsewhere") }
}

/// An app with COIMOTION's SDK on a phone.
struct CoimPhone: Sendable {
    static let info: [String: String] = [
        "coim_app_code": "demoApp", "coim_app_key": "11111111-2222-3333-4444-555555555555",
        "CarillonServerURL": "https://push.example.com",
    ]

    let server: any Transport
    let lines = Lines()
    let dependencies: FacadeDependencies

    /// - Parameters:
    ///   - server: Answers it.
    ///   - memory: What it has stored.
    ///   - languages: The person's.
    ///   - info: Changes of its Info.plist; `NSNull` removes a key.
    init(
        _ server: any Transport = ScriptedServer(),
        memory: any FacadeStorage = Memory(),
        languages: [String] = ["en-US"],
        info: [String: any Sendable] = [:]
    ) {
        self.server = server
        let merged = (Self.info as [String: any Sendable]).merging(info) { $1 }
        let plist = merged.filter { !($0.value is NSNull) }
        dependencies = FacadeDependencies(
            isExtension: false,
            memory: memory,
            info: { plist[$0] },
            languages: { languages },
            console: { [lines] in lines.add($0) },
            dependencies: { _ in Dependencies(transport: server) }
        )
    }

    /// Runs something as the app, on the main thread.
    @discardableResult
    func run<Result: Sendable>(_ body: @MainActor @Sendable () throws -> Result) async rethrows -> Result {
        try await FacadeDependencies.$current.withValue(dependencies) { try await MainActor.run(body: body) }
    }

    /// Initializes the SDK.
    func start() async -> CoimPhone {
        await run { coimSDK.initSDK { #expect($0 == nil) } }
        return self
    }

    /// Makes a call, and waits until it is over.
    @discardableResult
    func call(
        _ listener: Listener = Listener(),
        _ body: @MainActor @Sendable (Listener) -> CoimConnection
    ) async -> Listener {
        await run { _ = body(listener) }
        await listener.finish()
        return listener
    }

    func send(_ operation: String, _ parameters: [String: any Sendable]? = nil) async -> Listener {
        await call { coimSDK.send(to: operation, withParameter: parameters, delegate: $0) }
    }

    func logIn(_ account: String = "alice", _ password: String = "secret") async -> Listener {
        await call {
            coimSDK.login(to: "core/user/login", withParameter: ["accName": account, "passwd": password], delegate: $0)
        }
    }

    var token: String { get async { await run { coimSDK.getToken() } } }
}

/// A place where a request waits until the test lets it go on.
struct Gate: Sendable {
    private let arrived = OneShot<Void>()
    private let opened = OneShot<Void>()

    /// The request's side.
    func pass() async {
        arrived.complete(())
        await opened.wait()
    }

    /// The test's side: waits until the request is there.
    func arrival() async { await arrived.wait() }

    func open() { opened.complete(()) }
}
