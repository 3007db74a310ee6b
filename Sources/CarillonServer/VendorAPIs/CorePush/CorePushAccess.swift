import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird

/// Callers of CORE PUSH's API: apps with the config key in the form, back ends with the secret as well.
///
/// The vendor has no secret. The config key ships inside every app, so here it does not suffice to send.
struct CorePushAccess: RouteAccess {
    let vendorAPIs: VendorAPIs
    /// Whether the secret is required; without, the config key alone is accepted too.
    let requiresSecret: Bool
    /// Maximum size of the form in bytes.
    let limit: Int

    var text: String { requiresSecret ? "corepush: secret" : "corepush: config key" }
    var ignoresUnknownNames: Bool { true }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> CorePushCall {
        let secret = request.corePushSecret
        // Before anything is read: bodies of back ends are large.
        if requiresSecret, secret == nil {
            throw CorePushFailure(403, "Send the secret, as the password of Authorization: Basic or as X-Secret-Key.")
        }
        if secret != nil { try credentials.checkSecrets(request, context) }
        var reader = try FormReader(request, upTo: limit)
        guard let key = try await reader.head().text("config_key") else {
            let problem = "must come within the first \(FormReader.headLimit) bytes"
            throw CorePushFailure("config_key", reader.isComplete ? "is required" : problem)
        }
        let found = try await credentials.vendorAPI(.corepush, key: key, of: vendorAPIs, request, context)
        guard let api = found else { throw CorePushFailure(401, "config_key is of no App.") }
        if let secret {
            guard try credentials.accepts(secret: secret, of: api, request, context) else {
                throw CorePushFailure(401, "The secret is wrong.")
            }
            // What apps may call as well is recorded for back ends alone.
            if !requiresSecret { AuditNote.current?.require() }
        } else {
            AuditNote.current?.set(api, hasSecret: false)
            try credentials.limiter.count(api.app)
        }
        // Only who has the secret may send more than the beginning.
        let form = try await reader.form()
        guard try form.text("config_key") == key else { throw CorePushFailure("config_key", "must be there once") }
        return CorePushCall(
            request: request,
            context: context,
            app: api.app,
            form: form,
            isKeyed: secret != nil,
            credentials: credentials
        )
    }
}

/// An authorized call of CORE PUSH's API.
struct CorePushCall: RouteCall {
    let request: Request
    let context: ServerContext
    let app: AppID
    let form: PHPForm
    /// Whether the caller has the secret.
    let isKeyed: Bool
    let credentials: Credentials

    /// Counts a read by an app as a registration of its address.
    ///
    /// - Throws: 429 when the address has too many.
    func limitRead() throws {
        guard !isKeyed else { return }
        try credentials.limitRegistration(app, request, context)
    }

    /// Counts a change by an app as a registration of its address, and one of a token.
    ///
    /// - Throws: 429 when the address or the token has too many.
    func limitChange(of token: DeviceToken) throws {
        guard !isKeyed else { return }
        try credentials.limitRegistration(app, request, context)
        let device = DeviceID(vendorID: token.hexadecimal, tenant: "", app: app, api: .corepush)
        try credentials.limiter.count(DeviceCaller(app: app, device: device, secret: nil))
    }

    /// Acquires a place for an expensive request.
    ///
    /// - Returns: The place, to be held while the store works; `nil` without a limit.
    /// - Throws: 429 when all places are in use.
    func acquireCostly() throws -> Places<AppID>.Place? { try credentials.limiter.acquireCostly(app) }

    /// A text of the form that must be there.
    func required(_ name: String) throws -> String {
        guard let text = try form.text(name) else { throw CorePushFailure(name, "is required") }
        return text
    }

    /// A whole number of the form.
    func number(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = try form.text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CorePushFailure(name, "must be \(range.lowerBound) through \(range.upperBound)")
        }
        return number
    }

    /// `send_date`, in Japan's time.
    func sendDate() throws -> Timestamp? {
        guard let text = try form.text("send_date") else { return nil }
        guard let time = CorePushTime.time(text) else {
            throw CorePushFailure("send_date", "must be a time such as 2026-12-24 09:30:00, in Japan's time")
        }
        return time
    }

    /// The platform of a history; there is one for both.
    func checkConfigType() throws {
        guard ["1", "2"].contains(try form.text("config_type")) else {
            throw CorePushFailure("config_type", "must be 1 or 2")
        }
    }
}

extension Request {
    /// The secret: the password of `Authorization: Basic` (RFC 7617), or `X-Secret-Key`; empty when there is a field
    /// that has none.
    fileprivate var corePushSecret: String? {
        guard let value = first(.authorization) else { return first(.toastSecret) }
        guard value.utf8.count <= 512, value.lowercased().hasPrefix("basic "),
            let bytes = Data(base64Encoded: value.dropFirst(6).trimmingCharacters(in: .whitespaces)),
            let pair = String(validating: bytes, as: UTF8.self), let colon = pair.firstIndex(of: ":")
        else { return "" }
        return String(pair[pair.index(after: colon)...])
    }
}

/// Times as the vendor writes them: `2026-12-24 09:30:00`, in Japan's time, which has had no other offset since 1951.
enum CorePushTime {
    private static let offset = Duration.seconds(9 * 3_600)

    static func text(_ time: Timestamp) -> String {
        let shifted = time.advanced(by: offset).description
        return String(shifted.prefix(19)).replacing("T", with: " ")
    }

    /// Parses a time; `nil` for anything else.
    static func time(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 19, parts.count == 2 else { return nil }
        return Timestamp("\(parts[0])T\(parts[1])+09:00")
    }
}
