import Foundation
import Testing

/// The guides of the API against its description, so that neither has names that the other does not know.
struct OpenAPIGuideTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// Names beside those of the API: settings of the server, keys of vendor payloads and import files, words of rules, names of
    /// examples.
    private static let others: Set<String> = [
        "accessLog", "logLevel", "masterKeyFile", "maximumConnections", "maximumStreams", "metricsOpen",
        "shutdownSeconds", "trustedProxies",
        "clickAction", "messageDeliveryReceipt", "messageDeliveryReceiptData", "messageId", "richMessage",
        "sentDateTime",
        "lastSeen", "iOS", "iPhone15",
        "doFindTypeJ", "firstAt",
        "addsTags",
    ]

    @Test(
        "The guides of the API name only what its description has",
        arguments: [
            "http-api", "content", "content-sets", "scheduling", "registry", "accounts", "audiences", "statistics",
            "webhooks",
        ]
    )
    func names(_ guide: String) throws {
        let description = try Self.text("Sources/CarillonServer/Resources/openapi.yaml")
        let known = Set(description.matches(of: #/[A-Za-z][A-Za-z0-9]*/#).map { String($0.0) })
        let text = try Self.text("docs/\(guide).md").replacing(#/(?s)```.*?```/#, with: "")
        let code = text.matches(of: #/`([^`]+)`/#).map { String($0.1) }
        let names = Set(
            code.flatMap { $0.matches(of: #/[A-Za-z0-9.\/_-]+/#).map { String($0.0) } }
                .filter { $0.wholeMatch(of: #/[a-z]+([A-Z][a-z0-9]*)+/#) != nil }
        )
        #expect(names.subtracting(known).subtracting(Self.others).sorted() == [])
    }

    @Test(
        "The guides of the API name only its paths",
        arguments: [
            "http-api", "content", "content-sets", "scheduling", "registry", "accounts", "audiences", "statistics",
            "webhooks",
            "security",
        ]
    )
    func paths(_ guide: String) async throws {
        let known = Set(try await Description.read().operations.map(\.path)).map { $0.split(separator: "/") }
        let text = try Self.text("docs/\(guide).md")
        for match in text.matches(of: #/\/v1\/[A-Za-z0-9\/{}$_.-]*[A-Za-z0-9}]/#) {
            let path = match.0.split(separator: "/")
            let isKnown = known.contains { other in
                other.count == path.count
                    && zip(other, path).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
            }
            #expect(isKnown, "\(match.0)")
        }
    }

    @Test("The table of errors in the guide has each kind of problem with its status, and no other")
    func errors() throws {
        let guide = try Self.text("docs/http-api.md")
        let section = guide.components(separatedBy: "\n## Errors\n").last?.components(separatedBy: "\n## ").first ?? ""
        var told: [String: String] = [:]
        for row in section.matches(of: #/(?m)^\| (\d{3}) \| ([^|]+) \|/#) {
            for code in row.2.matches(of: #/`([a-z-]+)`/#) { told[String(code.1)] = String(row.1) }
        }
        // Reasons of `GET /ready`, which are in its body.
        for reason in ["dispatcher-stopped", "dispatcher-without-heartbeat", "apns-unreachable"] { told[reason] = nil }
        let known = try Problems.inSources()
        #expect(told.filter { known[$0.key] != $0.value }.keys.sorted() == [])
        #expect(known.keys.filter { told[$0] == nil }.sorted() == [])
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
