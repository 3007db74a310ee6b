import Foundation

/// The calls of the server's V1 API that the tests make; `Sources/CarillonServer/Resources/openapi.yaml` describes them.
struct ServerAPI: Sendable {
    /// The body of `POST /v1/test-send`.
    struct TestSend: Encodable, Sendable {
        var device: String
        var channel = "notification"
        var message: Message
    }

    struct Message: Encodable, Sendable {
        var content: [String: Content]
        var isSurvey = false
    }

    struct Content: Encodable, Sendable {
        var title: String
        var body: String
        var link: String?
        var image: String?
        var buttons: [Button]?
    }

    struct Button: Encodable, Sendable {
        var id: String
        var title: String
        var kind: String
        var submit: String?
    }

    struct Campaign: Decodable, Sendable {
        let id: String
    }

    /// The part of the server's record that is asserted.
    struct Device: Decodable, Sendable {
        struct Consent: Decodable, Sendable {
            let notifications: Bool
        }

        let tokenState: String
        let pushType: String
        let permission: String?
        let consent: Consent
    }

    /// The part of a Campaign's funnel that is asserted, and why nothing was sent.
    struct Funnel: Decodable, Sendable {
        let accepted: Int
        let received: Int
        let opened: Int
        let actions: Int
        let replies: Int
        let failed: [String: Int]
        let skipped: [String: Int]
    }

    /// The server refused a request.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    let server: URL
    let apiKey: String

    func device(_ id: String) async throws -> Device { try await answer("GET", "v1/devices/\(id)") }

    /// Sends a message to one Device at once.
    func send(_ body: TestSend) async throws -> Campaign {
        try await answer("POST", "v1/test-send", JSONEncoder().encode(body))
    }

    func funnel(_ campaign: Campaign) async throws -> Funnel {
        try await answer("GET", "v1/campaigns/\(campaign.id)/funnel")
    }

    private func answer<Answer: Decodable>(
        _ method: String,
        _ path: String,
        _ body: Data? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: server.appendingPathComponent(path))
        request.httpMethod = method
        request.httpBody = body
        request.setValue("Bearer \(apiKey)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw Refusal(description: "\(method) \(path): \(status) \(String(decoding: data, as: UTF8.self))")
        }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}
