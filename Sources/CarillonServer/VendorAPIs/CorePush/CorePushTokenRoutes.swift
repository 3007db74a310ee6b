import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Tokens: registration and removal, one by one as phones do, and many at once as a back end does.
struct CorePushTokenRoutes: Sendable {
    let devices: Devices
    let metrics: ServerMetrics
    let clock: any WallClock
    let open: CorePushAccess
    let keyed: CorePushAccess

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/iphone_token_regist.php", open, change)
        routes.on(.post, "/iphone_tokens_regist.php", keyed, changeAll)
        routes.on(.post, "/android_token_regist.php", open) { _ in throw CorePushFailure.noAndroid }
    }

    @Sendable private func change(_ call: CorePushCall) async throws -> Response {
        let change = try CorePushRegistration(call.form, now: clock.now())
        try call.limitChange(of: change.registration.token)
        try await apply(change, call)
        return try CorePushAnswer.success()
    }

    /// Changes many tokens; the answer lists those that failed, which does not stop the others.
    @Sendable private func changeAll(_ call: CorePushCall) async throws -> Response {
        let elements = try call.elements()
        var failures: [JSONValue] = []
        for element in elements {
            do {
                try await apply(try CorePushRegistration(element, standard: .register, now: clock.now()), call)
            } catch let error as EngineError {
                // A store that fails once will fail for the rest as well.
                if case .store = error { throw error }
                failures.append(Self.failure(element, error))
            } catch let error as CorePushFailure {
                failures.append(Self.failure(element, error))
            }
        }
        return try CorePushAnswer.success([
            "results": .object([
                "succeeded": .string(String(elements.count - failures.count)),
                "failed": .string(String(failures.count)), "failures": .array(failures),
            ])
        ])
    }

    private static func failure(_ element: CorePushElement, _ error: any Error) -> JSONValue {
        .object([
            "index": .string(String(element.index)), "message": .string(CorePushFailure(any: error).message),
        ])
    }

    /// The registration, with the last position where the phone tells none.
    private func located(_ change: CorePushRegistration, _ app: AppID) async throws -> TokenRegistration {
        guard change.keepsLocation else { return change.registration }
        var registration = change.registration
        let (token, type) = (registration.token, registration.pushType)
        let held = try await devices.tokens(token, tenant: nil, app: app, isTrusted: true)
        registration.location = held.first { $0.pushType == type }?.registration.location
        return registration
    }

    private func apply(_ change: CorePushRegistration, _ call: CorePushCall) async throws {
        let registration = try await located(change, call.app)
        switch change.mode {
        case .register:
            let result = try await devices.register(
                registration,
                app: call.app,
                api: .corepush,
                isTrusted: call.isKeyed
            )
            switch result {
            case .created: metrics.add(1, to: .created)
            case .updated: metrics.add(1, to: .updated)
            case .limited(let delay):
                metrics.add(1, to: .limited)
                throw call.credentials.limiter.refuse(delay, .registration, "The App gets too many new Devices.")
            }
        case .remove:
            let removal = TokenRemoval(
                app: call.app,
                token: registration.token,
                tenant: nil,
                pushType: nil,
                isTrusted: call.isKeyed
            )
            do {
                try await devices.remove(removal)
            } catch EngineError.notFound {
                // A token that is gone is what the caller wants.
            }
        }
    }
}

extension CorePushFailure {
    /// There is no sender for Android.
    static let noAndroid = CorePushFailure(
        422,
        "Carillon sends to iPhones only: it has no sender for Android yet. Keep the vendor, or another service, for Android."
    )
}
