import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// Writes what callers with an API key do into the audit log, before they get their answer.
///
/// Recorded are answers 2xx, refusals (401, 403, 404) and faults of the server, which may have come after the change.
/// What the request itself was wrong in changed nothing and is left out, and so is a repetition that was answered from
/// memory.
struct AuditTrail: Sendable {
    /// Which requests of a route are recorded.
    enum Extent: Sendable {
        case all
        /// Those whose key is none or may not do this: whoever tries keys reads first; and what the handler calls
        /// personal by ``AuditNote/require()``.
        case wrongKeys
    }

    let log: AuditLog
    let address: ClientAddress
    private let wrongKeys = WrongKeyLimiter()

    init(log: AuditLog, address: ClientAddress) {
        self.log = log
        self.address = address
    }

    /// A route's handler that is recorded.
    ///
    /// - Parameters:
    ///   - action: Method and route.
    ///   - extent: Which requests.
    ///   - handler: Answers a request.
    /// - Returns: The same, with the entry written when it returns.
    func recorded(_ action: String, _ extent: Extent, _ handler: @escaping Routes.Handler) -> Routes.Handler {
        { request, context in
            // Phones have no API key.
            guard request.first(.authorization) != nil else { return try await handler(request, context) }
            let note = AuditNote()
            let object = AuditedObject(context)
            // What is deleted cannot be asked for its App afterwards.
            if extent == .all, request.method == .delete, let id = object.id, let app = await log.app(ofObject: id) {
                note.set(app)
            }
            do {
                let response = try await AuditNote.$current.withValue(note) { try await handler(request, context) }
                if extent == .all || note.isRequired, response.headers[.idempotencyReplayed] == nil {
                    await record(action, object, note, response.status.code, response, request, context)
                }
                return response
            } catch {
                let status = Problem(any: error).status
                let isRefusal = status == 403 || note.principal == nil && status == 401
                if extent == .all || note.isRequired || isRefusal {
                    await record(action, object, note, status, nil, request, context)
                }
                throw error
            }
        }
    }

    // MARK: - Private

    private func record(
        _ action: String,
        _ object: AuditedObject,
        _ note: AuditNote,
        _ status: Int,
        _ response: Response?,
        _ request: Request,
        _ context: ServerContext
    ) async {
        guard (200..<300).contains(status) || [401, 403, 404].contains(status) || status >= 500 else { return }
        if note.principal == nil {
            guard wrongKeys.mayRecord(network: address.network(of: request, context)) else { return }
        }
        let made = response?.headers[.location].flatMap { $0.split(separator: "/").last.map(String.init) }
        let id = object.id ?? made
        var app = note.app
        if app == nil, note.principal != nil, let id { app = await log.app(ofObject: id) }
        await log.append(
            AuditRecord(
                actor: note.principal?.key.description ?? AuditRecord.unknown,
                address: address.of(request, context),
                action: action,
                app: app,
                object: await pseudonym(of: object, app) ?? id,
                status: status,
                at: log.now
            )
        )
    }

    /// How the log names a person or Device; without its name the entry is still written.
    private func pseudonym(of object: AuditedObject, _ app: AppID?) async -> String? {
        guard let (kind, id) = object.personal, let app else { return nil }
        return (try? await log.pseudonym(kind, id, app: app)) ?? kind
    }
}

/// What a path names beside its App: the first parameter, which is the object; later ones are parts of it.
private struct AuditedObject {
    private static let kinds = [
        "campaign", "template", "audience", "webhook", "statistics", "key", "tag", "user", "device",
    ]
    private static let personalKinds: Set = ["user", "device"]

    /// The id of what is no person.
    var id: String?
    /// A User or Device: kind and id.
    var personal: (kind: String, id: String)?

    init(_ context: ServerContext) {
        for kind in Self.kinds {
            let text = context.parameter(kind)
            guard !text.isEmpty else { continue }
            if Self.personalKinds.contains(kind) {
                personal = (kind, text)
            } else if Self.isID(text) {
                id = text
            }
            return
        }
    }

    /// Whether a text may be an id of ours.
    ///
    /// Nothing else is written: a caller may send any bytes, of which a database changes or refuses some, and with them
    /// the entries of others.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count <= 64
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-")
            }
    }
}

/// Bounds the entries that callers without a key can make: three at once and one a minute by address, sixty at once and
/// one a second in all.
private final class WrongKeyLimiter: Sendable {
    private struct Buckets {
        var byNetwork = RateLimiter<String>(rate: 1.0 / 60, burst: 3, capacity: 10_000)
        var all = RateLimiter<Bool>(rate: 1, burst: 60, capacity: 1)
    }

    private let buckets = NIOLockedValueBox(Buckets())

    func mayRecord(network: String) -> Bool {
        buckets.withLockedValue { buckets in
            let now = ContinuousClock.now
            return buckets.byNetwork.take(network, now: now) == nil && buckets.all.take(true, now: now) == nil
        }
    }
}
