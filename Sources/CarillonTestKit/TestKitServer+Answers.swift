import Carillon
import CarillonModel
import Foundation

extension TestKitServer {
    /// The methods of each path of a Device, without the path of the Device itself; each with the names that its query
    /// may have.
    private static let methods: [String: [String: [String]]] = [
        "": ["PUT": [], "PATCH": [], "GET": [], "DELETE": []],
        "forget": ["POST": []],
        "voip": ["PUT": [], "GET": [], "DELETE": []],
        "tags": ["GET": [], "PUT": [], "POST": [], "DELETE": ["tags"]],
        "attributes": ["GET": [], "PATCH": []],
        "inbox": ["GET": []],
        "inbox/read": ["POST": []],
        "messages": ["POST": []],
        "test-pairing": ["POST": []],
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
        guard request.url.absoluteString.removingPercentEncoding != nil else { throw Problem.malformedURL }
        let parts = request.url.path.split(separator: "/").map(String.init)
        if parts == ["v1", "events"] {
            guard request.method == "POST" else { throw Problem.methodNotAllowed }
            try checkApp(request)
            try Self.checkQuery(of: request, [])
            return try report(TestKitBody(request))
        }
        if let answer = try routeProducts(request, parts) { return answer }
        let path = parts.dropFirst(3).joined(separator: "/")
        guard parts.count >= 3, parts[0] == "v1", parts[1] == "devices",
            let methods = Self.methods[path] ?? Self.followMethods(parts)
        else { throw Problem.unknownPath }
        guard let names = methods[request.method] else { throw Problem.methodNotAllowed }
        try checkApp(request)
        guard let device = DeviceID(parts[2]) else { throw Problem.unknownDevice }
        let secret = try Self.secret(of: request)
        try Self.checkQuery(of: request, names)
        let call = TestKitCall(
            method: request.method,
            path: path,
            device: device,
            secret: secret,
            query: request.url.query,
            body: TestKitBody(request),
            now: now()
        )
        return try with { try call.answer(&$0) }
    }

    /// Answers what is about no Device: accounts and content sets.
    private func routeProducts(_ request: TransportRequest, _ parts: [String]) throws -> TransportAnswer? {
        guard parts.count >= 3, parts[0] == "v1" else { return nil }
        if parts[1] == "accounts" {
            let path = parts.dropFirst(2).joined(separator: "/")
            guard let method = Self.accountMethods[path] else { throw Problem.unknownPath }
            guard request.method == method else { throw Problem.methodNotAllowed }
            try checkApp(request)
            try Self.checkQuery(of: request, [])
            return try answerAccounts(path, request)
        }
        guard parts[1] == "content-sets", parts.count == 4, ["rows", "arrivals"].contains(parts[3]) else { return nil }
        guard request.method == "GET" else { throw Problem.methodNotAllowed }
        try checkApp(request)
        try Self.checkQuery(of: request, ["app"] + (parts[3] == "rows" ? TestKitRowQuery.names : ["route"]))
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let values = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        return try answerContent([parts[2], parts[3]], values)
    }

    /// The methods of what the Device's User follows.
    private static func followMethods(_ parts: [String]) -> [String: [String]]? {
        guard (6...7).contains(parts.count), parts[3] == "content-sets", parts[5] == "follows" else { return nil }
        return parts.count == 6 ? ["GET": []] : ["PUT": [], "DELETE": []]
    }

    private func checkApp(_ request: TransportRequest) throws(Problem) {
        guard let key = request.headers["Carillon-App-Key"] else { throw .missingCredentials }
        guard key == Self.appKey else { throw .wrongCredentials }
    }

    /// Checks that the query has known names alone, each once.
    private static func checkQuery(of request: TransportRequest, _ known: [String]) throws(Problem) {
        var seen: Set<String> = []
        for item in URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? [] {
            let isNew = seen.insert(item.name).inserted
            guard known.contains(item.name) else {
                let names = known.isEmpty ? "none" : known.joined(separator: ", ")
                let problem = "is not a query parameter of this operation, which has \(names)"
                throw .invalidField(String(item.name.prefix(64)), problem)
            }
            guard isNew else { throw .invalidField(item.name, "must come once") }
        }
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
