import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Hummingbird

/// Launches, attributes and the push key; the vendor publishes none of these forms, so the names are Carillon's own.
struct CorePushOtherRoutes: Sendable {
    let events: Events
    let attributes: Attributes
    let apps: Apps
    let open: CorePushAccess
    let asking: CorePushAccess

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/launch_regist.php", open, launch)
        routes.on(.post, "/user_attribute_regist.php", asking, setAttributes)
        routes.on(.post, "/iphone_certificate_expiry.php", asking, recorded: .wrongKeys, expiry)
    }

    /// Counts a launch of a phone that got the push; a second report of the same one succeeds and counts nothing.
    @Sendable private func launch(_ call: CorePushCall) async throws -> Response {
        let text = try call.required("device_token")
        guard let token = DeviceToken(hexadecimal: text) else {
            throw CorePushFailure("device_token", "must be hexadecimal digits")
        }
        guard let push = OccurrenceID(try call.required("push_id")) else {
            throw CorePushFailure("push_id", "must be the one of the payload")
        }
        try call.limitChange(of: token)
        var report = LaunchReport(token: token, occurrence: push)
        report.action = try call.form.text("action_key")
        if let action = report.action, action.count > 64 {
            throw CorePushFailure("action_key", "must have at most 64 characters")
        }
        if let place = try CorePushPlace(call.form) {
            (report.latitude, report.longitude) = (place.latitude, place.longitude)
        }
        do {
            _ = try await events.record(report, app: call.app)
        } catch EngineError.notFound {
            throw CorePushFailure("push_id", "is of no push that was sent to this device_token")
        }
        return try CorePushAnswer.success()
    }

    /// Sets attributes of a user: a JSON object, or PHP's `attributes[name]`.
    @Sendable private func setAttributes(_ call: CorePushCall) async throws -> Response {
        let user = try CorePushUser.user(try call.required("app_user_id"), "app_user_id")
        guard let members = try call.object("attributes") else { throw CorePushFailure("attributes", "is required") }
        let change = UserAttributes(attributes: members)
        do throws(FieldError) {
            try change.validate()
        } catch {
            throw CorePushFailure(error.field, error.problem)
        }
        _ = try await attributes.apply(change, to: user, app: call.app)
        return try CorePushAnswer.success()
    }

    /// A push key does not expire, unlike a certificate.
    @Sendable private func expiry(_ call: CorePushCall) async throws -> Response {
        let key = try await apps.pushKeyRecord(call.app)
        return try CorePushAnswer.success([
            "results": .object([
                "expires": .string(key.expires ? "1" : "0"), "expiry_date": .null, "key_id": .string(key.keyID),
                "reg_date": .string(CorePushTime.text(key.updatedAt)),
                "message": .string("A push key does not expire: it is valid until it is revoked at Apple."),
            ])
        ])
    }
}

extension CorePushCall {
    /// An object of the form; `nil` when it is missing.
    fileprivate func object(_ name: String) throws -> [String: JSONValue]? {
        let value: JSONValue?
        switch form[name] {
        case nil: return nil
        case .array(let array)?: value = try JSONValue(.array(array), name)
        case .text(let bytes)?:
            do throws(JSONSyntax.Failure) {
                try JSONSyntax.check(bytes)
            } catch {
                throw CorePushFailure(name, "must be JSON: at byte \(error.offset) \(error.problem)")
            }
            value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        }
        guard let members = value?.object else { throw CorePushFailure(name, "must be an object") }
        return members
    }
}
