import HTTPTypes
import Hummingbird

/// Whether a node can do its work, and what keeps it from it: the answer of `GET /ready`.
///
/// What one node alone lacks makes it unready, so that a load balancer takes it out. What all nodes lack together, as
/// Apple being away, only degrades it: the API still takes what is sent later. Nothing in it is secret.
package struct Readiness: Hashable, Sendable {
    /// One thing that is wrong.
    package struct Reason: Hashable, Sendable, Codable {
        /// A word for programs, as `dispatcher-stopped`.
        package var code: String
        /// A sentence for people.
        package var detail: String

        package init(code: String, detail: String) {
            self.code = code
            self.detail = detail
        }
    }

    /// What keeps this node from its work.
    package var failures: [Reason] = []
    /// What is wrong for all nodes, or does not keep this one from its work.
    package var degradations: [Reason] = []
    /// Whether the node is told to send nothing.
    package var isHeld = false

    /// A node that can do its work.
    package init() {}

    package var isReady: Bool { failures.isEmpty }
}

extension Readiness {
    private struct Body: Encodable {
        var status: String
        var hold: Bool?
        var reasons: [Reason]?
    }

    /// A problem (RFC 9457) with one member more.
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
