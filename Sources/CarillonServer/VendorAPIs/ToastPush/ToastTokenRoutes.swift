import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Tokens: E1 through E6 of the vendor's documentation.
struct ToastTokenRoutes: Sendable {
    let devices: Devices
    let users: Users
    let campaigns: Campaigns
    let messages: ToastMessages
    let open: ToastAccess
    let keyed: ToastAccess

    func declare(_ routes: inout Routes) {
        let path = ToastPath.base
        routes.on(.post, path + "/tokens", open, recorded: .wrongKeys, register)
        routes.on(.get, path + "/tokens-by-cursor", keyed, answersHead: false, recorded: .all, list)
        routes.on(.get, path + "/tokens/{token}", open, answersHead: false, show)
        routes.on(.get, path + "/tokens", keyed, answersHead: false, recorded: .all, listOfUser)
        routes.on(.delete, path + "/tokens/{token}", open, recorded: .wrongKeys, remove)
        routes.on(.get, path + "/invalid-tokens", keyed, answersHead: false, recorded: .all, listInvalid)
    }

    // MARK: E1

    @Sendable private func register(_ call: ToastCall) async throws -> Response {
        let registration = try Self.registration(try await call.fields())
        try call.limitChange(of: registration.token.hexadecimal)
        let result = try await devices.register(registration, app: call.app, api: .toast, isTrusted: call.isKeyed)
        if case .limited(let delay) = result {
            var failure = ToastFailure(.maximumExceeded, problem: "the App gets too many new devices")
            failure.retryAfter = String(delay.components.seconds + 1)
            throw failure
        }
        return try ToastAnswer.success()
    }

    private static let locale = DeviceLocale()

    private static func registration(_ fields: ToastFields) throws -> TokenRegistration {
        guard let text = try fields.text("token") else { throw fields.failure(.empty, "token") }
        let token = try ToastToken(text, "token")
        guard let word = try fields.text("pushType") else { throw fields.failure(.empty, "pushType") }
        let user = try fields.text("uid").map { try ToastFields.user($0, "uid") }
        guard let user else { throw fields.failure(.empty, "uid") }
        var registration = TokenRegistration(
            token: token.token,
            pushType: try ToastPushType.apple(word, "pushType"),
            user: user,
            consent: Consent(
                notifications: try fields.flag("isNotificationAgreement"),
                ads: try fields.flag("isAdAgreement"),
                nightAds: try fields.flag("isNightAdAgreement")
            )
        )
        registration.tenant = token.tenant
        registration.oldToken = try fields.text("oldToken").map { try ToastToken($0, "oldToken").token }
        registration.timeZone = try fields.required("timezoneId", 64)
        if let problem = registration.timeZone.flatMap(locale.problem(ofZone:)) {
            throw ToastFailure(.invalid, "timezoneId", registration.timeZone, problem: problem)
        }
        registration.country = try fields.required("country", 3)
        guard registration.country?.count ?? 0 >= 2 else { throw fields.failure(.invalid, "country") }
        registration.language = try fields.required("language", 8)
        if let problem = registration.language.flatMap(locale.problem(ofLanguage:)) {
            throw ToastFailure(.invalid, "language", registration.language, problem: problem)
        }
        if fields.version >= .v23 || fields["deviceId"] != nil {
            registration.vendorDeviceID = try fields.required("deviceId", 36)
        }
        return registration
    }

    // MARK: E2, E3, E4

    @Sendable private func list(_ call: ToastCall) async throws -> Response {
        let query = call.values
        let limit = try query.number("limit", 1_000, 1...1_000)
        var position: TokenPosition?
        switch (query["cursorUid"], query["cursorToken"]) {
        case (nil, nil): break
        case (let uid?, let text?):
            let token = try ToastToken(text, "cursorToken")
            let user = try ToastFields.user(uid, "cursorUid")
            position = TokenPosition(user: user, token: token.token, tenant: token.tenant)
        case (nil, _): throw ToastFailure(.empty, "cursorUid")
        case (_, nil): throw ToastFailure(.empty, "cursorToken")
        }
        let tokens = try await devices.tokens(app: call.app, after: position, limit: limit)
        return try ToastAnswer.success(["tokens": .array(tokens.map { Self.record($0, call.version) })])
    }

    @Sendable private func show(_ call: ToastCall) async throws -> Response {
        let text = call.context.parameter("token")
        let token = try ToastToken(text, "token")
        let type = try ToastPushType.apple(try call.values.required("pushType"), "pushType")
        try call.limitRead()
        let found = try await devices.tokens(token.token, tenant: token.tenant, app: call.app, isTrusted: call.isKeyed)
        guard let record = found.first(where: { $0.pushType == type }) else {
            throw ToastFailure(.notFound, "token", text)
        }
        return try ToastAnswer.success(["token": Self.record(record, call.version)])
    }

    @Sendable private func listOfUser(_ call: ToastCall) async throws -> Response {
        let user = try ToastFields.user(try call.values.required("uid"), "uid")
        let tokens = try await devices.tokens(of: user, app: call.app)
        return try ToastAnswer.success(["tokens": .array(tokens.reversed().map { Self.record($0, call.version) })])
    }

    private static func record(_ token: RegisteredToken, _ version: ToastVersion) -> JSONValue {
        let (registration, times) = (token.registration, token.consentTimes)
        var record: [String: JSONValue] = [
            "pushType": .string(ToastPushType.word(token.pushType)),
            "isNotificationAgreement": .bool(registration.consent.notifications),
            "isAdAgreement": .bool(registration.consent.ads),
            "isNightAdAgreement": .bool(registration.consent.nightAds),
            "timezoneId": .text(registration.timeZone), "country": .text(registration.country),
            "language": .text(registration.language), "uid": .text(registration.user?.rawValue),
            "token": .string(ToastToken(token.token, tenant: registration.tenant).text),
            "adAgreementDateTime": ToastDate.text(times.ads),
            "nightAdAgreementDateTime": ToastDate.text(times.nightAds),
        ]
        let time = ToastDate.text(token.registeredAt)
        if version <= .v21 { record["updateDateTime"] = time }
        if version >= .v23 { record["updatedDateTime"] = time }
        guard version >= .v21 else { return .object(record) }
        record["deviceId"] = .string(token.vendorDeviceID ?? token.device.description.uppercased())
        record["activatedDateTime"] = time
        return .object(record)
    }

    // MARK: E5

    @Sendable private func listInvalid(_ call: ToastCall) async throws -> Response {
        let query = call.values
        let page = try ToastPage(index: query)
        let range = try ToastDate.range(query, now: messages.now)
        let found = try await messages.campaign(query, call.app)
        guard found?.isOneOfSeveral != true else {
            throw ToastFailure(
                .invalid,
                "messageId",
                query["messageId"],
                problem: "dead tokens are kept by reservation: send the reservationId"
            )
        }
        let campaign = found?.campaign.id
        let rows = try await page.rows { cursor in
            let part = try await users.invalidTokens(
                app: call.app,
                campaign: campaign,
                from: range.lowerBound,
                until: range.upperBound,
                after: cursor.flatMap(InvalidTokenQuery.Position.init(text:)),
                limit: 100,
                showsTokens: true
            )
            return (part.items, part.nextCursor)
        }
        let numbers = try await messages.numbers(of: rows.compactMap(\.campaign), app: call.app)
        let tokens = rows.map { row in
            var record: [String: JSONValue] = [
                "uid": .text(row.user?.rawValue), "pushType": .string(ToastPushType.word(row.pushType)),
                "token": .text(row.token.map { ToastToken($0, tenant: row.tenant).text }),
                "createdDateTime": ToastDate.text(row.at),
            ]
            if let number = row.campaign.flatMap({ numbers[$0] }) {
                record.merge(JSONValue.ids("messageId", number)) { $1 }
            }
            return JSONValue.object(record)
        }
        return try ToastAnswer.success(["invalidTokens": .array(tokens)])
    }

    // MARK: E6

    @Sendable private func remove(_ call: ToastCall) async throws -> Response {
        let text = call.context.parameter("token")
        let token = try ToastToken(text, "token")
        let type = try call.values["pushType"].map { try ToastPushType.apple($0, "pushType") }
        try call.limitChange(of: token.token.hexadecimal)
        let removal = TokenRemoval(
            app: call.app,
            token: token.token,
            tenant: token.tenant,
            pushType: type,
            isTrusted: call.isKeyed
        )
        try await ToastFailure.naming("token", text) { try await devices.remove(removal) }
        return try ToastAnswer.success()
    }
}

extension JSONValue {
    /// A text, or null.
    static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
