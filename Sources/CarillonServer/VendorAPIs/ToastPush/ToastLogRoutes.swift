import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Hummingbird

/// Failed messages and the delivery log: E10 and E11 of the vendor's documentation.
struct ToastLogRoutes: Sendable {
    let log: MessageLog
    let campaigns: Campaigns
    let devices: Devices
    let messages: ToastMessages
    let keyed: ToastAccess

    func declare(_ routes: inout Routes) {
        let path = ToastPath.base
        routes.on(.get, path + "/message-errors", keyed, answersHead: false, recorded: .all, errors)
        routes.on(.get, path + "/logs/message", keyed, answersHead: false, recorded: .all, log)
    }

    // MARK: E10

    @Sendable private func errors(_ call: ToastCall) async throws -> Response {
        let query = call.values
        let page = try ToastPage(number: query)
        let range = try ToastDate.range(query, usual: .seconds(7 * 86_400), now: messages.now)
        let type = try query.word("messageErrorType", ToastCause.Kind.self)
        let cause = query["messageErrorCause"] ?? query["messagErrorCause"]
        let asked = try await failures(query, range, call)
        let rows: [(LoggedMessage, ToastCause)] = try await page.rows { cursor in
            let part = try await log.page(asked, cursor: cursor, limit: 200)
            let found = part.items.compactMap { row -> (LoggedMessage, ToastCause)? in
                guard range.contains(row.at), !campaigns.blamesToken(row.reason ?? "") else { return nil }
                let found = ToastCause(row)
                guard type == nil || found.kind == type, cause == nil || found.cause == cause else { return nil }
                return (row, found)
            }
            return (found, part.nextCursor)
        }
        var errors: [JSONValue] = []
        for (row, cause) in rows { errors.append(try await error(row, cause, call)) }
        return try ToastAnswer.success(["messageErrors": .array(errors)])
    }

    /// What to ask the log: the failures of one message, or of all firings that may have failed in the range.
    private func failures(
        _ query: ToastQuery,
        _ range: Range<Timestamp>,
        _ call: ToastCall
    ) async throws -> MessageLogQuery {
        let found = try await messages.campaign(query, call.app)
        var asked = MessageLogQuery(app: call.app, subject: .everybody, campaign: found?.campaign.id)
        asked.isAboutFailures = true
        if let occurrence = found?.occurrence {
            asked.restrict(to: occurrence)
        } else {
            // Retries end three days after a firing began, at the latest.
            let first = range.lowerBound.advanced(by: .seconds(-3 * 86_400))
            asked.first = OccurrenceID(milliseconds: first.rawValue, sequence: 0)
            asked.end = OccurrenceID(milliseconds: range.upperBound.rawValue + 1, sequence: 0)
        }
        return asked
    }

    private func error(_ row: LoggedMessage, _ cause: ToastCause, _ call: ToastCall) async throws -> JSONValue {
        var error = JSONValue.ids("messageId", row.occurrence.rawValue)
        error["pushType"] = .string(ToastPushType.word(row.pushType))
        error["messageErrorType"] = .string(cause.kind.rawValue)
        error["messageErrorCause"] = .string(cause.cause)
        error["payload"] = .null
        error["createdDateTime"] = ToastDate.text(row.at)
        error["tokens"] = .array(try await tokens(row, call).map(JSONValue.object))
        return .object(error)
    }

    /// The token that a row is about, with its uid; empty when the Device is not there any more.
    private func tokens(_ row: LoggedMessage, _ call: ToastCall) async throws -> [[String: JSONValue]] {
        guard let device = row.device else { return [] }
        return try await devices.tokens(of: device, app: call.app).filter { $0.pushType == row.pushType }.map { token in
            [
                "uid": .text(token.registration.user?.rawValue),
                "token": .string(ToastToken(token.token, tenant: token.registration.tenant).text),
            ]
        }
    }

    // MARK: E11

    @Sendable private func log(_ call: ToastCall) async throws -> Response {
        let query = call.values
        let page = try ToastPage(number: query)
        let type = try query["pushType"].map { try ToastPushType.apple($0, "pushType") }
        let asked = try await logQuery(query, call)
        let rows: [LoggedMessage] = try await page.rows { cursor in
            do {
                let part = try await log.page(asked, cursor: cursor, limit: 200)
                return (part.items.filter { type == nil || $0.pushType == type }, part.nextCursor)
            } catch EngineError.notFound {
                return ([], nil)
            }
        }
        var logs: [JSONValue] = []
        for row in rows { logs.append(try await entry(row, call)) }
        return try ToastAnswer.success([
            "data": .object(["count": .integer(Int64(logs.count)), "logs": .array(logs)])
        ])
    }

    private func logQuery(_ query: ToastQuery, _ call: ToastCall) async throws -> MessageLogQuery {
        let range = try ToastDate.range(query, now: messages.now)
        let found = try await messages.campaign(query, call.app)
        var asked = MessageLogQuery(app: call.app, subject: .everybody, campaign: found?.campaign.id)
        if let text = query["token"] {
            let token = try ToastToken(text, "token")
            let held = try await devices.tokens(token.token, tenant: token.tenant, app: call.app, isTrusted: true)
            guard let device = held.first?.device else { throw ToastFailure(.notFound, "token", text) }
            asked.subject = .device(device)
        } else if let uid = query["uid"] {
            asked.subject = .user(try ToastFields.user(uid, "uid"))
        } else if found == nil {
            throw ToastFailure(.empty, "messageId", problem: "messageId, uid or token is required")
        }
        if let occurrence = found?.occurrence {
            asked.restrict(to: occurrence)
        } else {
            asked.first = OccurrenceID(milliseconds: range.lowerBound.rawValue, sequence: 0)
            asked.end = OccurrenceID(milliseconds: range.upperBound.rawValue + 1, sequence: 0)
        }
        return asked
    }

    /// One notification; all values are texts, as the vendor's log has them.
    private func entry(_ row: LoggedMessage, _ call: ToastCall) async throws -> JSONValue {
        var tokens = try await tokens(row, call)
        for index in tokens.indices { tokens[index]["message"] = row.reason.map(JSONValue.string) }
        let body = JSONValue.object(["tokens": .array(tokens.map(JSONValue.object)), "payload": .null])
        let result =
            switch row.outcome {
            case .accepted: "SENT"
            case .failed where campaigns.blamesToken(row.reason ?? ""): "INVALID_TOKEN"
            case .failed, .expired, .skipped: "ERROR"
            }
        let (number, type) = (String(row.occurrence.rawValue), ToastPushType.word(row.pushType))
        let time = ToastDate.text(row.at)
        return .object([
            "logType": .string("message-result"), "logSource": .string("carillon"), "messageId": .string(number),
            "body": .string(String(decoding: try JSONEncoder.sorted().encode(body), as: UTF8.self)),
            "logTime": time, "sendTime": time, "pushType": .string(type), "searchKey1": .string(number),
            "searchKey2": .string(type), "searchKey3": .string(result), "sentResult": .string(result),
            "host": .string(""), "appkey": .string(call.context.parameter("appkey")), "logVersion": .string("v2"),
            "isNeedStored": .string("false"), "projectName": .string(call.app.description),
            "SinkVersion": .string(""), "projectVersion": .string(""),
        ])
    }
}

extension MessageLogQuery {
    /// Asks about one Occurrence alone.
    mutating func restrict(to occurrence: OccurrenceID) {
        (first, end) = (occurrence, OccurrenceID(rawValue: occurrence.rawValue + 1))
    }
}

/// Why a notification failed, in the vendor's words.
struct ToastCause: Hashable {
    enum Kind: String { case client = "CLIENT_ERROR", external = "EXTERNAL_ERROR", server = "INTERNAL_ERROR" }

    private static let messageReasons: Set = ["PayloadTooLarge", "PayloadEmpty", "BadMessageId", "BadCollapseId"]
    private static let keyReasons: Set = [
        "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden", "InvalidProviderToken",
        "MissingProviderToken", "TopicDisallowed", "BadEnvironmentKeyInToken",
    ]

    var kind: Kind
    var cause: String

    init(_ row: LoggedMessage) {
        let reason = row.reason ?? ""
        switch row.outcome {
        case .expired: (kind, cause) = (.server, "EXPIRED_TIME_OUT")
        case .skipped: (kind, cause) = (.client, "DUPLICATED_MESSAGE_TOKEN")
        case .failed where Self.messageReasons.contains(reason): (kind, cause) = (.client, "INVALID_MESSAGE")
        case .failed where Self.keyReasons.contains(reason): (kind, cause) = (.client, "INVALID_CERTIFICATE")
        case .failed, .accepted: (kind, cause) = (.external, "APNS_ERROR")
        }
    }
}
