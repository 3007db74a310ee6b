import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// One answer of the control API.
struct ControlAnswer {
    var status: Int
    var body: String

    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
    }

    var message: String? {
        (json["error"] as? [String: String])?["message"]
    }
}

/// Uses the control API as any program would.
func send(_ method: String, _ url: String, _ body: String? = nil) async throws -> ControlAnswer {
    var request = HTTPClientRequest(url: url)
    request.method = .init(rawValue: method)
    request.body = body.map { .bytes(ByteBuffer(string: $0)) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    let bytes = try await response.body.collect(upTo: 1 << 26)
    return ControlAnswer(status: Int(response.status.code), body: String(buffer: bytes))
}
