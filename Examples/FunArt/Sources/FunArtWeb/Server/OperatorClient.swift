import Carillon
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls the operators' API of a Carillon server.
struct OperatorClient: Sendable {
    /// What the server refused.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    let server: URL
    /// An API key with the scope `admin`.
    let key: String

    /// Sends a request with JSON.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path, with its query.
    ///   - body: The body; `nil` for none.
    /// - Returns: The answer; null when it is empty.
    /// - Throws: ``Refusal``, or what the network said.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        guard let url = URL(string: path, relativeTo: server) else { throw Refusal(description: "\(path) is no path") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization")
        if let body {
            request.httpBody = try JSONEncoder().encode(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw Refusal(description: "\(method) \(path): \(status) \(String(decoding: data, as: UTF8.self))")
        }
        return data.isEmpty ? .null : try JSONDecoder().decode(JSONValue.self, from: data)
    }
}
