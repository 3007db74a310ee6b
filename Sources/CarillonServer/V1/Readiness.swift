import HTTPTypes
import Hummingbird

/// Whether a node is ready, and why not: the response of `GET /ready`.
///
/// A fault of this node alone makes it unready, so that a load balancer removes it. A fault of all nodes, such as an
/// unreachable APNs, only degrades it: the API still accepts what is sent later. Contains no secrets.
package struct Readiness: Hashable, Sendable {
    /// One fault.
    package struct Reason: Hashable, Sendable, Codable {
        /// A code for programs, such as `dispatcher-stopped`.
        package var code: String
        /// A description for people.
        package var detail: String

        package init(code: String, detail: String) {
            self.code = code
            self.detail = detail
        }
    }

    /// What makes this node unready.
    package var failures: [Reason] = []
    /// Faults of all nodes, or faults that do not make this one unready.
    package var degradations: [Reason] = []
    /// Whether the node is configured to send nothing.
    package var isHeld = false

    /// Creates the readiness of a node without faults.
    package init() {}

    package var isReady: Bool { failures.isEmpty }
}

extension Readiness {
    private struct Body: Encodable {
        var status: String
        var hold: Bool?
        var reasons: [Reason]?
    }

    /// A problem (RFC 9457) with an additional member.
    private struct ProblemBody: Encodable {
        var type: String
        var title: String
        var status: Int
        var detail: String
        var code: String
        var hold: Bool?
        var reasons: [Reason]
    }

    /// 200 with `ready` or `degraded`, or 503 with all reasons.
    var response: Response {
        get throws {
            let reasons = failures + degradations
            guard let first = failures.first else {
                let body = Body(
                    status: degradations.isEmpty ? "ready" : "degraded",
                    hold: isHeld ? true : nil,
                    reasons: reasons.isEmpty ? nil : reasons
                )
                return try Response(body)
            }
            let body = ProblemBody(
                type: "urn:carillon:problem:" + first.code,
                title: "The node cannot do its work.",
                status: 503,
                detail: reasons.map(\.detail).joined(separator: " "),
                code: first.code,
                hold: isHeld ? true : nil,
                reasons: reasons
            )
            var response = try Response(body, status: .serviceUnavailable, headers: [.retryAfter: "5"])
            response.headers[.contentType] = "application/problem+json"
            return response
        }
    }
}
