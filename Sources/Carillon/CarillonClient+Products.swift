import CarillonModel
package import Foundation

extension CarillonClient {
    /// Sends a request of another product of the SDK's, with the App key and without the Device's secret.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path after the server's address.
    ///   - headers: Further header fields.
    ///   - body: JSON; `nil` for none.
    /// - Returns: The answer's body.
    /// - Throws: ``CarillonError``.
    package func request(
        _ method: String,
        _ path: String,
        headers: [String: String],
        body: Data?
    ) async throws(CarillonError) -> Data {
        try await withDeadline(of: configuration.deadline, time) { [api] () throws(CarillonError) in
            try await api.request(method, path, headers: headers, body: body).get()
        }
    }
}
