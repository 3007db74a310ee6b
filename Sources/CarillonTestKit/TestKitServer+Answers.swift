import Carillon
import CarillonModel
import Foundation

extension TestKitServer {
    /// The methods of each path of a Device, without the path of the Device itself.
    private static let methods: [String: Set<String>] = [
        "": ["PUT", "PATCH", "GET", "DELETE"],
        "forget": ["POST"],
        "voip": ["PUT", "GET", "DELETE"],
        "tags": ["GET", "PUT", "POST", "DELETE"],
        "attributes": ["GET", "PATCH"],
        "inbox": ["GET"],
        "inbox/read": ["POST"],
        "messages": ["POST"],
    ]

    func answer(to request: TransportRequest) -> TransportAnswer {
        // Another server, such as the app's own back end, accepts everything.
        guard request.url.host == Self.url.host else { return TransportAnswer(status: 200) }
        do {
            return try route(request)
        } catch let problem as Problem {
            return .problem(problem)
        } catch let error as FieldError {
            return .problem(.invalidField(error))
        } catch {
            return .problem(500, "internal-error")
        }
    }

    private func route(_ request: TransportRequest) throws -> TransportAnswer {
        let parts = request.url.path.split(separator: "/").map(String.init)
        if parts == ["v1", "events"] {
            guard request.method == "POST" else { throw Problem.methodNotAllowed }
            try checkApp(request)
            return try report(TestKitBody(request))
        }
        let path = parts.dropFirst(3).joined(separator: "/")
        guard parts.count >= 3, parts[0] == "v1", parts[1] == "devices", let methods = Self.methods[path] else {
            throw Problem.unknownPath
        }
        guard methods.contains(request.method) else { throw Problem.methodNotAllowed }
        try checkApp(request)
        guard let device = DeviceID(parts[2]) else { throw Problem.unknownDevice }
        let call = TestKitCall(
            method: request.method,
            path: path,
            device: device,
            secret: try Self.secret(of: request),
            query: request.url.query,
            body: TestKitBody(request),
            now: now()
        )
        return try with { try call.answer(&$0) }
    }

    private func checkApp(_ request: TransportRequest) throws(Problem) {
        guard let key = request.headers["Carillon-App-Key"] else { throw .missingCredentials }
        guard key == Self.appKey else { throw .wrongCredentials }
    }

    private static func secret(of request: TransportRequest) throws(Problem) -> String {
        guard let secret = request.headers["Carillon-Device-Secret"] else { throw .missingCredentials }
        guard (20...256).contains(secret.utf8.count), secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidField("Carillon-Device-Secret", "must have 20 through 256 printable ASCII characters")
        }
        return secret
    }
}

/// The body of a request.
struct TestKitBody {
    private static let limit = 64 * 1024
    private static let eventLimit = 512 * 1024

    let data: Data
    private let contentType: String?
    private let isForEvents: Bool

    init(_ request: TransportRequest) {
        data = request.body ?? Data()
        contentType = request.headers["Content-Type"]
        isForEvents = request.url.path.hasSuffix("/events")
    }

    /// Decodes it as strictly as the server does.
    ///
    /// - Throws: `Problem`.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        guard contentType == "application/json" else { throw Problem.unsupportedMediaType }
        guard data.count <= (isForEvents ? Self.eventLimit : Self.limit) else { throw Problem.bodyTooLarge }
        guard (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil else {
            throw Problem.malformedJSON
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw FieldError(error)
        }
    }

    /// Decodes it; `nil` when there is none.
    func decodedIfPresent<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value? {
        guard contentType == nil, data.isEmpty else { return try decoded(type) }
        return nil
    }
}
