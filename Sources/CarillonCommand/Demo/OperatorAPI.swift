import CarillonModel
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The API as an operator's back end calls it, over HTTP.
struct OperatorAPI: Sendable {
    /// The server's answer was an error.
    struct Refusal: Error, CustomStringConvertible {
        var path: String
        var status: Int
        var problem: Problem?

        var description: String {
            let fields = (problem?.errors ?? []).map { "\($0.field) \($0.problem)" }.joined(separator: "; ")
            return "\(path) answered \(status) \(problem?.title ?? "") \(problem?.detail ?? "") \(fields)"
        }
    }

    /// Where the server listens.
    var server: URL
    /// An API key's secret.
    var key: String

    func get<Answer: Decodable>(_ path: String, as type: Answer.Type = Answer.self) async throws -> Answer {
        try await call("GET", path, body: nil)
    }

    func post<Answer: Decodable>(
        _ path: String,
        _ body: some Encodable,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await call("POST", path, body: try JSONEncoder().encode(body))
    }

    func put<Answer: Decodable>(
        _ path: String,
        _ body: some Encodable,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await call("PUT", path, body: try JSONEncoder().encode(body))
    }

    // MARK: - Private

    private func call<Answer: Decodable>(_ method: String, _ path: String, body: Data?) async throws -> Answer {
        var request = URLRequest(url: server.appendingPathComponent(path), timeoutInterval: 30)
        request.httpMethod = method
        request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization")
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw Refusal(path: path, status: status, problem: try? JSONDecoder().decode(Problem.self, from: data))
        }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}
