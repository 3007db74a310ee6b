import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addDevices(to router: Router<Context>) {
        addTokens(to: router)
        addFates(to: router)
    }

    private func addTokens(to router: Router<Context>) {
        router.post("/tokens") { request, context in
            let order = try await request.readStrictly(context: context, TokensOrder.init(reading:))
            return try translated { () throws(SimulatorHandle.Failure) in
                TokensAnswer(
                    tokens: try handle.issueTokens(
                        topic: order.topic,
                        environment: order.environment,
                        count: order.count,
                        isOffline: order.isOffline
                    )
                )
            }
        }
        router.get("/tokens/:token") { _, context in
            let token = try context.parameters.require("token")
            let report = try translated { () throws(SimulatorHandle.Failure) in try handle.phone(token) }
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: report.json))
            )
        }
    }

    /// Adds the operations that change a token's state.
    private func addFates(to router: Router<Context>) {
        router.post("/tokens/:token/expire") { request, context in
            let token = try context.parameters.require("token")
            let (timestamp, reason) = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                let timestamp = try fields.time("timestamp")
                let reason: TokenEnd? = try fields.choice("reason")
                return (timestamp, reason)
            }
            try translated { () throws(SimulatorHandle.Failure) in
                try handle.expire(token, timestamp: timestamp, isExpiry: reason == .expired)
            }
            return HTTPResponse.Status.noContent
        }
        router.post("/tokens/:token/register") { _, context in
            let token = try context.parameters.require("token")
            try translated { () throws(SimulatorHandle.Failure) in try handle.register(token) }
            return HTTPResponse.Status.noContent
        }
    }

    /// Maps a control's failure to an HTTP error.
    func translated<Value>(_ body: () throws(SimulatorHandle.Failure) -> Value) throws -> Value {
        do throws(SimulatorHandle.Failure) {
            return try body()
        } catch {
            switch error {
            case .malformedToken, .badCertificateOrder: throw HTTPError(.badRequest, message: error.description)
            case .unknownListener: throw HTTPError(.notFound, message: handle.unknownListener)
            case .unknownToken, .unknownFeed, .unknownConnection, .unknownChannel:
                throw HTTPError(.notFound, message: error.description)
            case .full: throw HTTPError(.insufficientStorage, message: error.description)
            }
        }
    }
}

/// The body of `POST /tokens`.
private struct TokensOrder {
    var topic: String?
    var environment: PushEnvironment?
    var count: Int
    var isOffline: Bool

    init(reading fields: inout StrictFields) throws(FieldProblem) {
        topic = try fields.text("topic", bytes: 1...255)
        environment = try fields.choice("environment")
        count = try fields.integer("count", 1...100_000) ?? 1
        isOffline = !(try fields.flag("online") ?? true)
    }
}

extension HTTPResponse.Status {
    fileprivate static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension PhoneReport {
    /// The report as JSON, with the original payloads.
    fileprivate var json: [UInt8] {
        var fields = [
            "\"token\":\"\(token)\"", "\"issued\":\(isIssued)", "\"online\":\(isOnline)", "\"accepted\":\(accepted)",
        ]
        if let topic { fields.append("\"topic\":\(JSONText.quoted(topic))") }
        if let environment { fields.append("\"environment\":\"\(environment.rawValue)\"") }
        if let unregisteredSince {
            fields.append("\"unregisteredSince\":\(unregisteredSince.milliseconds)")
            fields.append("\"reason\":\"\(isExpired ? "ExpiredToken" : "Unregistered")\"")
        }
        var json = Array("{\(fields.joined(separator: ",")),\"screen\":[".utf8)
        // A notification without its text is an empty object.
        json += screen.map { $0?.line.dropLast() ?? Array("{}".utf8)[...] }.joined(separator: [UInt8(ascii: ",")])
        json += Array("],\"stored\":".utf8) + (stored?.line.dropLast() ?? Array("null".utf8)[...])
        return json + [UInt8(ascii: "}")]
    }
}
