import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// Writes the actions of callers with an API key to the audit log, before they get their response.
///
/// Recorded are responses 2xx, refusals (401, 403, 404) and server errors, which may have come after the change. Other
/// client errors changed nothing and are left out, and so are replayed responses. Of the calls that apps send through a
/// vendor API without a secret, one a minute of an App and a route is recorded.
struct AuditTrail: Sendable {
    /// Which requests of a route are recorded.
    enum Extent: Sendable {
        case all
        /// Requests whose key is invalid or lacks the scope, since an attacker who tries keys begins with reads; and
        /// those that the handler marks by ``AuditNote/require()``.
        case wrongKeys
    }

    let log: AuditLog
    let address: ClientAddress
    private let wrongKeys = WrongKeyLimiter()
    private let appCalls = AppCallLimiter()

    init(log: AuditLog, address: ClientAddress) {
        self.log = log
        self.address = address
    }

    /// Wraps a route's handler so that its requests are recorded.
    ///
    /// - Parameters:
    ///   - action: Method and route.
    ///   - extent: Which requests are recorded.
    ///   - handler: Answers a request.
    /// - Returns: A handler that writes the entry before it returns.
    func recorded(_ action: String, _ extent: Extent, _ handler: @escaping Routes.Handler) -> Routes.Handler {
        let isVendors = VendorForm(path: String(action.drop { $0 != "/" })) != nil
        return { request, context in
            if isVendors { return try await recordedOfVendor(action, extent, handler, request, context) }
            // Phones have no API key.
            guard request.first(.authorization) != nil else { return try await handler(request, context) }
            let note = AuditNote()
            let object = AuditedObject(context)
            // After the deletion the object's App cannot be looked up.
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
                let isRefusal = status == 403 || note.actor == nil && status == 401
                if extent == .all || note.isRequired || isRefusal {
                    await record(action, object, note, status, nil, request, context)
                }
                throw error
            }
        }
    }

    // MARK: - Private

    /// Records a call of a vendor API: of a back end as of an API key; of apps seldom, since all of their calls would be
    /// as many as there are registrations.
    ///
    /// Who calls is known afterwards: anybody may send a header, and only a secret that was verified counts.
    private func recordedOfVendor(
        _ action: String,
        _ extent: Extent,
        _ handler: Routes.Handler,
        _ request: Request,
        _ context: ServerContext
    ) async throws -> Response {
        let note = AuditNote()
        do {
            let response = try await AuditNote.$current.withValue(note) { try await handler(request, context) }
            let isRecorded =
                note.hasVendorSecret
                ? extent == .all || note.isRequired : note.app.map { appCalls.mayRecord(action, of: $0) } ?? false
            if isRecorded {
                let object = AuditedObject(context)
                await record(action, object, note, response.status.code, response, request, context)
            }
            return response
        } catch {
            let status = Problem(any: error).status
            let isRecorded =
                note.hasVendorSecret
                ? extent == .all || note.isRequired || status == 403
                : note.actor == nil && Self.hasSecret(request) && (extent == .all || status == 401)
            if isRecorded { await record(action, AuditedObject(context), note, status, nil, request, context) }
            throw error
        }
    }

    /// Whether a call of a vendor API claims to come from a back end.
    private static func hasSecret(_ request: Request) -> Bool {
        request.first(.authorization) != nil || request.first(.toastSecret) != nil
            || request.first(.toastAccessSecret) != nil
    }

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
        if note.actor == nil {
            guard wrongKeys.mayRecord(network: address.network(of: request, context)) else { return }
        }
        let made = response?.headers[.location].flatMap { $0.split(separator: "/").last.map(String.init) }
        let id = object.id ?? made
        var app = note.app
        if app == nil, note.actor != nil, let id { app = await log.app(ofObject: id) }
        await log.append(
            AuditRecord(
                actor: note.actor ?? AuditRecord.unknown,
                address: address.of(request, context),
                action: action,
                app: app,
                object: await pseudonym(of: object, app) ?? id,
                status: status,
                at: log.now,
                change: note.change
            )
        )
    }

    /// The pseudonym of a person or Device; without it the entry is still written.
    private func pseudonym(of object: AuditedObject, _ app: AppID?) async -> String? {
        guard let (kind, id) = object.personal, let app else { return nil }
        return (try? await log.pseudonym(kind, id, app: app)) ?? kind
    }
}

/// The object that a path names beside its App: the first parameter; later ones are parts of it.
private struct AuditedObject {
    private static let kinds = [
        "campaign", "template", "audience", "webhook", "statistics", "key", "operator", "node", "tag", "user",
        "device",
    ]
    private static let personalKinds: Set = ["user", "device"]

    /// The id of an object that is no person.
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

    /// Whether a text has the form of an id.
    ///
    /// Nothing else is written: a caller may send any bytes, and a database that changes or refuses some of them would
    /// change or lose entries.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count <= 64
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-")
            }
    }
}

/// Limits the entries that callers without a valid key cause: a burst of three and one a minute by address, a burst of
/// sixty and one a second in all.
private final class WrongKeyLimiter: Sendable {
    private struct Buckets {
        var byNetwork = RateLimiter<String>(rate: 1.0 / 60, burst: 3, capacity: 10_000)
        var all = RateLimiter<Bool>(rate: 1, burst: 60, capacity: 1)
    }

    private let buckets = NIOLockedValueBox(Buckets())

    func mayRecord(network: String) -> Bool {
        buckets.withLockedValue { buckets in
            let now = ContinuousClock.now
            return buckets.byNetwork.consume(network, now: now) == nil && buckets.all.consume(true, now: now) == nil
        }
    }
}

/// Limits the entries of calls that apps send through vendor APIs: one a minute of an App and a route.
private final class AppCallLimiter: Sendable {
    private struct Call: Hashable {
        var app: AppID
        var action: String
    }

    private let calls = NIOLockedValueBox(RateLimiter<Call>(rate: 1.0 / 60, burst: 1, capacity: 10_000))

    func mayRecord(_ action: String, of app: AppID) -> Bool {
        calls.withLockedValue { $0.consume(Call(app: app, action: action), now: ContinuousClock.now) == nil }
    }
}
